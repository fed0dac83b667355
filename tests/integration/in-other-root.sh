#!/bin/sh
# Runs a command in another system: in-other-root.sh ROOT COMMAND... The caller has made a mount namespace.
# With EMULATE=arm64 in a user namespace, programs for arm64 run through QEMU there and nowhere else.
set -e
root=$1
shift
if [ "${EMULATE:-}" = arm64 ]; then
  mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc
  # The first 20 bytes of an ELF file for arm64, and which of their bits count.
  magic='\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00'
  mask='\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'
  printf '%s' ":arm64:M::$magic:$mask:/usr/bin/qemu-aarch64-static:OCPF" >/proc/sys/fs/binfmt_misc/register
fi
for folder in proc dev tmp; do mount --rbind "/$folder" "$root/$folder"; done
cd /tmp
exec chroot "$root" "$@"
