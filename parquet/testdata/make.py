"""Writes the files of this directory with pyarrow, and beside them the lines that are to come out."""

import datetime as dt
import sys

import pyarrow as pa
import pyarrow.parquet as pq

noon = dt.datetime(2023, 5, 21, 12)
rows = range(20)


def stamp(t):
    text = t.isoformat()
    return (text.rstrip("0") if "." in text else text) + "Z"


def save(name, header, lines):
    with open(name + ".csv", "w") as f:
        f.write("".join(line + "\n" for line in [header] + lines))


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
save("ebnerd", "user,article,time,clicked,request", [
    f"{i % 7},{a},{stamp(times[i])},{int(a in clicked[i])},{i}" for i in rows for a in inview[i] or []])

# Lists of articles and times beside them: as Yambda's sequences.
pq.write_table(pa.table({
    "uid": pa.array(range(6), pa.uint32()),
    "timestamp": pa.array([[1700000000 + u + 60 * i for i in range(u)] for u in range(6)], pa.list_(pa.uint32())),
    "item_id": pa.array([[u * i % 5 for i in range(u)] for u in range(6)], pa.list_(pa.uint32())),
}), "yambda-sequential.parquet", compression="zstd", store_schema=False)
save("yambda-sequential", "user,article,time", [
    f"{u},{u * i % 5},{1700000000 + u + 60 * i}" for u in range(6) for i in range(u)])

# Records, text, times with a zone: as BigQuery exports.
pq.write_table(pa.table({
    "time": pa.array([noon + dt.timedelta(milliseconds=1500 * i) for i in rows], pa.timestamp("us", tz="UTC")),
    "event": pa.array([{"user": f"u,{i % 5}", "article": f'a"{i % 13}'} for i in rows]),
}), "bigquery.parquet", compression="snappy", store_schema=False)
save("bigquery", "user,article,time", [
    f'"u,{i % 5}","a""{i % 13}",{stamp(noon + dt.timedelta(milliseconds=1500 * i))}' for i in rows])

# Numbers of 64 bits, bytes, milliseconds, many groups of rows: as ClickHouse exports.
pq.write_table(pa.table({
    "user": pa.array([2**63 + i % 5 for i in rows], pa.uint64()),
    "article": pa.array([b"url/%d" % (i % 17) for i in rows], pa.binary()),
    "time": pa.array([noon + dt.timedelta(milliseconds=7 * i) for i in rows], pa.timestamp("ms", tz="UTC")),
}), "clickhouse.parquet", compression="lz4", row_group_size=7, store_schema=False)
save("clickhouse", "user,article,time", [
    f"{2**63 + i % 5},url/{i % 17},{stamp(noon + dt.timedelta(milliseconds=7 * i))}" for i in rows])

print("pyarrow", pa.__version__, file=sys.stderr)
