#!/bin/sh
# Builds the kernels with sanitizers into a temporary directory; runs their tests there, and then the attack on them
# (tests/attack/attack_kernels.py) for some time. Usage: tests/kernels/sanitize.sh [python] [sanitizers] [seconds]
#   address,undefined (the default): memory that is not the kernels' own, and what C++ leaves undefined
#   thread: threads that touch the same memory
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
python=${1:-$root/.venv/bin/python}
kinds=${2:-address,undefined}
seconds=${3:-60}
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

"$python" -m pip install --quiet --no-build-isolation --no-deps --target "$place/site" \
    -C build-dir="$place/build" -C cmake.define.UNCONFUSE_SANITIZE="$kinds" "$root"

case $kinds in
thread) libraries=$(g++ -print-file-name=libtsan.so) ;;
*) libraries="$(g++ -print-file-name=libasan.so) $(g++ -print-file-name=libubsan.so)" ;;
esac

# The finder of an editable install would hide the sanitized build, so it is taken out before pytest starts. Threads of
# NumPy's own libraries were not built with ThreadSanitizer, so they stay at one.
LD_PRELOAD="$libraries" ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1 \
TSAN_OPTIONS=halt_on_error=1 OPENBLAS_NUM_THREADS=1 PYTHONPATH="$place/site" PYTHONDONTWRITEBYTECODE=1 \
"$python" - "$place/site" "$root/tests" "$seconds" <<'PYTHON'
import sys, time
site, tests, seconds = sys.argv[1:]
sys.meta_path = [finder for finder in sys.meta_path if "ScikitBuild" not in type(finder).__name__]
import pytest
import unconfuse._kernels._native as native
assert native.__file__.startswith(site), native.__file__
failed = pytest.main([f"{tests}/kernels", "-q", "-p", "no:cacheprovider", "--rootdir", f"{tests}/kernels"])
if failed:
    sys.exit(failed)
sys.path.insert(0, f"{tests}/attack")
import attack_kernels
from hostile import BAD, verdict_of
until, number, inputs, broken = time.time() + float(seconds), 0, 0, 0
while time.time() < until:
    outcome = verdict_of(attack_kernels, 1, number)
    if outcome.verdict in BAD:
        broken += 1
        print(f"kernels --seed 1 --input {number}: {outcome.verdict}\n{outcome.told}")
    number, inputs = number + 1, inputs + outcome.inputs
print(f"the attack on the kernels: {inputs:,} native calls, {broken} broken")
sys.exit(broken > 0)
PYTHON
