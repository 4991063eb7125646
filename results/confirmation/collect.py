"""Collects the verdicts and values of finished runs: collect.py out/seed-1 out/seed-2 ... >100000.json"""
import csv
import json
import sys
from pathlib import Path

found, seeds, users = {}, [], set()
for run in map(Path, sys.argv[1:]):
    manifest = json.loads((run / "run.json").read_text())
    seeds.append(manifest["seed"])
    users.add(manifest["users"])
    for name in ("claims.csv", "claims.timing.csv"):
        for row in csv.DictReader(open(run / name, encoding="utf-8")):
            found.setdefault(row["id"], []).append({"verdict": row["verdict"], "value": float(row["value"] or 0)})
print(json.dumps({"users": users.pop(), "seeds": seeds, "found": found}, sort_keys=True, separators=(",", ":")))
