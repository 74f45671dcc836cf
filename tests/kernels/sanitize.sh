#!/bin/sh
# Builds the kernels with AddressSanitizer and UndefinedBehaviorSanitizer into a temporary directory and runs their
# tests there. Usage: tests/kernels/sanitize.sh [python]
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
python=${1:-$root/.venv/bin/python}
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

"$python" -m pip install --quiet --no-build-isolation --no-deps --target "$place/site" \
    -C build-dir="$place/build" -C cmake.define.UNCONFUSE_SANITIZE=ON "$root"

# The finder of an editable install would hide the sanitized build, so it is taken out before pytest starts.
LD_PRELOAD="$(g++ -print-file-name=libasan.so) $(g++ -print-file-name=libubsan.so)" \
ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 PYTHONPATH="$place/site" PYTHONDONTWRITEBYTECODE=1 \
"$python" - "$place/site" "$root/tests/kernels" <<'PYTHON'
import sys
sys.meta_path = [finder for finder in sys.meta_path if "ScikitBuild" not in type(finder).__name__]
import pytest
import unconfuse._kernels._native as native
assert native.__file__.startswith(sys.argv[1]), native.__file__
sys.exit(pytest.main([sys.argv[2], "-q", "-p", "no:cacheprovider", "--rootdir", sys.argv[2]]))
PYTHON
