#!/bin/bash
# The first process of the guest: two simulated radios, access points on one of them in a network namespace of its own,
# NetworkManager on the other, then the cases. Everything goes to the serial console.
export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM=dumb NO_COLOR=1 LC_ALL=C.UTF-8
exec 2>&1 </dev/null
mount -o remount,rw /
mount -t tmpfs t /run
mount -t tmpfs t /tmp
mkdir -p /run/dbus /run/netns /run/lab
modprobe mac80211_hwsim radios=2
for i in $(seq 100); do [ -e /sys/class/net/wlan1 ] && break; sleep 0.1; done
ip link set lo up
ip netns add ap
phy=$(basename "$(readlink -f /sys/class/net/wlan1/phy80211)")
iw phy "$phy" set netns name ap
in_ap() { ip netns exec ap "$@"; }
in_ap ip link set lo up
in_ap ip link add br0 type bridge
in_ap ip addr add 10.88.0.1/24 dev br0
in_ap ip link set br0 up
in_ap hostapd -B /lab/hostapd.conf >/run/lab/hostapd.log || cat /run/lab/hostapd.log
in_ap dnsmasq --conf-file=/dev/null --no-resolv --no-hosts --user=root --interface=br0 --bind-interfaces \
  --dhcp-range=10.88.0.50,10.88.0.99,2m --no-ping --dhcp-leasefile=/run/lab/leases

dbus-daemon --system --nopidfile --fork
# NetworkManager does not wait for udev then.
mount -o remount,ro /sys
wpa_supplicant -u -t -f /run/lab/wpa.log -B
cat >/etc/NetworkManager/NetworkManager.conf <<'CONFIG'
[main]
plugins=keyfile
no-auto-default=*
auth-polkit=false
[device]
wifi.scan-rand-mac-address=no
CONFIG
NetworkManager --no-daemon --log-level=DEBUG >/run/lab/nm.log 2>&1 &
cd / && /lab/cases
sync
echo o >/proc/sysrq-trigger
sleep 10
