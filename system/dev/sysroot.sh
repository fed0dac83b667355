#!/usr/bin/env bash
# Extracts packages of Debian and all that they depend on into a folder, for any architecture: something to link with, or
# a system in which nothing else is installed. No script of a package runs, and this machine keeps its packages and
# architectures. Does nothing if the folder has these packages already.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

usage='usage: system/dev/sysroot.sh FOLDER ARCHITECTURE PACKAGE...'
root=$(realpath -m "${1:?$usage}")
architecture=${2:?$usage}
shift 2
stamp=$root/.packages
[ "$(cat "$stamp" 2>/dev/null)" = "$*" ] && exit 0

rm -rf "$root"
apt_folder=$root/.apt
mkdir -p "$apt_folder"/{lists/partial,archives/partial}
# As if nothing were installed: the packages come with everything that they depend on.
: >"$apt_folder/status"
apt() {
  DEBIAN_FRONTEND=noninteractive apt-get -q -y -o Acquire::Retries=3 -o Dpkg::Use-Pty=0 -o APT::Sandbox::User=root \
    -o APT::Architecture="$architecture" -o APT::Architectures="$architecture" -o Dir::State::Lists="$apt_folder/lists" \
    -o Dir::State::status="$apt_folder/status" -o Dir::Cache::Archives="$apt_folder/archives" \
    -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= "$@" </dev/null
}
apt update
apt install --download-only --no-install-recommends "$@"
for package in "$apt_folder"/archives/*.deb; do dpkg-deb --extract "$package" "$root"; done
rm -rf "$apt_folder"
echo "$*" >"$stamp"
