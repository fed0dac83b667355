#!/usr/bin/env bash
# Runs a command in a world of its own: network, file system views, processes, bus. `lab.ts` starts it, as root or as a
# user where the kernel permits that.
set -euo pipefail

# State of daemons and a copy of /etc, where NetworkManager renames the file with the name servers.
mount -t tmpfs -o mode=755 world /run
mkdir -p /run/world/etc /run/dbus /run/netns /run/NetworkManager
cp -r --no-preserve=ownership /etc/. /run/world/etc/ 2>/dev/null || true
mount --bind /run/world/etc /etc
mkdir -p /etc/NetworkManager
rm -rf /etc/NetworkManager/*
mkdir -p /etc/NetworkManager/system-connections
[ ! -d /var/lib/NetworkManager ] || mount -t tmpfs -o mode=700 world /var/lib/NetworkManager
# The identity of a start of the machine, which tests change.
cp /proc/sys/kernel/random/boot_id /run/world/boot-id
mount --bind /run/world/boot-id /proc/sys/kernel/random/boot_id
# As it is read-only, NetworkManager does not wait for udev.
mount -t sysfs -o ro,nosuid,nodev,noexec sysfs /sys
: > /etc/resolv.conf
hostname world
ip link set lo up
exec "$@"
