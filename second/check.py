"""Compares the rows of a run with those recomputed here: python3 second/check.py DIR [EXPERIMENT ...]"""
import argparse
import csv
import json
import pathlib
import sys

import arithmetic
import claims
import experiments
import popularity
from rows import COLUMNS

MADE = {name: getattr(module, name) for module, names in (
    (experiments, ("fpr", "fill", "window", "memory", "extend", "table1")), (arithmetic, ("sizing", "arithmetic")),
    (popularity, ("popularity",))) for name in names}
KEY = ("experiment", "strategy", "quantity")
NAMED = 20  # rows that differ, of each experiment


def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def by_key(path):
    found = {}
    for cells in read(path):
        at = sorted((d, v) for d, v in cells.items() if d not in COLUMNS + KEY and v)
        found[(*(cells[c] for c in KEY), tuple(at))] = cells
    return found


def compare(what, ours, theirs, columns=COLUMNS):
    """Prints how many rows are equal and the first that are not; returns the numbers of equal rows and of all."""
    differing, every = [], list({**theirs, **ours})
    for key in every:
        mine, other = ours.get(key, {}), theirs.get(key, {})
        cells = [f"{c} is {other.get(c, 'no row') or 'empty'}, recomputed {mine.get(c, 'no row') or 'empty'}"
                 for c in columns if mine.get(c) != other.get(c)]
        if cells:
            experiment, strategy, quantity, at = key
            where = " at " + ", ".join("=".join(d) for d in at) if at else ""
            differing.append(f"  {experiment}: {quantity} of {strategy}{where}: {'; '.join(cells)}")
    equal = len(every) - len(differing)
    print(f"{what}: {equal} of {len(every)} rows equal", *differing[:NAMED], sep="\n", flush=True)
    if len(differing) > NAMED:
        print(f"  and {len(differing) - NAMED} more")
    return equal, len(every)


def main():
    parser = argparse.ArgumentParser(description="Recomputes the rows of a run, and compares them with its files.")
    parser.add_argument("dir", type=pathlib.Path, metavar="DIR", help="where a run of the experiments is")
    parser.add_argument("only", nargs="*", metavar="EXPERIMENT", help=f"of {', '.join(MADE)}; else all, and claims")
    args = parser.parse_args()
    files = {path.stem: path for path in sorted(args.dir.glob("*.csv"))}
    if not (args.dir / "run.json").is_file():
        parser.error(f"{args.dir} holds no run.json, so no run")
    absent = [name for name in args.only if name not in MADE or name not in files]
    names = [name for name in MADE if name in (args.only or files)]
    if absent or not names:
        parser.error(f"not recomputed, or not in the run: {', '.join(absent or MADE)}")
    manifest = json.loads((args.dir / "run.json").read_text(encoding="utf-8"))
    run, counts, made = experiments.Run(manifest["users"], manifest["seed"]), [], {}
    for name in names:
        ours = dict(MADE[name](run))
        made.update(ours)
        counts.append(compare(name, ours, by_key(files[name])))
    if not args.only and "claims" in files:
        lines, values = read(files["claims"]), {}
        for name in files:
            values.update(by_key(files[name]) if not name.startswith("claims") else {})
        ours = claims.theories(lines, made, values)
        theirs = {claims.key(line): line for line in lines if claims.key(line) in ours}
        counts.append(compare("claims, their theory", ours, theirs, ["theory"]))
        left = [line["id"] for line in lines if claims.key(line) not in ours]
        print("left out, for the pages do not specify their rows:", ", ".join(left) or "none")
    print("not recomputed:", ", ".join(name for name in files if name not in {*MADE, "claims"} and read(files[name])))
    equal, total = (sum(column) for column in zip(*counts))
    print(f"{equal} of {total} rows equal")
    sys.exit(equal != total)


if __name__ == "__main__":
    main()
