"""Runs in a process of its own, with one Spark session: does what its scenario says and writes what came out.

A process for each kind of session, because a classic and a Connect session cannot live in one.
"""

from __future__ import annotations

import os
import pickle
import shutil
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

import unconfuse as uc
from unconfuse.ingest import read
from unconfuse.ingest._spark_session import frame_of_files
from unconfuse.ingest.sources.spark import SparkPath

N = 1200
EXACT = ["auroc", "average_precision", "brier", "accuracy", "precision"]
BANDS = {"a": np.array([0.8, 0.5, 0.3, -1.0]), "b": np.array([0.6, -1.0])}


def data() -> dict[str, Any]:
    rng = np.random.default_rng(7)
    y = rng.random(N) < 0.3
    latent = rng.normal(size=N)

    def probability(x: Any) -> Any:
        return 1 / (1 + np.exp(-x))

    return {
        "y": y.astype(np.int64),
        "word": np.where(y, "yes", "no"),
        "a": probability(y + latent).round(2),
        "b": probability(y + 0.5 * latent + rng.normal(size=N)),
        "c": probability(0.5 * y + rng.normal(size=N)).round(1),
        "w": rng.integers(0, 4, N),
        "f": rng.random(N),
        "g": rng.integers(0, 40, N),
        "id": np.arange(N) + 10_000,
        "zero": np.where(rng.random(N) < 0.5, -0.0, 0.0),
        "sex": np.array(["F", "M", None, " M "], dtype=object)[rng.integers(0, 4, N)],
        "site": rng.integers(8, 11, N),
        **classes(),
    }


def classes() -> dict[str, Any]:
    """Three classes: probabilities `p_*`, other scores with many ties `q_*`, two columns `r_*`, and decisions `hat`."""
    rng = np.random.default_rng(8)
    truth = rng.integers(0, 3, N)
    latent = 1.2 * np.eye(3)[truth] + rng.normal(size=(N, 3))
    stated = np.exp(latent) / np.exp(latent).sum(axis=1, keepdims=True)
    names = np.array(["cat", "dog", "fox"])
    half = stated[:, 1].round(1)
    return {
        "kind": names[truth],
        "hat": names[np.where(rng.random(N) < 0.7, truth, (truth + 1) % 3)],
        "is_dog": (truth == 1).astype(np.int64),
        "r_0": 1 - half,
        "r_1": half,
        **{f"p_{name}": stated[:, k] for k, name in enumerate(names)},
        **{f"q_{name}": latent[:, k].round() for k, name in enumerate(names)},
    }


SEVERAL = {
    "probabilities": {"label": "kind", "scores": "p_*"},
    "scores with ties": {"label": "kind", "scores": "q_*", "weight": "w"},
    "two classes": {"label": "is_dog", "scores": "r_*"},
    "decisions": {"label": "kind", "predicted": "hat", "weight": "w"},
    "decisions in groups": {"label": "kind", "predicted": "hat", "group": "g"},
    "decisions beside scores": {"label": "kind", "scores": "p_*", "predicted": "hat", "classes": ["fox", "cat", "dog"]},
}
BY = {"one column": {"by": "sex"}, "two columns, weighted": {"by": ["sex", "site"], "weight": "w"}}


def frames(spark: Any, columns: dict[str, Any], partitions: Any = (3,)) -> dict[str, Any]:
    order = np.random.default_rng(1).permutation(N)
    plain = spark.createDataFrame(pa.table(columns))
    shuffled = spark.createDataFrame(pa.table({name: each[order] for name, each in columns.items()}))
    return {"as it is": plain} | {f"shuffled, {n}": shuffled.repartition(n) for n in partitions}


def numbers(found: Any) -> dict[str, Any]:
    """Value and limits of every metric."""
    return {name: (each.value, each.low, each.high) for name, each in found.items()}


def subgroups(found: Any) -> dict[str, Any]:
    return {"(everyone)": numbers(found), **{name: numbers(each) for name, each in found.subgroups.items()}}


def judged(frame: Any, **options: Any) -> dict[str, Any]:
    """What is said of several classes, as plain values."""
    found: Any = uc.evaluate(frame, n_resamples=200, **options)
    return {
        "estimates": {name: (*numbers(found)[name], each.method, each.undefined) for name, each in found.items()},
        "confusion": found.confusion.as_dict(),
        "findings": [each.sentence for each in found.findings],
        "classes": {name: numbers(found.one_vs_rest(name)) for name in found.classes},
        "per class": {end: getattr(found.per_class(), end) for end in ("values", "low", "high")},
    }


def bounds(frame: Any, **options: Any) -> dict[str, Any]:
    found = uc.evaluate(frame, label="y", score="b", bins=64, n_resamples=200, **options)
    return {name: each.binning_bounds for name, each in found.items()}


def sample(source: Any, score: Any, *, label: str = "y", edges: tuple[float, ...] = (), **words: Any) -> Any:
    """The cases, which stay on the cluster."""
    return read(uc.Data(source, label=label, score=score, **words), edges=edges)


def columns_of(table: Any) -> tuple[Any, ...]:
    return table.score, table.positives, table.negatives, table.highest


def comparison(frame: Any, **options: Any) -> list[dict[str, Any]]:
    return uc.compare(frame, label="y", **options).rows()


def common(spark: Any) -> dict[str, Any]:
    """What must come out the same in every kind of session."""
    given = frames(spark, data())
    frame = given["as it is"]
    rows = {name: sample(each, ["a", "b", "zero"], weight="w") for name, each in given.items()}
    return {
        "weighted": {name: {m: columns_of(each.table(m)) for m in each.models} for name, each in rows.items()},
        "evaluate": uc.evaluate(frame, label="y", score="a").as_dict(),
        "compare": comparison(frame, score=["a", "b"], metrics=["auroc", "accuracy", "mcc"]),
        "bounded": columns_of(uc.score_table(frame, label="y", score="b", bins=64)),
        "grouped": sample(frame, ["a", "b"], group="g").replicates(BANDS, 120, 3),
    }


def local(spark: Any) -> dict[str, Any]:
    given = frames(spark, data(), (1, 3))
    frame = given["as it is"].cache()
    ends = ("shuffled, 1", "shuffled, 3")
    return {
        **common(spark),
        "fractions": {
            name: columns_of(sample(given[name], "b", label="word", weight="f", positive="yes").table())
            for name in ends
        },
        "usual metrics": comparison(frame, score=["a", "b"]),
        "compared in any order": [comparison(given[name], score=["a", "b"], metrics=EXACT) for name in ends],
        "joined comparison": comparison(frame, score=["a", "b"], metrics=EXACT, max_distinct=2000),
        "joined comparison, weighted": comparison(
            frame, score=["a", "b"], weight="w", metrics=["auroc", "brier"], max_distinct=2000
        ),
        "binned comparison": [
            comparison(frame, score=["a", "b"], metrics=EXACT, bins=128, max_distinct=most) for most in (2400, 2000)
        ],
        "passes": passes(frame),
        "resampled comparison": comparison(frame, score={"one": "a", "two": "b"}, metrics=["ks"], n_resamples=400),
        "weighted comparison": comparison(frame, score=["a", "b", "c"], weight="w", metrics=["auroc", "brier"]),
        "sampled": uc.evaluate(frame, label="y", score="a", sampling_weight="f", n_resamples=200).as_dict(),
        "sampled comparison": comparison(
            frame, score=["a", "b"], sampling_weight="f", metrics=["auroc", "brier", "mcc"]
        ),
        "clustered comparison": comparison(
            frame, score=["a", "b"], group="g", metrics=["auroc", "mcc"], n_resamples=400
        ),
        "baseline": comparison(frame, score=["a"], baselines=["majority"], metrics=["accuracy"]),
        "card": uc.threshold_card(frame, label="y", score="a", n_resamples=100)["youden"].threshold.value,
        "indistinguishability": uc.indistinguishability(frame, label="y", score="b").threshold.value,
        "clustered": uc.evaluate(frame, label="y", score="a", group="g", n_resamples=400, metrics=["auroc"]).as_dict(),
        "bins": {name: columns_of(uc.score_table(given[name], label="y", score="b", bins=64)) for name in ends},
        "bounds": bounds(frame),
        "too many": _limited(frame),
        "by": {
            name: subgroups(uc.evaluate(frame, label="y", score="b", n_resamples=200, **options))
            for name, options in BY.items()
        },
        "bounded by": {
            name: {metric: each.binning_bounds for metric, each in part.items()}
            for name, part in uc.evaluate(
                frame, label="y", score="b", bins=64, by="sex", n_resamples=200
            ).subgroups.items()
        },
        "several": {name: judged(frame, **options) for name, options in SEVERAL.items()},
        "replicates": {
            kind: {name: sample(given[name], ["a", "b"], **words).replicates(BANDS, 120, 3) for name in ends}
            for kind, words in (("content", {}), ("id", {"id": "id"}), ("group", {"group": "g"}))
        },
        "skipped": skipped(spark),
        "weight as copies": sample(frame, ["a", "b"], weight="w").replicates(BANDS, 120, 3),
        "errors": errors(spark),
        "command line": command_line(),
    }


def passes(frame: Any) -> dict[str, int]:
    """How many questions are put to the executors."""
    kind, asked = type(frame.sparkSession), []
    original = kind.sql

    def noted(self: Any, query: str, **frames: Any) -> Any:
        asked.append(query)
        return original(self, query, **frames)

    def counted(run: Any) -> int:
        asked.clear()
        run()
        return len(asked)

    kind.sql = noted
    try:
        return {
            "evaluate": counted(lambda: uc.evaluate(frame, label="y", score="b", n_resamples=200)),
            "bins": counted(lambda: uc.evaluate(frame, label="y", score="b", bins=128, n_resamples=200)),
            "few bins": counted(lambda: uc.evaluate(frame, label="y", score="b", bins=16, n_resamples=200)),
            "compare": counted(lambda: comparison(frame, score=["a", "b"])),
        }
    finally:
        kind.sql = original


def command_line() -> dict[str, str]:
    """Commands in this very process: they use the session that is there, and leave it open."""
    from click.testing import CliRunner

    from unconfuse.cli import cli

    columns, file = data(), Path(sys.argv[2]).parent / "cases.csv"
    names = ["y", "a", "b", "sex", "kind", "hat"]
    lines = [
        ",".join("" if each is None else str(each) for each in row)
        for row in zip(*(columns[name].tolist() for name in names), strict=True)
    ]
    file.write_text("\n".join([",".join(names), *lines]), encoding="utf-8")
    asked = {
        "compare": "compare {} --label y --score a --score b --metric auroc --json",
        "by": "evaluate {} --label y --score b --by sex --metric auroc --json",
        "several": "evaluate {} --label kind --predicted hat --metric accuracy --json",
    }

    def run(words: str) -> str:
        done = CliRunner().invoke(cli, [*words.format(file).split(), "--spark", "local[2]"])
        assert done.exit_code == 0, done.output
        return done.stdout

    return {name: run(words) for name, words in asked.items()}


def skipped(spark: Any) -> dict[str, Any]:
    columns = data()
    broken = {**columns, "a": columns["a"].copy(), "b": columns["b"].copy(), "w": columns["w"].astype(float)}
    broken["a"][:3], broken["b"][2:7], broken["w"][9] = np.nan, np.inf, -1.0
    frame = spark.createDataFrame(pa.table(broken)).selectExpr("IF(id = 10020, NULL, y) AS y", "a", "b", "w")
    rows = sample(frame, ["a", "b"], weight="w", on_bad_row="skip")
    return {"counts": dict(rows.skipped.counts), "tables": {name: columns_of(rows.table(name)) for name in "ab"}}


def _limited(frame: Any) -> tuple[Any, ...]:
    return columns_of(sample(frame, "b", max_distinct=1000, edges=(0.5,)).table())


def errors(spark: Any) -> dict[str, tuple[str, str]]:
    columns = data()
    folder = Path(sys.argv[2]).parent

    def frame(**changed: Any) -> Any:
        return spark.createDataFrame(pa.table({**columns, **changed}))

    def with_bad(name: str, value: float, rows: int = 3) -> Any:
        changed = columns[name].astype(np.float64)
        changed[:rows] = value
        return frame(**{name: changed})

    def vanished() -> Any:
        frame().write.parquet(str(folder / "gone"))
        gone, _ = frame_of_files(spark, str(folder / "gone" / "*.parquet"))
        shutil.rmtree(folder / "gone")
        return uc.score_table(gone, label="y", score="a")

    def csv() -> Any:
        Path(folder, "bad.csv").write_text("y,p\n1,0.5\n0,0.25\n1,n/a\n", encoding="utf-8")
        return sample(SparkPath(str(folder / "bad.csv"), spark), "p")

    wrong = {
        "null": lambda: uc.score_table(frame().selectExpr("y", "IF(id < 10004, NULL, a) AS a"), label="y", score="a"),
        "nan": lambda: uc.score_table(with_bad("a", np.nan), label="y", score="a"),
        "infinite": lambda: uc.compare(with_bad("a", -np.inf), label="y", score=["b", "a"]),
        "huge whole numbers": lambda: uc.score_table(
            frame().selectExpr("y", "9007199254740992 + CAST(id AS BIGINT) AS a"), label="y", score="a"
        ),
        "negative weight": lambda: uc.score_table(with_bad("w", -2.0), label="y", score="a", weight="w"),
        "no weight": lambda: uc.score_table(frame(w=columns["w"] * 0), label="y", score="a", weight="w"),
        "missing label": lambda: uc.score_table(with_bad("y", np.nan), label="y", score="a"),
        "missing group": lambda: uc.evaluate(
            frame().selectExpr("y", "a", "IF(g = 3, NULL, g) AS g"), label="y", score="a", group="g"
        ),
        "which label": lambda: uc.score_table(frame(), label="word", score="a"),
        "too many labels": lambda: uc.score_table(frame(), label="id", score="a"),
        "text": lambda: uc.score_table(frame(), label="y", score="word"),
        "no column": lambda: uc.score_table(frame(), label="y", score="A"),
        "repeated id": lambda: uc.compare(frame(), label="y", score=["a", "b"], id="g"),
        "one class": lambda: uc.compare(frame().where("y = 1"), label="y", score=["a", "b"]),
        "no rows": lambda: uc.score_table(frame().where("y = 5"), label="y", score="a"),
        "vanished": vanished,
        "failing column": lambda: uc.score_table(
            frame().selectExpr("y", "CAST(word AS DOUBLE) AS a"), label="y", score="a"
        ),
        "csv": csv,
        "no file": lambda: frame_of_files(spark, str(folder / "nothing.parquet")),
        "fractions": lambda: uc.compare(frame(), label="y", score=["a", "b"], weight="f", metrics=["ks"]),
        "subgroups of ids": lambda: uc.evaluate(frame(), label="y", score="a", by="id"),
        "subgroups in groups": lambda: uc.evaluate(frame(), label="y", score="a", by="sex", group="g"),
        "values apart": lambda: uc.evaluate(frame(), label="y", score="a", by=columns["site"]),
        "unknown class": lambda: uc.evaluate(frame(), label="kind", scores={"cat": "p_cat", "dog": "p_dog"}),
        "missing class score": lambda: uc.evaluate(with_bad("p_dog", np.nan), label="kind", scores="p_*"),
        "missing decision": lambda: uc.evaluate(
            frame().selectExpr("kind", "IF(g = 3, NULL, hat) AS hat"), label="kind", predicted="hat"
        ),
        "bad weight of decisions": lambda: uc.evaluate(with_bad("w", -1.0), label="kind", predicted="hat", weight="w"),
        "classes in groups": lambda: uc.evaluate(frame(), label="kind", scores="p_*", group="g"),
        "case-control groups": lambda: uc.compare(
            frame(), label="y", score=["a", "b"], group="g", design="case-control"
        ),
    }
    return {name: _complaint(run) for name, run in wrong.items()}


def _complaint(run: Any) -> tuple[str, str]:
    try:
        run()
    except Exception as error:
        return type(error).__name__, str(error)
    return "", ""


def connect(spark: Any) -> dict[str, Any]:
    return {**common(spark), "errors": {"no file": errors_of_connect(spark)}}


def errors_of_connect(spark: Any) -> tuple[str, str]:
    return _complaint(lambda: uc.score_table(spark.read.parquet("/nowhere.parquet"), label="y", score="a"))


def cluster(spark: Any) -> dict[str, Any]:
    """Two executors; then one of them is killed in the middle of the work."""
    return {**common(spark), "killed": killed(spark)}


def killed(spark: Any) -> dict[str, Any]:
    def slowly(batches: Any) -> Any:
        for batch in batches:
            time.sleep(0.25)
            yield batch

    columns = data()
    frame = spark.createDataFrame(pa.table(columns)).repartition(16)
    slow = frame.mapInArrow(slowly, frame.schema)
    before = executors(spark)
    found: dict[str, Any] = {"killed": []}

    def kill() -> None:
        found["killed"] = before[:1]
        subprocess.run(["kill", "-9", str(before[0])], check=True)

    timer = threading.Timer(2.0, kill)
    timer.start()
    rows = sample(slow, ["a", "b"], weight="w")
    timer.join()
    found["tables"] = {name: columns_of(rows.table(name)) for name in ("a", "b")}
    found["patterns"] = rows.with_thresholds({"a": 0.5, "b": 0.5}).joint_counts().weight
    found["before"], found["after"] = before, executors(spark)
    return found


def stalled(spark: Any) -> dict[str, Any]:
    """A cluster without a single worker: nothing would ever run."""
    spark.conf.set("spark.unconfuse.timeout", "4")
    frame = spark.range(1000).selectExpr("id % 2 AS y", "rand(1) AS a")
    start = time.monotonic()
    said = _complaint(lambda: uc.score_table(frame, label="y", score="a"))
    return {"said": said, "seconds": time.monotonic() - start}


def master() -> tuple[Any, str]:
    """A Spark master on a free port, and its address."""
    import pyspark

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    home = Path(pyspark.__file__).parent
    command = [str(home / "bin" / "spark-class"), "org.apache.spark.deploy.master.Master", "--host", "127.0.0.1"]
    process = subprocess.Popen(
        [*command, "--port", str(port), "--webui-port", "0"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    for _ in range(600):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                break
        time.sleep(0.1)
    return process, f"spark://127.0.0.1:{port}"


def executors(spark: Any) -> list[int]:
    """Process ids of the executors of this very application."""
    listed = subprocess.run(["ps", "-eo", "pid,args", "-ww"], capture_output=True, text=True, check=True).stdout
    own = spark.sparkContext.applicationId
    lines = [line for line in listed.splitlines() if "CoarseGrainedExecutorBackend" in line and own in line]
    return [int(line.split()[0]) for line in lines]


def session(kind: str, address: str = "local[2]") -> Any:
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder
    if kind == "connect":
        builder = builder.remote("local[2]")
    else:
        builder = builder.master("local-cluster[2,1,1024]" if kind == "cluster" else address)
    light = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"  # the data are small: start fast rather than run fast
    settings = {
        "ui.enabled": "false",
        "ui.showConsoleProgress": "false",
        "sql.shuffle.partitions": "2",
        "driver.memory": "1g",
        "executor.memory": "1g",
        "log.level": "OFF",
        "sql.adaptive.enabled": "false",
        "sql.codegen.wholeStage": "false",
        "sql.codegen.factoryMode": "NO_CODEGEN",
        "driver.extraJavaOptions": light,
        "executor.extraJavaOptions": light,
    }
    for key, value in settings.items():
        builder = builder.config(f"spark.{key}", value)
    return builder.getOrCreate()


if __name__ == "__main__":
    process, address = master() if sys.argv[1] == "stalled" else (None, "local[2]")
    try:
        spark = session(sys.argv[1], address)
        run = {"local": local, "connect": connect, "cluster": cluster, "stalled": stalled}[sys.argv[1]]
        found = run(spark)
        spark.stop()
    finally:
        if process is not None:
            process.terminate()
            process.wait(30)
    Path(sys.argv[2]).write_bytes(pickle.dumps(found))
