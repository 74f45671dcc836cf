"""MLflow: what is logged to a real tracking server comes back, the evaluator is found, the page works in its iframe."""

import json
import os
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))
from servers import mlflow_is_missing, mlflow_server

if mlflow_is_missing():
    pytest.skip(mlflow_is_missing(), allow_module_level=True)

import unconfuse as uc
from unconfuse._errors import ArgumentError, InputError
from unconfuse.report import read_payload

pytestmark = [pytest.mark.filterwarnings("ignore:::mlflow", "ignore::DeprecationWarning", "ignore::FutureWarning")]

RNG = np.random.default_rng(4)
Y = (RNG.random(300) < 0.3).astype(int)
P = np.round(1 / (1 + np.exp(-(1.6 * Y - 1.2 + RNG.normal(size=300)))), 3)


@pytest.fixture(scope="module")
def mlflow():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import mlflow

        address = mlflow_server()
    before = os.environ.get("MLFLOW_TRACKING_URI")
    os.environ["MLFLOW_TRACKING_URI"] = address
    os.environ["MLFLOW_DISABLE_TELEMETRY"] = "true"
    mlflow.set_tracking_uri(address)
    yield mlflow
    os.environ.pop("MLFLOW_TRACKING_URI")
    if before is not None:
        os.environ["MLFLOW_TRACKING_URI"] = before


def artifact(mlflow, run, name, folder):
    return Path(
        mlflow.artifacts.download_artifacts(run_id=run, artifact_path=f"unconfuse/{name}", dst_path=str(folder))
    )


def test_a_round_trip(mlflow, tmp_path):
    ev = uc.evaluate(Y, P, metrics=["auroc", "sensitivity", "lr_positive", uc.partial_auroc(0.1)], threshold=0.4)
    with mlflow.start_run() as run:
        assert ev.log_to_mlflow() == run.info.run_id
    found = mlflow.get_run(run.info.run_id).data
    for name, each in ev.items():
        key = name.replace("(", "_").replace(")", "")
        assert found.metrics[key] == each.value
        assert (found.metrics[f"{key}.low"], found.metrics[f"{key}.high"]) == (each.low, each.high)
    assert found.tags["unconfuse.version"] == uc.__version__
    assert read_payload(artifact(mlflow, run.info.run_id, "payload.json", tmp_path)) == json.loads(
        json.dumps(ev.payload())
    )
    assert "<html" in artifact(mlflow, run.info.run_id, "report.html", tmp_path).read_text(encoding="utf-8")


def test_a_run_of_its_own_prefixes_and_what_has_no_value(mlflow, tmp_path):
    perfect = uc.evaluate(Y, Y.astype(float), metrics=["auroc", "lr_positive", "diagnostic_odds_ratio"])
    run = perfect.log_to_mlflow(prefix="train.")
    assert mlflow.active_run() is None
    assert uc.evaluate(Y, P, metrics=["auroc"]).log_to_mlflow(run_id=run, prefix="test.", page=False) == run
    found = mlflow.get_run(run).data
    assert found.metrics["train.auroc"] == 1.0 and found.metrics["test.auroc"] < 1.0
    assert not any("lr_positive" in key for key in found.metrics)
    assert "lr_positive" in json.loads(found.tags["train.unconfuse.undefined"])
    logged = {each.path for each in mlflow.MlflowClient().list_artifacts(run, "unconfuse")}
    assert logged == {"unconfuse/train.payload.json", "unconfuse/train.report.html", "unconfuse/test.payload.json"}


def test_several_classes_subgroups_and_counts(mlflow):
    classes = RNG.integers(0, 3, 90)
    scores = np.full((90, 3), 0.2) + 0.4 * np.eye(3)[classes]
    for ev in (
        uc.evaluate(classes, scores, metrics=["accuracy"]),
        uc.evaluate(Y, P, by=np.arange(300) % 2, metrics=["auroc"]),
        uc.evaluate_counts(tp=9, fp=1, fn=2, tn=30, metrics=["accuracy"]),
    ):
        name = next(iter(ev))
        assert mlflow.get_run(ev.log_to_mlflow()).data.metrics[name] == ev[name].value


def test_a_run_that_does_not_exist_is_refused(mlflow):
    with pytest.raises(InputError, match="MLflow does not take"):
        uc.evaluate(Y, P, metrics=["auroc"]).log_to_mlflow(run_id="0" * 32)


@pytest.mark.parametrize("words", [{"page": (1, 2)}, {"prefix": 3}, {"prefix": "a(b"}, {"run_id": 5}, {"page": "no"}])
def test_what_makes_no_sense_is_refused(words):
    with pytest.raises(ArgumentError, match=next(iter(words))):
        uc.evaluate(Y, P, metrics=["auroc"]).log_to_mlflow(**words)


def test_the_command_logs(mlflow, shell, tmp_path):
    rows = tmp_path / "rows.csv"
    rows.write_text("y,p\n" + "".join(f"{a},{b}\n" for a, b in zip(Y, P, strict=True)))
    result = shell("evaluate", rows, "--label", "y", "--score", "p", "--mlflow", "--json")
    assert result.returncode == 0, result.stderr
    name = result.stderr.decode().split("Logged to run ")[1].split()[0]
    wanted = json.loads(result.stdout)["metrics"]["auroc"]
    found = mlflow.get_run(name).data.metrics
    assert [found["auroc"], found["auroc.low"], found["auroc.high"]] == [wanted["value"], wanted["low"], wanted["high"]]


def evaluated(mlflow, *arguments, **how):
    with mlflow.start_run() as run, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = mlflow.models.evaluate(*arguments, model_type="classifier", evaluators="unconfuse", **how)
    return run.info.run_id, found


def test_the_evaluator_judges_predictions(mlflow):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"y": Y, "p": P, "said": (P >= 0.5).astype(int)})
    settings = {"metrics": ["auroc", "sensitivity"], "threshold": 0.4}
    run, found = evaluated(mlflow, data=frame, targets="y", predictions="p", evaluator_config=settings)
    wanted = uc.evaluate(Y, P, **settings)
    assert found.metrics["auroc"] == mlflow.get_run(run).data.metrics["auroc"] == wanted["auroc"].value
    assert found.metrics["sensitivity.low"] == wanted["sensitivity"].low
    assert set(found.artifacts) == {"payload", "report"}
    assert "<html" in found.artifacts["report"].content
    labels = {"metrics": ["sensitivity"], "positive": 1}
    _, found = evaluated(mlflow, data=frame, targets="y", predictions="said", evaluator_config=labels)
    assert found.metrics["sensitivity"] == uc.evaluate(Y, P, metrics=["sensitivity"])["sensitivity"].value


def test_the_evaluator_judges_models(mlflow):
    pytest.importorskip("sklearn")
    from sklearn.datasets import load_iris, make_classification
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import roc_auc_score

    X, y = make_classification(200, random_state=0)
    model = LogisticRegression(max_iter=1000)
    for features, labels in ((X, y), load_iris(return_X_y=True)):
        fitted = model.fit(features, labels)
        with mlflow.start_run(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            address = mlflow.sklearn.log_model(fitted, name="model", serialization_format="pickle").model_uri
        _, found = evaluated(mlflow, address, data=features, targets=labels)
        scores = fitted.predict_proba(features)
        if len(set(labels)) == 2:
            assert found.metrics["auroc"] == pytest.approx(roc_auc_score(labels, scores[:, 1]), abs=1e-12)
        else:
            assert found.metrics["accuracy"] == pytest.approx(np.mean(fitted.predict(features) == labels), abs=1e-12)


def test_other_kinds_of_models_are_left_to_others():
    from unconfuse.integrations.mlflow_evaluator import UnconfuseEvaluator

    assert UnconfuseEvaluator.can_evaluate(model_type="classifier", evaluator_config={})
    assert not UnconfuseEvaluator.can_evaluate(model_type="regressor", evaluator_config={})


def test_being_found_costs_little():
    """MLflow loads every evaluator when it lists them: what that adds, in CPU time of fresh processes."""
    code = (
        "import warnings; warnings.simplefilter('ignore')\n"
        "import time, mlflow.models\n"
        "start = time.process_time()\n"
        "import unconfuse.integrations.mlflow_evaluator\n"
        "print(time.process_time() - start)"
    )

    def spent():
        return float(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True).stdout)

    assert any(spent() < 0.05 for _ in range(3))


def test_the_page_works_in_a_sandboxed_frame(mlflow, chromium, tmp_path):
    """As MLflow shows HTML: a frame of an opaque origin, without storage and cookies, filled from a blob."""
    run = uc.evaluate(Y, P).log_to_mlflow()
    page = artifact(mlflow, run, "report.html", tmp_path).read_text(encoding="utf-8")
    holder = tmp_path / "holder.html"
    text = json.dumps(page).replace("</", "<\\/")
    holder.write_text(
        "<!doctype html><meta charset='utf-8'><iframe sandbox='allow-scripts' width=1200 height=800></iframe><script>"
        f"const page = new Blob([{text}], {{type: 'text/html'}});"
        "document.querySelector('iframe').src = URL.createObjectURL(page)</script>",
        encoding="utf-8",
    )
    context = chromium.new_context(viewport={"width": 1280, "height": 900})
    complaints = []
    shown = context.new_page()
    shown.on("console", lambda said: complaints.append(said.text) if said.type in ("error", "warning") else None)
    shown.on("pageerror", lambda error: complaints.append(str(error)))
    shown.goto(holder.as_uri())
    frame = shown.frame_locator("iframe")
    frame.locator("svg").first.wait_for(timeout=20_000)
    slider = frame.locator("input[type=range]").first
    before = frame.locator("body").inner_text()
    slider.evaluate("each => { each.value = each.min; each.dispatchEvent(new Event('input', {bubbles: true})) }")
    shown.wait_for_timeout(300)
    after = frame.locator("body").inner_text()
    context.close()
    assert "AUROC" in before and before != after and complaints == []


def test_without_mlflow_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "mlflow", None)
    with pytest.raises(uc.UnconfuseError, match=r"unconfuse\[mlflow\]"):
        uc.evaluate(Y, P, metrics=["auroc"]).log_to_mlflow()
