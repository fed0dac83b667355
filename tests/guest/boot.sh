#!/usr/bin/env bash
# Boots the guest with the folder LAB as its second disk: boot.sh LAB. The console goes to standard output; nothing that
# the guest writes is kept. Without KVM, which continuous integration does not have.
set -euo pipefail
lab=$(realpath "$1")
cd "$(dirname "${BASH_SOURCE[0]}")/../../build/guest-test"

version=$(ls root/lib/modules | head -1)
if [ ! disk.img -nt root.packages ]; then
  mkdir -p root/lab
  rm -f disk.img
  mke2fs -q -t ext4 -d root disk.img 2500M
fi
if [ ! initrd.gz -nt ../../tests/guest/initrd-init.sh ] || [ ! initrd.gz -nt root.packages ]; then
  rm -rf initrd
  mkdir -p initrd/{bin,proc,sys,dev,new,modules}
  cp root/bin/busybox initrd/bin/
  cp ../../tests/guest/initrd-init.sh initrd/init
  count=100
  for name in virtio_pci virtio_blk ext4; do modprobe -d "$PWD/root" -S "$version" --show-depends "$name"; done |
    awk '/^insmod/ && !seen[$2]++ {print $2}' | while read -r module; do
    cp "$module" "initrd/modules/$((count++))-$(basename "$module")"
  done
  (cd initrd && find . | cpio -o -H newc --quiet | gzip -1) >initrd.gz
fi
rm -f "$lab.img"
mke2fs -q -t ext4 -d "$lab" "$lab.img" 400M
exec qemu-system-x86_64 -M q35 -accel tcg,thread=multi -smp 2 -cpu max -m 1500 -nographic -no-reboot -nic none \
  -kernel "root/boot/vmlinuz-$version" -initrd initrd.gz -append "console=ttyS0 quiet panic=-1" \
  -drive file=disk.img,format=raw,if=virtio,snapshot=on -drive "file=$lab.img,format=raw,if=virtio,readonly=on" </dev/null
