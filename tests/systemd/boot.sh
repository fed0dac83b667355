#!/bin/bash
# Boots the Debian in the folder BASE with its own systemd: boot.sh BASE CHANGES. What the guest writes is kept in the
# folder CHANGES, over further boots as well. The guest shares the caller's network, and ends with this process:
# by SIGHUP when it reboots, by SIGINT when it shuts down. Needs root, which the guest has, too, within its namespaces.
set -eu
base=$(realpath "$1") changes=$(realpath "$2")

# In a mount namespace: gives the guest a control group of its own.
if [ $# = 2 ]; then exec unshare --mount --propagation private -- "$0" "$base" "$changes" grouped; fi
if [ "$3" = grouped ]; then
  mkdir -p "$changes"/{upper,work,root,groups}
  mount -t cgroup2 cgroup2 "$changes/groups"
  group=$changes/groups/signalbox-test-$(basename "$changes")
  mkdir -p "$group"
  echo $$ >"$group/cgroup.procs"
  set -- unshare --cgroup --mount --pid --uts --ipc --fork --kill-child -- "$0" "$base" "$changes" guest
  exec setpriv --bounding-set=-sys_module,-sys_time,-sys_rawio "$@"
fi

root=$changes/root
mount -t overlay overlay -o "lowerdir=$base,upperdir=$changes/upper,workdir=$changes/work" "$root"
cd "$root"
hostname signalbox-test
mount -t proc proc proc
# These belong to the whole machine.
for name in proc/sys proc/sysrq-trigger; do
  [ -e "$name" ] || continue
  mount --bind "$name" "$name"
  mount -o remount,bind,ro "$name"
done
mount -t sysfs -o ro sysfs sys
mount -t cgroup2 cgroup2 sys/fs/cgroup
for folder in dev run tmp; do mount -t tmpfs -o mode=755 tmpfs "$folder"; done
chmod 1777 tmp
# Each boot has its own.
cat proc/sys/kernel/random/uuid >run/boot-id
mount --bind run/boot-id proc/sys/kernel/random/boot_id
for name in null zero full random urandom tty; do
  touch "dev/$name"
  mount --bind "/dev/$name" "dev/$name"
done
mkdir dev/pts dev/shm
ln -s /proc/self/fd dev/fd
ln -s pts/ptmx dev/ptmx
pivot_root . mnt
umount -l /mnt
exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin container=signalbox-test \
  /lib/systemd/systemd --log-target=journal --show-status=no
