"""Recomputes the rows of a run of the experiments, and compares them with its files."""
import argparse
import csv
import json
import sys
from pathlib import Path

from experiments import extend, fill, fpr, memory, table1, window
from structures import STRUCTURES
from theory import number, rows_of_theory, text, theories
from workload import Population

MADE = {f.__name__: f for f in (fpr, fill, window, memory, extend, table1)}
NUMBERS = {"value": 9, "low": 9, "high": 9, "theory": 7, "paper": 9, "count": 9}  # digits
OTHERS = ("experiment", "strategy", "quantity", "unit", *NUMBERS)
REFERENCE = Path(__file__).parents[1] / "results/reference/20000"  # has the rows that others have
UNITS = {"B": "bytes, bytes per user, payload per user, payload total, header per user",
         "ratio": "fpr, fill, retention, miss, bits ratio",
         "bit": "bits"}
UNITS = {quantity: unit for unit, of in UNITS.items() for quantity in of.split(", ")}

def read(path):
    """The rows of a file, by what claims call them, and claims by ID."""
    found = {}
    for line in csv.DictReader(path.read_text("utf-8").splitlines()):
        at = ", ".join(f"{d}={v}" for d, v in sorted(line.items()) if v and d not in OTHERS)
        name = f"{path.stem}: {line['quantity']} of {line.get('strategy')}{at and ' at '}{at}"
        found[line.get("id", name)] = line
    return found

def recomputed(run, line):
    """The numbers of a row, as text."""
    at = {d: number(v) for d, v in line.items() if d not in OTHERS}
    numbers = MADE[line["experiment"]](run, line["strategy"], line["quantity"], **at)
    return {column: text(numbers.get(column), digits) for column, digits in NUMBERS.items()}

def compare(experiment, lines, made):
    """Prints what differs, and how many rows are equal and left out; returns equal and all."""
    unequal = [(row, column) for row in made for column in made[row]
               if made[row][column] != lines.get(row, {}).get(column)]
    for row, column in unequal:
        print(f"  {row}: {column} is {lines.get(row, {}).get(column)!r}, not {made[row][column]!r}")
    equal, left = len(made) - len({row for row, _ in unequal}), len(lines.keys() - made)
    print(f"{experiment}: {equal} of {len(made)} rows equal, {left} left out", flush=True)
    return equal, len(made)

def understood(line):
    """Whether the row is of a structure that is written here, or of none."""
    return line["experiment"] not in MADE or line["strategy"].split(", ")[0] in STRUCTURES

def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("dir", type=Path, metavar="DIR", help="a run of the experiments")
    parser.add_argument("only", nargs="*", metavar="EXPERIMENT", help="else all, and claims")
    args = parser.parse_args()
    files = {path.stem: read(path) for path in args.dir.glob("*.csv") if ".timing" not in path.name}
    names = [name for name in (*MADE, "sizing", "arithmetic", "claims") if name in files]
    if not names or not {*args.only} <= {*names}:
        parser.error(f"what can be recomputed of {args.dir} is {', '.join(names) or 'nothing'}")
    manifest = json.loads((args.dir / "run.json").read_text("utf-8"))
    run, known, counts = Population(manifest["seed"], manifest["users"]), rows_of_theory(), []
    for experiment in args.only or names:
        lines = files[experiment]
        if experiment == "claims":
            every = {row: line for file in files.values() for row, line in file.items()}
            made = theories(lines, known, every)
        else:
            rows = lines | {row: line for row, line in read(REFERENCE / f"{experiment}.csv").items()
                            if not line.get("users")}
            rows = {row: line for row, line in rows.items() if row in known or understood(line)}
            made = {row: known.get(row) or recomputed(run, line) for row, line in rows.items()}
            made = {row: {"unit": UNITS.get(rows[row]["quantity"], ""), **cells}
                    for row, cells in made.items() if row in lines or cells.get("count") != "0"}
            known |= made
        counts.append(compare(experiment, lines, made))
    equal, every = map(sum, zip(*counts))
    print(f"{equal} of {every} rows equal")
    sys.exit(equal != every)

if __name__ == "__main__":
    main()
