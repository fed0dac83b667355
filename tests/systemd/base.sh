#!/usr/bin/env bash
# Makes build/systemd-test/base, once: a bare Debian 12 with systemd and the packages that the program cannot do without.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

folder=build/systemd-test
packages=systemd,systemd-sysv,dbus,dbus-user-session,libpam-systemd,$(sed '/^# Recommended/,$d; /^#/d' system/packages | paste -sd,)
[ "$(cat "$folder/base.packages" 2>/dev/null)" = "$packages" ] && exit 0

rm -rf "$folder/base"
mkdir -p "$folder/packages"
# The mirror that this machine uses, if it has the same Debian.
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Codename: bookworm' | sed -n 1p)
debootstrap --variant=minbase --cache-dir="$PWD/$folder/packages" --include="$packages" \
  bookworm "$folder/base" ${mirror:+"$mirror"}
echo "$packages" >"$folder/base.packages"
