#!/usr/bin/env bash
# Makes two bare Debian 12, once: build/systemd-test/base has systemd and the packages that the program cannot do without,
# build/systemd-test/appliance also the recommended ones and those of an appliance.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

folder=build/systemd-test
system=systemd,systemd-sysv,dbus,dbus-user-session,libpam-systemd
# The mirror that this machine uses, if it has the same Debian.
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Codename: bookworm' | sed -n 1p)

make_base() {
  local name=$1 packages=$system,$2
  [ "$(cat "$folder/$name.packages" 2>/dev/null)" != "$packages" ] || return 0
  # An interrupted debootstrap leaves it mounted.
  ! mountpoint -q "$folder/$name/proc" || umount "$folder/$name/proc"
  rm -rf --one-file-system "${folder:?}/$name"
  mkdir -p "$folder/packages"
  debootstrap --variant=minbase --cache-dir="$PWD/$folder/packages" --include="$packages" \
    bookworm "$folder/$name" ${mirror:+"$mirror"}
  echo "$packages" >"$folder/$name.packages"
}
make_base base "$(sed '/^# Recommended/,$d; /^#/d' system/packages | paste -sd,)"
make_base appliance "$(sed '/^#/d' system/packages system/appliance/packages | paste -sd,)"
