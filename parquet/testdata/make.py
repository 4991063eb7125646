"""Writes the files of this directory with pyarrow and fastparquet, and beside them the lines that are to come out."""

import datetime as dt
import sys

import fastparquet
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

noon = dt.datetime(2023, 5, 21, 12)
rows = range(20)


def stamp(t):
    text = t.isoformat()
    return (text.rstrip("0") if "." in text else text) + "Z"


def save(name, requests):
    """Each request is a user, its articles, a time, and those clicked where that is known."""
    lines = []
    for user, articles, time, *clicked in requests:
        first = len(lines)
        for a in articles:
            answer = str(a in clicked[0]).lower() if clicked else ""
            lines.append(f"{user},{a},{time},{answer},{first}\n")
    with open(name + ".csv", "w") as f:
        f.write("".join(["user,article,time,clicked,request\n"] + lines))


# Lists of articles, microseconds: as EB-NeRD's behaviours.
times = [noon + dt.timedelta(seconds=30 * i, microseconds=10 * i) for i in rows]
inview = [[9000000 + i * j % 11 for j in range(i % 5)] if i % 7 else None for i in rows]
clicked = [[9000000 + i * (i % 5) % 11] for i in rows]
table = pa.table({
    "article_id": pa.array([None if i % 3 else 9778745.0 for i in rows], pa.float64()),
    "impression_time": pa.array(times, pa.timestamp("us")),
    "article_ids_inview": pa.array(inview, pa.list_(pa.int32())),
    "article_ids_clicked": pa.array(clicked, pa.list_(pa.int32())),
    "user_id": pa.array([i % 7 for i in rows], pa.uint32()),
})
pq.write_table(table, "ebnerd.parquet", compression="snappy", store_schema=False)
pq.write_table(table, "ebnerd-int96.parquet", use_deprecated_int96_timestamps=True, data_page_size=64,
               write_batch_size=5, compression="gzip", store_schema=False)
save("ebnerd", [(i % 7, inview[i] or [], stamp(times[i]), clicked[i]) for i in rows])

# Lists of articles and times beside them: as Yambda's sequences.
pq.write_table(pa.table({
    "uid": pa.array(range(6), pa.uint32()),
    "timestamp": pa.array([[1700000000 + u + 60 * i for i in range(u)] for u in range(6)], pa.list_(pa.uint32())),
    "item_id": pa.array([[u * i % 5 for i in range(u)] for u in range(6)], pa.list_(pa.uint32())),
}), "yambda-sequential.parquet", compression="zstd", store_schema=False)
save("yambda-sequential", [(u, [u * i % 5], 1700000000 + u + 60 * i) for u in range(6) for i in range(u)])

# Records, text, times with a zone: as BigQuery exports.
pq.write_table(pa.table({
    "time": pa.array([noon + dt.timedelta(milliseconds=1500 * i) for i in rows], pa.timestamp("us", tz="UTC")),
    "event": pa.array([{"user": f"u,{i % 5}", "article": f'a"{i % 13}'} for i in rows]),
}), "bigquery.parquet", compression="snappy", store_schema=False)
save("bigquery", [
    (f'"u,{i % 5}"', [f'"a""{i % 13}"'], stamp(noon + dt.timedelta(milliseconds=1500 * i))) for i in rows])

# Numbers of 64 bits, bytes, milliseconds, many groups of rows: as ClickHouse exports.
pq.write_table(pa.table({
    "user": pa.array([2**63 + i % 5 for i in rows], pa.uint64()),
    "article": pa.array([b"url/%d" % (i % 17) for i in rows], pa.binary()),
    "time": pa.array([noon + dt.timedelta(milliseconds=7 * i) for i in rows], pa.timestamp("ms", tz="UTC")),
}), "clickhouse.parquet", compression="lz4", row_group_size=7, store_schema=False)
save("clickhouse", [
    (2**63 + i % 5, [f"url/{i % 17}"], stamp(noon + dt.timedelta(milliseconds=7 * i))) for i in rows])

# Users and times that are missing, INT96, eight bytes behind every page: as fastparquet writes a table of pandas.
fastparquet.write("fastparquet.parquet", pd.DataFrame({
    "user": [None if i % 4 == 0 else f"u{i % 3}" for i in rows],
    "number": [None if i % 4 == 0 else float(10**7 + i) for i in rows],
    "article": [i % 13 for i in rows],
    "time": pd.Series([None if i % 7 == 1 else t for i, t in zip(rows, times)], dtype="datetime64[ns]"),
}), times="int96", compression="SNAPPY", row_group_offsets=8)
save("fastparquet", [
    (f"u{i % 3}", [i % 13], "" if i % 7 == 1 else stamp(times[i])) for i in rows if i % 4])

print("pyarrow", pa.__version__, "fastparquet", fastparquet.__version__, file=sys.stderr)
