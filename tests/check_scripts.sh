#!/bin/sh
# The page's scripts and style sheet: formatted by prettier, their types checked by TypeScript. The tools go into
# build/tools, in the versions of package.json. Where they cannot be had, this says so; with CI=true it fails then.
set -eu

TOOLS=build/tools
SOURCES=src/unconfuse/{explorer,serve}

unchecked() {
  echo "the page's scripts are not checked: $1"
  [ "${CI:-}" != true ] || exit 1
  exit 0
}

command -v npm >/dev/null || unchecked "npm is not installed. On Debian: apt-get install npm"

missing=""
for each in $(sed -n 's/^    "\([a-z]*\)": "\([0-9.]*\)",\{0,1\}$/\1@\2/p' package.json); do
  grep -qs "\"version\": \"${each#*@}\"" "$TOOLS/node_modules/${each%@*}/package.json" || missing="$missing $each"
done
if [ -n "$missing" ]; then
  mkdir -p "$TOOLS"
  echo "installing into $TOOLS:$missing"
  npm install --silent --no-audit --no-fund --save-exact --prefix "$TOOLS" $missing >/dev/null ||
    unchecked "npm could not install$missing"
fi

"$TOOLS/node_modules/.bin/prettier" --check --log-level warn package.json tsconfig.json .prettierrc \
  "$SOURCES/**/*.{js,ts,css}"
"$TOOLS/node_modules/.bin/tsc" --project tsconfig.json
echo "the page's scripts are formatted and their types hold"
