"""Compares the rows of a run with those recomputed here: python3 second/check.py DIR [EXPERIMENT ...]"""
import argparse
import csv
import json
import pathlib
import sys
import time

import arithmetic
import claims
import experiments
import popularity

COLUMNS = ("unit", "value", "low", "high", "theory", "paper", "count")
KEY = ("experiment", "strategy", "quantity")
MADE = {"fpr": experiments.fpr, "fill": experiments.fill, "window": experiments.window, "memory": experiments.memory,
        "extend": experiments.extend, "table1": experiments.table1, "sizing": arithmetic.sizing,
        "arithmetic": arithmetic.arithmetic, "popularity": popularity.popularity}
SHOWN = 20  # differing rows that are printed


def text(x, digits=9):
    """Rows: a number as a file has it."""
    if x is None or isinstance(x, str):
        return x or ""
    written = f"{float(x):.{digits}g}"
    for whole in (float(x), float(written)):
        if whole.is_integer() and abs(whole) < 1e15:
            return str(int(whole))
    return written


def written(made):
    """Rows that were made, as their text, by key."""
    for (experiment, strategy, quantity, dimensions), values in made:
        cells = {c: text(values.get(c), 7 if c == "theory" else 9) for c in COLUMNS}
        cells["count"] = cells["count"] if cells["count"] != "0" else ""
        yield (experiment, strategy, quantity, tuple((d, text(v)) for d, v in dimensions)), cells


def read(path):
    """The lines of a file of a run."""
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def by_key(lines):
    """Lines of a file by key."""
    for cells in lines:
        dimensions = sorted((d, v) for d, v in cells.items() if d not in COLUMNS + KEY and v != "")
        yield (*(cells[c] for c in KEY), tuple(dimensions)), cells


def name(key):
    """A key as claims name a row."""
    experiment, strategy, quantity, dimensions = key
    at = ", ".join("=".join(d) for d in dimensions)
    return f"{experiment}: {quantity} of {strategy}" + (f" at {at}" if at else "")


def differences(ours, theirs):
    """What differs, one line a row."""
    for key in list(theirs) + [key for key in ours if key not in theirs]:
        if key not in ours or key not in theirs:
            yield f"{name(key)}: only in {'the run' if key in theirs else 'the recomputation'}"
            continue
        cells = [f"{c} is {theirs[key][c] or 'empty'}, recomputed {ours[key][c] or 'empty'}"
                 for c in COLUMNS if theirs[key][c] != ours[key][c]]
        if cells:
            yield f"{name(key)}: {'; '.join(cells)}"


class Tally:
    """Rows compared, and equal, over all experiments."""

    def __init__(self):
        self.equal, self.total = 0, 0

    def add(self, what, count, differing, began):
        """Prints what was found of one experiment, with the first of the rows that differ."""
        self.equal, self.total = self.equal + count - len(differing), self.total + count
        print(f"{what}: {count - len(differing)} of {count} rows equal, {time.monotonic() - began:.1f} s", flush=True)
        for line in differing[:SHOWN]:
            print("  " + line)
        if len(differing) > SHOWN:
            print(f"  and {len(differing) - SHOWN} more")


def check_claims(directory, theories, tally):
    """Compares the theory of each claim, by the values of the run's rows; names those that the pages do not specify."""
    began, values = time.monotonic(), {}
    for path in sorted(directory.glob("*.csv")):
        if not path.name.startswith("claims."):
            values.update(by_key(read(path)))
    lines, differing, left = read(directory / "claims.csv"), [], []
    for line, (claim, theory) in zip(lines, claims.claims(lines, theories, values)):
        if theory == claims.UNSPECIFIED:
            left.append(claim)
            continue
        ours = "" if theory is None else f"{theory:.7g}"
        if ours != line["theory"]:
            differing.append(f"claims: {claim}: theory is {line['theory'] or 'empty'}, recomputed {ours or 'empty'}")
    tally.add("claims, their theory", len(lines) - len(left), differing, began)
    print(f"left out: claims {', '.join(left)}, which rest on rows that the pages do not specify")


def main():
    parser = argparse.ArgumentParser(description="Recomputes the rows of a run, and compares them with its files.")
    parser.add_argument("dir", type=pathlib.Path, metavar="DIR", help="where a run of the experiments is")
    parser.add_argument("only", nargs="*", metavar="EXPERIMENT", help=f"of {', '.join(MADE)}, claims; else all")
    args = parser.parse_args()
    unknown = set(args.only) - {*MADE, "claims"}
    if unknown:
        parser.error(f"no such experiment is recomputed: {', '.join(sorted(unknown))}")
    if not (args.dir / "run.json").is_file():
        parser.error(f"{args.dir} holds no run: it has no run.json")
    manifest = json.loads((args.dir / "run.json").read_text(encoding="utf-8"))
    run, tally, theories = experiments.Run(manifest["users"], manifest["seed"]), Tally(), {}
    for experiment, make in MADE.items():
        path, began = args.dir / f"{experiment}.csv", time.monotonic()
        if path.is_file() and (not args.only or experiment in args.only):
            rows = list(make(run))
            ours, theirs = dict(written(rows)), dict(by_key(read(path)))
            theories.update((key, cells["theory"]) for key, cells in ours.items())
            tally.add(experiment, len({*ours, *theirs}), list(differences(ours, theirs)), began)
    if len(theories) and not args.only and (args.dir / "claims.csv").is_file():
        check_claims(args.dir, theories, tally)
    others = sorted(p.stem for p in args.dir.glob("*.csv") if p.stem not in {*MADE, "claims"} and len(read(p)))
    print(f"not recomputed: {', '.join(others)}")
    print(f"{tally.equal} of {tally.total} rows equal")
    sys.exit(tally.equal != tally.total or tally.total == 0)


if __name__ == "__main__":
    main()
