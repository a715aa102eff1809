"""Many documents through engines: the same texts by hash, the CPU and the memory they take.

Run it in an environment with one engine, ``python benches/engines.py ray --documents 20000``;
with ``plain`` it is a loop, with ``batch`` the command ``mckp batch``, without any engine. With
``--bad`` one document in the middle is no JSON: the others have to come through. With ``--kill 3``
the busiest process of the engine is killed once it has used three seconds of CPU, as the system
kills one that takes all memory.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from mckp.batch import Encode

COLUMNS = ["id", "doc", "text", "tokens", "cuts", "error"]


def documents(count: int) -> list[str]:
    """Return documents of some 540 characters, the same on each machine."""
    from mckp.jsontext import dump

    draw = random.Random(7)
    names = "build cache deploy error failed latest merge node queue retry stage token"
    words = names.split(" ")
    return [
        dump(
            {
                "id": number,
                "branch": draw.choice(words),
                "jobs": [
                    {
                        "name": f"{draw.choice(words)}-{job}",
                        "status": draw.choice(["passed", "passed", "failed"]),
                        "seconds": draw.randrange(2000),
                        "runner": f"r{draw.randrange(9)}",
                    }
                    for job in range(6)
                ],
                "message": " ".join(draw.choices(words, k=16)),
            }
        )
        for number in range(count)
    ]


def through_plain(table: Any, encode: Encode) -> Any:
    """Encode in one loop."""
    return encode(table)


def through_daft(table: Any, encode: Encode) -> Any:
    """Encode in two processes."""
    daft: Any = importlib.import_module("daft")
    kind, whole = daft.DataType.string(), daft.DataType.int64()
    struct = daft.DataType.struct({"text": kind, "tokens": whole, "cuts": kind, "error": kind})

    budget = encode.options["budget"]

    def texts(self: Any, column: Any) -> Any:
        return Encode(budget=budget, kind="json")(column.to_arrow())

    batch: Any = daft.method.batch(return_dtype=struct, unnest=True, batch_size=500)
    kept = type("Encoded", (), {"texts": batch(texts)})
    encoded = daft.cls(use_process=True, max_concurrency=2)(kept)()
    col = daft.col
    frame = daft.from_arrow(table).select(col("id"), col("doc"), encoded.texts(col("doc")))
    return frame.to_arrow()


def through_ray(table: Any, encode: Encode) -> Any:
    """Encode in tasks of eight blocks."""
    ray: Any = importlib.import_module("ray")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    data: Any = importlib.import_module("ray.data")
    data.DataContext.get_current().execution_options.preserve_order = True
    blocks = (
        data.from_arrow(table)
        .repartition(8)
        .map_batches(encode, batch_format="pyarrow", batch_size=500, max_retries=2)
    )
    arrow: Any = importlib.import_module("pyarrow")
    return arrow.concat_tables(list(blocks.iter_batches(batch_format="pyarrow", batch_size=None)))


def through_spark(table: Any, encode: Encode) -> Any:
    """Encode by mapInArrow."""
    sql: Any = importlib.import_module("pyspark.sql")
    spark = (
        sql.SparkSession.builder.master("local[2]")
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", 500)
        .config("spark.ui.enabled", "false")
        .getOrCreate()
    )
    frame = spark.createDataFrame(table).repartition(2)
    schema = "id long, doc string, text string, tokens long, cuts string, error string"

    def encoded(batches: Any) -> Any:
        return map(encode, batches)

    # A sort by Spark would first run all of it once more, to see where to divide the ids.
    return frame.mapInArrow(encoded, schema).toArrow().sort_by("id")


def through_polars(table: Any, encode: Encode) -> Any:
    """Encode a column of a frame."""
    pl: Any = importlib.import_module("polars")
    kinds = {"text": pl.String, "tokens": pl.Int64, "cuts": pl.String, "error": pl.String}

    def encoded(series: Any) -> Any:
        return pl.Series(encode(series))

    called = pl.col("doc").map_batches(encoded, return_dtype=pl.Struct(kinds))
    lazy = pl.from_arrow(table).lazy().with_columns(called.alias("e")).unnest("e")
    return lazy.collect().to_arrow()


def through_duckdb(table: Any, encode: Encode) -> Any:
    """Encode by a function of SQL."""
    duckdb: Any = importlib.import_module("duckdb")
    con = duckdb.connect()
    kind = "STRUCT(text VARCHAR, tokens BIGINT, cuts VARCHAR, error VARCHAR)"
    con.create_function("mckp_encode", encode, ["VARCHAR"], kind, type="arrow")
    query = "select id, doc, unnest(e) from (select *, mckp_encode(doc) as e from docs) order by id"
    con.register("docs", table)
    return con.sql(query).to_arrow_table()


def through_dask(table: Any, encode: Encode) -> Any:
    """Encode partitions of pandas in two processes."""
    dataframe: Any = importlib.import_module("dask.dataframe")
    arrow: Any = importlib.import_module("pyarrow")
    pandas = table.to_pandas()
    frame = dataframe.from_pandas(pandas, npartitions=8)
    meta = {**frame.dtypes.to_dict(), **dict.fromkeys(COLUMNS[2:], "object")}
    meta["tokens"] = "float64"
    rows = frame.map_partitions(_of_pandas, encode, meta=meta).compute(scheduler="processes")
    return arrow.Table.from_pandas(rows, preserve_index=False)


def _of_pandas(frame: Any, encode: Encode) -> Any:
    arrow: Any = importlib.import_module("pyarrow")
    rows = encode(arrow.Table.from_pandas(frame, preserve_index=False)).to_pandas()
    return rows.astype({"tokens": "float64"}).set_index(frame.index)


def through_batch(table: Any, encode: Encode) -> Any:
    """Encode by the command, which writes errors to the same lines."""
    from mckp.jsontext import load

    arrow: Any = importlib.import_module("pyarrow")
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "docs.jsonl"), Path(folder, "out.jsonl")
        source.write_text("\n".join(table["doc"].to_pylist()) + "\n")
        command = [sys.executable, "-m", "mckp", "batch", str(source), "--processes", "2"]
        command += ["--budget", str(encode.options["budget"]), "-o", str(target)]
        subprocess.run(command, check=False)
        lines: list[Any] = [load(line) for line in target.read_text().splitlines()]
    return table.append_column(
        "text", arrow.array([line.get("text") for line in lines], arrow.string())
    ).append_column("error", arrow.array([line.get("error") for line in lines], arrow.string()))


class Watch(threading.Thread):
    """CPU and memory of this process and all that come from it, looked at twice a second.

    An engine's processes often have other parents and groups, but they inherit the environment.
    """

    MARK = "MCKP_BENCH"
    SERVICES = ("java", "resource_tracker")

    def __init__(self, kill: float | None) -> None:
        super().__init__(daemon=True)
        self.kill, self.seconds, self.peak = kill, dict[int, float](), 0.0
        self.killed: int | None = None
        self.over = threading.Event()
        os.environ[self.MARK] = self.mark = str(os.getpid())

    def mine(self) -> list[int]:
        """Return the processes that inherited the mark, and this one."""
        mark, pids = f"{self.MARK}={self.mark}".encode(), [os.getpid()]
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                if mark in (folder / "environ").read_bytes().split(b"\0"):
                    pids.append(int(folder.name))
            except OSError:
                continue
        return pids

    def look(self) -> dict[int, float]:
        """Note what each process has used, and return what it used since the last look."""
        used, memory = dict[int, float](), 0
        for pid in self.mine():
            try:
                stat = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
                lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
            except OSError:
                continue
            seconds = (int(stat[11]) + int(stat[12])) / os.sysconf("SC_CLK_TCK")
            used[pid] = seconds - self.seconds.get(pid, 0)
            self.seconds[pid] = seconds
            memory += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
        self.peak = max(self.peak, memory / 1000)
        return used

    def run(self) -> None:
        """Look until `over` is set; kill the busiest worker once, where that was asked for."""
        while not self.over.wait(0.5):
            used = self.look()
            helpers = {pid for pid in used if not self._works(pid)}
            parents = {self._parent(pid) for pid in used if pid not in helpers} | {os.getpid()}
            workers = [pid for pid in used if pid not in parents | helpers]
            busiest = max(workers, key=used.__getitem__, default=None)
            if busiest is None or self.kill is None or self.killed is not None:
                continue
            if self.seconds[busiest] >= self.kill:
                self.killed = busiest
                os.kill(busiest, signal.SIGKILL)

    @staticmethod
    def _parent(pid: int) -> int:
        try:
            return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            return 0

    def _works(self, pid: int) -> bool:
        try:
            command = Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace")
        except OSError:
            return False
        if "ray" in sys.modules:  # Ray names its workers after what they do
            return command.startswith("ray::") and "Agent" not in command
        return not any(name in command for name in self.SERVICES)


def main() -> None:
    """Print hash, errors, seconds and memory of one engine."""
    engines = [name.removeprefix("through_") for name in globals() if name.startswith("through_")]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("engine", choices=engines)
    parser.add_argument("--documents", type=int, default=2000)
    parser.add_argument("--budget", type=int, default=60)
    parser.add_argument("--bad", action="store_true")
    parser.add_argument("--kill", type=float)
    asked = parser.parse_args()
    arrow: Any = importlib.import_module("pyarrow")
    texts = documents(asked.documents)
    if asked.bad:
        texts[len(texts) // 2] = '{"id": [}'
    table = arrow.table({"id": range(len(texts)), "doc": texts})
    column = None if asked.engine in ("polars", "duckdb") else "doc"
    encode = Encode(column, budget=asked.budget, kind="json")
    watch = Watch(asked.kill)
    watch.start()
    start = time.perf_counter()
    outcome = globals()[f"through_{asked.engine}"](table, encode)
    wall = time.perf_counter() - start
    watch.look()
    watch.over.set()
    used = sum(watch.seconds.values())
    got = outcome["text"].to_pylist()
    digest = hashlib.sha1("\0".join(map(str, got)).encode()).hexdigest()[:12]
    errors = [error for error in outcome["error"].to_pylist() if error]
    size = sum(map(len, texts)) / len(texts)
    print(
        f"{asked.engine}: {len(got)} documents of {size:.0f} characters, {digest}, "
        f"{len(errors)} errors, {used:.1f} s of CPU, {wall:.1f} s, at most {watch.peak:.0f} MB"
        + (f", process {watch.killed} killed" if watch.killed else ""),
        *errors[:1],
        sep="\n  ",
    )


if __name__ == "__main__":
    main()
