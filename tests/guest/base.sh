#!/usr/bin/env bash
# Makes build/guest-test/root, once: a Debian 12 with its kernel, which has simulated radios, and what Wi-Fi needs.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

folder=build/guest-test
packages=busybox-static,dbus,dnsmasq-base,hostapd,iproute2,iw,kmod,linux-image-amd64,network-manager,wpasupplicant
[ "$(cat "$folder/root.packages" 2>/dev/null)" = "$packages" ] && exit 0

rm -rf "$folder/root"
mkdir -p "$folder"
mode=root
[ "$(id -u)" = 0 ] || mode=unshare
site() { apt-get indextargets --format '$(REPO_URI) $(CODENAME)' | awk -v codename="$1" '$2 == codename {print $1; exit}'; }
mirror=$(site bookworm) security=$(site bookworm-security)
sources=("deb ${mirror:-http://deb.debian.org/debian} bookworm main")
[ -z "$security" ] || sources+=("deb $security bookworm-security main")
unshare --mount mmdebstrap --quiet --mode="$mode" --variant=apt --include="$packages" \
  --aptopt='APT::Install-Recommends "false"' --dpkgopt='path-exclude=/usr/share/doc/*' \
  --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
  bookworm "$folder/root" "${sources[@]}"
echo "$packages" >"$folder/root.packages"
