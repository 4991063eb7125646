"""Recomputes the rows of a run of the experiments, and compares them with its files."""
import argparse
import csv
import json
import pathlib
import sys

import claims
import experiments
import popularity
from rows import NUMBERS, name

MADE = {f.__name__: f for f in (
    experiments.fpr, experiments.fill, experiments.window, experiments.memory, experiments.extend,
    experiments.table1, claims.sizing, claims.arithmetic, popularity.popularity)}
PARTLY = ("popularity", "claims")  # of the others a row that is not recomputed counts as different
NAMED = 20  # so many rows that differ are named, of each experiment

def read(path):
    """The rows of a file by name."""
    with open(path, newline="", encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    if path.stem == "claims":
        return {f"claims: theory of {line['id']}": line for line in lines}
    others = ("experiment", "strategy", "quantity", "unit", *NUMBERS)
    found = {}
    for line in lines:
        at = {d: v for d, v in line.items() if d not in others}
        found[f"{path.stem}: {name(line['strategy'], line['quantity'], at)}"] = line
    return found

def compare(experiment, ours, theirs):
    """Prints how many rows are equal and the first that are not; returns both numbers."""
    differing = []
    for row, mine in ours.items():
        other = theirs.get(row, {})
        cells = [f"{c} is {other.get(c, 'no row') or 'empty'}, recomputed {text or 'empty'}"
                 for c, text in mine.items() if other.get(c) != text]
        if cells:
            differing.append(f"  {row}: {'; '.join(cells)}")
    unknown = [] if experiment in PARTLY else [row for row in theirs if row not in ours]
    differing += [f"  {row}: a row that is not recomputed" for row in unknown]
    every = len(ours) + len(unknown)
    print(f"{experiment}: {every - len(differing)} of {every} rows equal", flush=True)
    for line in differing[:NAMED]:
        print(line)
    return every - len(differing), every

def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("dir", type=pathlib.Path, metavar="DIR", help="a run of the experiments")
    parser.add_argument("only", nargs="*", metavar="EXPERIMENT",
                        help=f"of {', '.join(MADE)}; else all, and claims")
    args = parser.parse_args()
    if not (args.dir / "run.json").is_file():
        parser.error(f"{args.dir} holds no run.json, so no run")
    files = {path.stem: read(path) for path in sorted(args.dir.glob("*.csv"))
             if not path.stem.endswith(".timing")}
    absent = [each for each in args.only if each not in MADE or each not in files]
    names = [each for each in MADE if each in (args.only or files)]
    if absent or not names:
        parser.error(f"not recomputed, or not in the run: {', '.join(absent or MADE)}")
    manifest = json.loads((args.dir / "run.json").read_text(encoding="utf-8"))
    if manifest["users"] > 100_000:
        parser.error(f"{args.dir} has {manifest['users']} users, and at most 100000 will do")
    run, made, counts = experiments.Run(manifest["users"], manifest["seed"]), {}, []
    for each in names:
        ours = {f"{each}: {row}": cells for row, cells in MADE[each](run)}
        counts.append(compare(each, ours, files[each]))
        made.update(ours)
    if not args.only and "claims" in files:
        values = {row: cells for rows in files.values() for row, cells in rows.items()}
        ours = claims.theories(files["claims"], made, values)
        counts.append(compare("claims", ours, files["claims"]))
        made.update(ours)
    for each, rows in files.items():
        left = [row for row in rows if row not in made]
        if left and not args.only:
            print(f"{each}: {len(left)} rows not recomputed, as {left[0]}")
    equal, every = (sum(column) for column in zip(*counts))
    print(f"{equal} of {every} rows equal")
    sys.exit(equal != every)

if __name__ == "__main__":
    main()
