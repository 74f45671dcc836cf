"""Names that try to be more than text, in every kind of page, opened in a browser under the page's own policy."""

from __future__ import annotations

import functools
import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from hostile import FINE, REFUSED, Outcome, WrongError

import unconfuse as uc
from unconfuse.report import PageOptions, write_report

KIND = "page"
WORDS = "names that are markup, script, styles, templates or odd letters, in every kind of page, in a browser"
PATIENCE = 120
_FLAGS = ("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync")
_HEAR = """
addEventListener('securitypolicyviolation', e => console.error('CSP ' + e.violatedDirective));
Object.defineProperty(window, 'hacked', {set() { console.error('hacked') }});
"""
_NAMES = (
    "<script>hacked=1</script>",
    "</script><script>hacked=1</script>",
    "<img src=x onerror=hacked=1>",
    "<svg onload=hacked=1>",
    "<!--<script>",
    "-->",
    "]]>",
    "</title><script>hacked=1</script>",
    "</style><style>*{display:none}",
    "javascript:hacked=1",
    "${hacked=1}",
    "{{hacked=1}}",
    "`+(hacked=1)+`",
    "'-(hacked=1)-'",
    '"-(hacked=1)-"',
    '" onmouseover="hacked=1',
    "\\u003cscript>",
    "\u2028hacked=1\u2029",
    "&lt;b&gt;",
    "&#60;b>",
    "<b>bold</b>",
    "<iframe src=//example.invalid>",
    "<meta http-equiv=refresh content=0;url=//example.invalid>",
    "<base href=//example.invalid>",
    "__proto__",
    "constructor",
    "toString",
    "hasOwnProperty",
    "\u202egnp.exe",
    "a\u0300" * 40,
    "x" * 5000,
    "\x00\x07\x1b[31m",
    "\ud83d\ude00",
    "= cmd|' /C calc'!A0",
    "%s%n%x",
    "null",
    "NaN",
    " ",
    ".",
    "<math><mtext></mtext></math>",
)


def missing() -> str:
    """A browser is needed."""
    if not (shutil.which("chromium") or shutil.which("chromium-browser")):
        return "the attack on pages needs chromium, which is not installed"
    try:
        import playwright.sync_api  # noqa: F401
    except ImportError:
        return "the attack on pages needs playwright"
    return ""


@functools.cache
def _browser() -> Any:
    from playwright.sync_api import sync_playwright

    driver = sync_playwright().start()
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    return driver, driver.chromium.launch(executable_path=path, args=list(_FLAGS))


def close() -> None:
    """End the browser, if there is one."""
    if _browser.cache_info().currsize:
        driver, browser = _browser()
        browser.close()
        driver.stop()
        _browser.cache_clear()


def attack(rng: np.random.Generator) -> Outcome:
    """One result with hostile names, as a page that is opened and used."""
    names = [
        str(each).encode("utf-16", "surrogatepass").decode("utf-16") for each in rng.choice(_NAMES, 6, replace=False)
    ]
    kinds = (_two_classes, _classes, _subgroups, _comparison, _card, _confusion)
    try:
        result = kinds[int(rng.integers(len(kinds)))](names, rng)
        page = PageOptions(title=names[4], command=f"unconfuse evaluate {names[5]}")
        with tempfile.TemporaryDirectory(prefix="unconfuse-attack-") as folder:
            _opened(write_report(result, Path(folder) / "page.html", page), names)
    except uc.UnconfuseError:
        return REFUSED
    return FINE


def _rows(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    y = np.arange(40) % 2
    return y, np.clip(0.3 * y + 0.7 * rng.random(40), 0, 1)


def _two_classes(names: list[str], rng: np.random.Generator) -> Any:
    y, s = _rows(rng)
    labels = np.array(names[:2], dtype=object)[y]
    return uc.evaluate(labels, s, positive=names[1], name=names[2], n_resamples=100).with_changes(source=names[3])


def _classes(names: list[str], rng: np.random.Generator) -> Any:
    truth, scores = rng.integers(0, 3, 40), rng.dirichlet([1, 1, 1], 40)
    labels = np.array(names[:3], dtype=object)[truth]
    return uc.evaluate(labels, scores, classes=names[:3], name=names[3], n_resamples=100)


def _subgroups(names: list[str], rng: np.random.Generator) -> Any:
    y, s = _rows(rng)
    by = {names[0]: np.array(names[1:4], dtype=object)[rng.integers(0, 3, 40)]}
    return uc.evaluate(y, s, by=by, n_resamples=100)


def _comparison(names: list[str], rng: np.random.Generator) -> Any:
    y, s = _rows(rng)
    return uc.compare(y, {names[0]: s, names[1]: rng.random(40), names[2]: 1 - s}, n_resamples=100)


def _card(names: list[str], rng: np.random.Generator) -> Any:
    return uc.threshold_card(*_rows(rng), costs={names[0]: (1, 10), names[1]: (5, 1)}, n_resamples=20)


def _confusion(names: list[str], rng: np.random.Generator) -> Any:
    return uc.evaluate_confusion(rng.integers(1, 20, (3, 3)), classes=names[:3], n_resamples=100)


def _opened(path: Path, names: list[str]) -> None:
    """Open the page, press what can be pressed, and hear every complaint."""
    complaints: list[str] = []
    context = _browser()[1].new_context()
    try:
        context.add_init_script(_HEAR)
        page = context.new_page()
        page.on("console", lambda said: complaints.append(said.text) if said.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on(
            "request", lambda sent: sent.url.startswith(("file:", "about:", "data:")) or complaints.append(sent.url)
        )
        page.on("dialog", lambda dialog: (complaints.append(dialog.message), dialog.dismiss()))
        page.goto(path.as_uri())
        page.evaluate(
            "() => { for (const each of document.querySelectorAll('input,select,summary,button:not([download])')) {"
            " each.dispatchEvent(new Event('input', {bubbles: true}));"
            " each.dispatchEvent(new Event('change', {bubbles: true}));"
            " each.dispatchEvent(new MouseEvent('mouseover', {bubbles: true})) } }"
        )
        elements = page.evaluate(
            "() => document.querySelectorAll('script, iframe, base, meta[http-equiv], img').length"
        )
    finally:
        context.close()
    if complaints:
        raise WrongError(f"{complaints[:3]} from a page with the names {names}")
    if elements > _ordinary():
        raise WrongError(f"{elements} scripts, frames and pictures in a page with the names {names}")


@functools.cache
def _ordinary() -> int:
    """How many such elements a page has when all names are plain."""
    with tempfile.TemporaryDirectory(prefix="unconfuse-attack-") as folder:
        path = write_report(uc.evaluate([0, 1, 0, 1], [0.1, 0.4, 0.5, 0.9]), Path(folder) / "page.html")
        page = _browser()[1].new_page()
        page.goto(path.as_uri())
        found = page.evaluate("() => document.querySelectorAll('script, iframe, base, meta[http-equiv], img').length")
        page.close()
    return int(found)
