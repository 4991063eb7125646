"""Compares the rows of a run with those recomputed here: python3 second/check.py DIR [experiment ...]"""
import argparse
import csv
import pathlib
import sys
import time

import experiments
import popularity

VALUES = ("unit", "value", "low", "high", "theory", "paper", "count")


def text(x, digits=9):
    """Rows: a number as a file has it."""
    if x is None or isinstance(x, str):
        return x or ""
    written = f"{float(x):.{digits}g}"
    return str(int(float(written))) if float(written).is_integer() and abs(float(written)) < 1e15 else written


def lines(made):
    """Made rows as their text, by key."""
    for (experiment, strategy, quantity, dimensions), values in made:
        cells = {c: text(values.get(c), 7 if c == "theory" else 9) for c in VALUES}
        if cells["count"] == "0":
            cells["count"] = ""
        yield (experiment, strategy, quantity, tuple((d, text(v)) for d, v in dimensions)), cells


def read(path):
    """The rows of a file of a run, by key."""
    with open(path, newline="", encoding="utf-8") as file:
        for cells in csv.DictReader(file):
            fixed = VALUES + ("experiment", "strategy", "quantity")
            dimensions = tuple(sorted((d, v) for d, v in cells.items() if d not in fixed and v != ""))
            yield (cells["experiment"], cells["strategy"], cells["quantity"], dimensions), cells


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("dir", type=pathlib.Path)
    parser.add_argument("experiments", nargs="*")
    parser.add_argument("--users", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=2016)
    args = parser.parse_args()
    run = experiments.Run(args.users, args.seed)
    for name in args.experiments:
        began = time.time()
        ours, theirs = dict(lines(getattr(popularity if name == "popularity" else experiments, name)(run))), dict(read(args.dir / (name + ".csv")))
        bad = []
        for key in list(theirs) + [k for k in ours if k not in theirs]:
            for c in VALUES:
                a, b = theirs.get(key, {}).get(c, "no row"), ours.get(key, {}).get(c, "no row")
                if a != b:
                    bad.append((key, c, a, b))
                    break
        print(f"{name}: {len(theirs) - len(bad)} of {len(theirs)} rows equal", round(time.time() - began, 1))
        for b in bad[:40]:
            print("  ", b)


main()
