#!/usr/bin/env bash
# Sets up .toolchain/bin/bun as the pinned version of Bun, as published: its SHA-256 must be in bun.sha256. Uses an
# installed Bun if it is the same file, otherwise the one from npm. With OWN_BUN=trust in the environment, an installed
# Bun only needs the right version, for machines without a network and for third-party builds of Bun.
# Changes nothing outside .toolchain.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

version=${1:?usage: system/dev/bun.sh VERSION}
tools=.toolchain
digests=system/dev/bun.sha256

is_published() {
  local digest
  digest=$(sha256sum <"$1") && grep -q "^${digest%% *}  $version/" "$digests"
}
# Runs the program, so call it only for a published or trusted one.
is_pinned() { [ "$("$1" --version 2>/dev/null)" = "$version" ]; }

# Prints the path of an installed Bun, or nothing. .toolchain/bin may precede it on the PATH.
own_bun() {
  local candidate
  while read -r candidate; do
    if [[ $candidate != "$PWD/$tools/"* ]]; then
      echo "$candidate"
      return
    fi
  done < <(type -ap bun)
}

# Tries the binary of the platform's package first: the `bun` package itself contains a placeholder until its install
# script has run, and npm and Bun run no install scripts by default.
fetched_files() {
  local candidate
  for candidate in "$PWD/$tools"/node_modules/@oven/bun-linux-*/bin/bun "$PWD/$tools/node_modules/.bin/bun"; do
    [ ! -x "$candidate" ] || echo "$candidate"
  done
}

fetched_bun() {
  local candidate
  while read -r candidate; do
    if is_published "$candidate" && is_pinned "$candidate"; then
      echo "$candidate"
      return
    fi
  done < <(fetched_files)
}

fetch() {
  mkdir -p "$tools"
  if command -v npm >/dev/null; then
    npm install --prefix "$tools" --no-save --no-package-lock --ignore-scripts --no-audit --no-fund --loglevel=error \
      "bun@$version" </dev/null
  elif [ -n "$(own_bun)" ]; then
    # A separate package.json; otherwise Bun would add it to the project's.
    echo '{}' >"$tools/package.json"
    "$(own_bun)" add --cwd "$tools" --exact "bun@$version" </dev/null
  else
    echo "Neither Bun nor npm is here. Install one of them, for example: apt-get install nodejs npm" >&2
    exit 1
  fi
}

if ! grep -q "  $version/" "$digests"; then
  echo "$digests has no digest of Bun $version. See docs/versions.md." >&2
  exit 1
fi

bun=$(own_bun)
if [ -n "$bun" ] && is_published "$bun" && is_pinned "$bun"; then
  :
elif [ -n "$bun" ] && [ "${OWN_BUN:-}" = trust ] && is_pinned "$bun"; then
  echo "Using $bun for its version alone, because OWN_BUN=trust. Build no release with it." >&2
else
  bun=$(fetched_bun)
  if [ -z "$bun" ]; then
    echo "Getting Bun $version into $tools"
    if ! fetch; then
      echo "Bun $version could not be fetched. OWN_BUN=trust uses one of that version on the PATH, unverified." >&2
      exit 1
    fi
    bun=$(fetched_bun)
  fi
fi
if [ -z "$bun" ]; then
  while read -r candidate; do
    if ! is_published "$candidate"; then
      echo "$candidate is not Bun $version as published: its SHA-256 is not in $digests. It was not run." >&2
      exit 1
    fi
  done < <(fetched_files)
  echo "Bun $version was fetched but doesn't run on this machine ($(uname -sm)). Install it by hand, then try again." >&2
  exit 1
fi

mkdir -p "$tools/bin"
ln -sfn "$bun" "$tools/bin/bun"
ln -sfn "$bun" "$tools/bin/bunx"
rm -f "$tools"/bun-*
# Make checks this name, so another pinned version or a deleted Bun runs this script again.
ln -sfn "$bun" "$tools/bun-$version"
