#!/usr/bin/env bash
# Makes the image localhost/signalbox-test-base, once: a bare Debian 12 that trusts the certificates of this machine.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

image=localhost/signalbox-test-base
buildah inspect --type image "$image" >/dev/null 2>&1 && exit 0

root=build/image-test/base
rm -rf "$root"
mkdir -p "$root"
# The mirror that this machine uses, if it has the same Debian.
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Codename: bookworm' | sed -n 1p)
debootstrap --variant=minbase --include=ca-certificates bookworm "$root" ${mirror:+"$mirror"}
if [ -d /usr/local/share/ca-certificates ]; then
  cp -r /usr/local/share/ca-certificates/. "$root/usr/local/share/ca-certificates"
  chroot "$root" update-ca-certificates
fi
container=$(buildah from scratch)
buildah copy --quiet "$container" "$root" / >/dev/null
buildah commit --rm --quiet "$container" "$image" >/dev/null
rm -rf "$root"
