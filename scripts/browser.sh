#!/bin/sh
# The tests drive a real Chromium: use the one that is here, else install Debian's.
set -eu
for name in chromium chromium-browser google-chrome; do
  if command -v "$name" >/dev/null 2>&1; then exit 0; fi
done
run=""
[ "$(id -u)" = 0 ] || run="sudo"
if ! command -v apt-get >/dev/null 2>&1; then
  echo "No Chromium and no apt-get here: install chromium and run again." >&2; exit 1
fi
echo "[setup] browser: installing chromium ..."
$run apt-get update -qq >/dev/null
DEBIAN_FRONTEND=noninteractive $run apt-get install -y -qq chromium >/dev/null
