#!/bin/busybox sh
# Loads what the root file system needs and starts the first process there; /lab is the second disk.
B=/bin/busybox
$B mount -t proc p /proc
$B mount -t sysfs s /sys
$B mount -t devtmpfs d /dev
for module in /modules/*; do $B insmod "$module"; done
for i in $($B seq 50); do [ -b /dev/vdb ] && break; $B sleep 0.1; done
$B mount -t ext4 /dev/vda /new
$B mount -t ext4 -o ro /dev/vdb /new/lab
for name in proc sys dev; do $B mount --move /$name /new/$name; done
exec $B switch_root /new /lab/init.sh
