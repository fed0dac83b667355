#!/usr/bin/env bash
# Installs the missing Debian packages that one of the make targets needs. Asks for root only if any are missing.
# PACKAGES=skip in the environment leaves the machine unchanged.
set -euo pipefail

usage='usage: system/dev/debian-packages.sh run|dist|test|test-systemd|test-image|test-guest|bench'

# package: reason
run_set='
ffmpeg: probes streams and converts between containers
gcc: compiles the SRT endpoint
make: builds the SRT endpoint
pkg-config: finds libsrt and cJSON
libc6-dev: headers for the SRT endpoint
libsrt-openssl-dev: the SRT library
libcjson-dev: reads the control messages of the engine in the endpoints
ca-certificates: trust for RTMPS destinations
openssl: makes the certificate for HTTPS
'
dist_set="$run_set"'
gcc-aarch64-linux-gnu: compiles for arm64
binutils-aarch64-linux-gnu: strips what it compiled
'
# Third-party programs for tests and for comparison in the bench.
peers='
srt-tools: sends and plays SRT
nginx: carries the RTMP module below
libnginx-mod-rtmp: an RTMP server that is not ours
gstreamer1.0-tools: another player, publisher and fan-out
gstreamer1.0-plugins-good: its FLV and UDP
gstreamer1.0-plugins-bad: its RTMP, SRT and MPEG-TS
'
test_set="$dist_set$peers"'
qemu-user-static: runs programs for arm64
chromium-headless-shell: the browser of the end-to-end tests
curl: calls the API as scripts of administrators do
jq: reads its answers
fonts-noto-cjk: Chinese characters in that browser
vlc-bin: a player that is not ours
vlc-plugin-base: its RTMP
gstreamer1.0-plugins-base: converters of GStreamer
gstreamer1.0-plugins-ugly: its H.264 encoder
gir1.2-gst-rtsp-server-1.0: an RTSP server that is not ours
python3-gi: what starts that server
python3-pyatem: a client of the Videohub protocol that is not ours
python3-zeroconf: an mDNS browser that is not ours
iproute2: a network of its own for tests of what lies between hosts
nftables: the packet filter of the appliance
faketime: steps the clock of a process
network-manager: the network of the appliance, in namespaces of the tests
dbus-daemon: a system bus of their own for it
dnsmasq-base: DHCP and names for it
ethtool: the lights at its ports
chrony: the clock of the appliance, in namespaces of the tests
systemd-journal-remote: makes a journal for the tests that read one
'
test_systemd_set="$dist_set"'
debootstrap: makes a bare Debian with systemd
iproute2: its network
'
test_image_set='
buildah: builds container images without a daemon
debootstrap: makes the bare Debian that the image begins with
'
test_guest_set='
mmdebstrap: makes the Debian that the guest runs
qemu-system-x86: emulates the machine of the guest
kmod: finds the modules of its kernel that its disk needs
cpio: packs them
e2fsprogs: makes its disks
'
bench_set="$run_set$peers"'
curl: sends and fetches large files
wrk: sends many small requests
socat: forwards a port, for comparison
iproute2: a network of its own for the packet filter
nftables: the packet filter of the appliance
'

case ${1:-} in
  run) wanted=$run_set ;;
  dist) wanted=$dist_set ;;
  test) wanted=$test_set ;;
  test-systemd) wanted=$test_systemd_set ;;
  test-image) wanted=$test_image_set ;;
  test-guest) wanted=$test_guest_set ;;
  bench) wanted=$bench_set ;;
  *) echo "$usage" >&2; exit 2 ;;
esac

[ "${PACKAGES:-}" = skip ] && exit 0

if ! command -v dpkg-query >/dev/null; then
  echo "This is not Debian, so nothing is installed by itself. Needed are:$(sed -n 's/:.*//p' <<<"$wanted" | tr '\n' ' ' | sed 's/^/ /')" >&2
  exit 0
fi

is_installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

missing=()
reasons=()
while IFS=: read -r package why; do
  [ -n "$package" ] || continue
  is_installed "$package" && continue
  missing+=("$package")
  reasons+=("$(printf '  %-26s%s' "$package" "$why")")
done <<<"$wanted"

[ ${#missing[@]} -eq 0 ] && exit 0

command="apt-get install --no-install-recommends ${missing[*]}"
printf 'Missing Debian packages for "make %s":\n' "$1"
printf '%s\n' "${reasons[@]}"

root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    printf 'Installing them needs root, and there is no sudo here. As root run:\n  %s\nor leave them out with PACKAGES=skip.\n' "$command" >&2
    exit 1
  fi
  root=(sudo)
  # No user can type a password.
  if [ -n "${CI:-}" ] || [ ! -t 0 ]; then root=(sudo -n); fi
  echo "Installing them needs root: sudo may ask for your password."
fi

apt() {
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o Acquire::Retries=3 -o Dpkg::Use-Pty=0 "$@" </dev/null
}
has_candidates() {
  local package
  for package in "${missing[@]}"; do
    apt-cache show --no-all-versions "$package" >/dev/null 2>&1 || return 1
  done
}

# Services of these packages would change this machine: only their programs are needed.
quiet=()
for service in nginx NetworkManager chrony; do
  case $service in
    NetworkManager) package=network-manager ;;
    *) package=$service ;;
  esac
  is_installed "$package" || quiet+=("$service")
done
policy=/usr/sbin/policy-rc.d
if [ ! -e $policy ]; then
  printf '#!/bin/sh\nexit 101\n' | "${root[@]}" tee $policy >/dev/null
  "${root[@]}" chmod 755 $policy
  trap '"${root[@]}" rm -f $policy' EXIT
fi

has_candidates || apt update || true
# Existing package lists may be older than the mirror.
apt install --no-install-recommends "${missing[@]}" ||
  { apt update && apt install --no-install-recommends "${missing[@]}"; } ||
  { printf 'The packages could not be installed (see above). By hand, as root:\n  apt-get update && %s\n' "$command" >&2; exit 1; }

# They would start with the next boot.
if [ -d /run/systemd/system ]; then
  for service in "${quiet[@]}"; do "${root[@]}" systemctl disable --quiet "$service" 2>/dev/null || true; done
fi
