#!/usr/bin/env bash
# Runs the gate, writes the step summary and the verdict, and ends as the gate does.
set -uo pipefail

eval "words=($(python3 -c 'import os, shlex; print(shlex.join(shlex.split(os.environ.get("ARGUMENTS", ""))))'))"
[ -n "${BASELINE:-}" ] && words+=(--baseline "$BASELINE")

unconfuse gate "$NEW" "${words[@]}" --junit "$JUNIT" --format markdown >> "${GITHUB_STEP_SUMMARY:-/dev/stdout}"
code=$?

case $code in
  0) verdict="pass" ;;
  3) verdict="worse" ;;
  4) verdict="cannot tell" ;;
  *) exit "$code" ;;
esac
echo "verdict=$verdict" >> "${GITHUB_OUTPUT:-/dev/stdout}"
if [ "$code" = 4 ] && [ "${CANNOT_TELL:-fail}" = pass ]; then exit 0; fi
exit "$code"
