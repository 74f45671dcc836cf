#!/bin/sh
# What the tests need besides Python packages. As root on Debian it is installed; otherwise the tests that need a
# missing tool are skipped, and this says which.
set -eu

TOOLS=build/tools   # npm's axe-core goes there: the accessibility rules that the browser tests run

missing=""
command -v java >/dev/null || missing="$missing default-jre-headless"
command -v chromium >/dev/null || missing="$missing chromium"
command -v npm >/dev/null || missing="$missing npm"
ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || missing="$missing postgresql"

if [ -n "$missing" ]; then
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "installing for the tests:$missing"
    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing; } \
      >/dev/null || echo "could not install$missing: tests that need them are skipped"
  else
    echo "not installed:$missing: tests that need them are skipped. On Debian: apt-get install$missing"
  fi
fi

if [ ! -f "$TOOLS/node_modules/axe-core/axe.min.js" ] && command -v npm >/dev/null; then
  mkdir -p "$TOOLS"
  npm install --silent --no-audit --no-fund --prefix "$TOOLS" axe-core >/dev/null || echo "could not install axe-core"
fi
