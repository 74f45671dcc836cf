"""What unconfuse is made of: its dependencies, theirs, and the licences of all; as a table, or as an SBOM (CycloneDX).

    python tests/supply_chain.py --licences             # the table of docs/trust.md
    python tests/supply_chain.py --sbom build/sbom.json

It reads what is installed, so that it says what runs here, not what might.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import re
import time
import uuid
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

_KNOWN = (("Apache", "Apache-2.0"), ("BSD", "BSD-3-Clause"), ("MIT", "MIT"), ("PSF", "PSF-2.0"), ("MPL", "MPL-2.0"))


def closure(name: str = "unconfuse") -> dict[str, Distribution]:
    """A package and all that it cannot run without, by name."""
    found: dict[str, Distribution] = {}
    waiting = [name]
    while waiting:
        each = _plain(waiting.pop())
        if each in found:
            continue
        try:
            found[each] = distribution(each)
        except PackageNotFoundError:  # for another system or another version of Python
            continue
        waiting += [need for need in found[each].requires or () if "extra ==" not in need]
    return dict(sorted(found.items()))


def _plain(requirement: str) -> str:
    return re.split(r"[\s\[;<>=!~(]", requirement, maxsplit=1)[0].lower().replace("_", "-")


def licence_of(package: Distribution) -> str:
    """As the package states it: the expression, the classifiers, or the first line of the text."""
    stated = package.metadata
    if stated.get("License-Expression"):
        return str(stated["License-Expression"])
    classifiers = [each.rpartition(" :: ")[2] for each in stated.get_all("Classifier") or () if each[:9] == "License :"]
    text = " ".join(classifiers) or str(stated.get("License") or "").strip().partition("\n")[0]
    return next((known for word, known in _KNOWN if word in text), text[:60] or "not stated")


def licences() -> str:
    """A table in Markdown."""
    rows = [f"| {name} | {licence_of(each)} |\n" for name, each in closure().items() if name != "unconfuse"]
    return "| package | licence |\n| --- | --- |\n" + "".join(rows)


def sbom() -> dict[str, object]:
    """CycloneDX 1.5: every component with its version, licence and address."""
    parts = closure()
    own = parts.pop("unconfuse")
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, ' '.join(map(_address, parts, parts.values())))}",
        "version": 1,
        "metadata": {"timestamp": _moment().isoformat(timespec="seconds"), "component": _component("unconfuse", own)},
        "components": [_component(name, each) for name, each in parts.items()],
        "dependencies": [{"ref": _address(name, each), "dependsOn": _needs(each)} for name, each in parts.items()]
        + [{"ref": _address("unconfuse", own), "dependsOn": _needs(own)}],
    }


def _moment() -> datetime.datetime:
    """Return the time of the build: now, or what SOURCE_DATE_EPOCH says, so that it can be made again."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    return datetime.datetime.fromtimestamp(int(epoch) if epoch.isdecimal() else time.time(), datetime.UTC)


def _component(name: str, package: Distribution) -> dict[str, object]:
    address, licence = _address(name, package), {"license": {"name": licence_of(package)}}
    kind = "application" if name == "unconfuse" else "library"
    return {
        "type": kind,
        "name": name,
        "version": package.version,
        "purl": address,
        "bom-ref": address,
        "licenses": [licence],
    }


def _address(name: str, package: Distribution) -> str:
    return f"pkg:pypi/{name}@{package.version}"


def _needs(package: Distribution) -> list[str]:
    names = {_plain(need) for need in package.requires or () if "extra ==" not in need}
    return sorted(_address(name, each) for name, each in closure().items() if name in names)


def main() -> None:
    """Print or write what was asked for."""
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("--licences", action="store_true")
    asked.add_argument("--sbom", type=Path)
    given = asked.parse_args()
    if given.licences:
        print(licences(), end="")
    if given.sbom:
        given.sbom.parent.mkdir(parents=True, exist_ok=True)
        given.sbom.write_text(json.dumps(sbom(), indent=2) + "\n", encoding="utf-8")
        print(f"{given.sbom}: {len(closure()) - 1} components")


if __name__ == "__main__":
    main()
