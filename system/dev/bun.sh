#!/usr/bin/env bash
# Makes .toolchain/bin/bun the pinned version of Bun: the machine's own where it is that version, else from npm.
# Changes nothing outside .toolchain.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

version=${1:?usage: system/dev/bun.sh VERSION}
tools=.toolchain

is_pinned() { [ "$("$1" --version 2>/dev/null)" = "$version" ]; }

# The machine's own Bun, or nothing. .toolchain/bin may stand in front of it.
own_bun() {
  local candidate
  while read -r candidate; do
    if [[ $candidate != "$PWD/$tools/"* ]]; then
      echo "$candidate"
      return
    fi
  done < <(type -ap bun)
}

# The binary of the platform's package is tried first: the `bun` package itself holds a placeholder until its install
# script has run, and npm and Bun run no install scripts unless told to.
fetched_bun() {
  local candidate
  for candidate in "$PWD/$tools"/node_modules/@oven/bun-linux-*/bin/bun "$PWD/$tools/node_modules/.bin/bun"; do
    if [ -x "$candidate" ] && is_pinned "$candidate"; then
      echo "$candidate"
      return
    fi
  done
}

fetch() {
  mkdir -p "$tools"
  if command -v npm >/dev/null; then
    npm install --prefix "$tools" --no-save --no-package-lock --ignore-scripts --no-audit --no-fund --loglevel=error \
      "bun@$version" </dev/null
  elif [ -n "$(own_bun)" ]; then
    # A package.json of its own, or Bun would add it to the project's.
    echo '{}' >"$tools/package.json"
    "$(own_bun)" add --cwd "$tools" --exact "bun@$version" </dev/null
  else
    echo "Neither Bun nor npm is here. Install one of them, for example: apt-get install nodejs npm" >&2
    exit 1
  fi
}

bun=$(own_bun)
if [ -z "$bun" ] || ! is_pinned "$bun"; then
  bun=$(fetched_bun)
  if [ -z "$bun" ]; then
    echo "Getting Bun $version into $tools"
    fetch
    bun=$(fetched_bun)
  fi
fi
if [ -z "$bun" ]; then
  echo "Bun $version was fetched but doesn't run on this machine ($(uname -sm)). Install it by hand, then try again." >&2
  exit 1
fi

mkdir -p "$tools/bin"
ln -sfn "$bun" "$tools/bin/bun"
ln -sfn "$bun" "$tools/bin/bunx"
rm -f "$tools"/bun-*
# Make looks at this name: another pinned version, or a Bun that went away, brings us here again.
ln -sfn "$bun" "$tools/bun-$version"
