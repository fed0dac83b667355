#!/bin/sh
# Installs the program in this folder, which "make dist" made, to /opt/signalbox and starts its services; or upgrades what
# is there. Streams continue during an upgrade, unless hub and engine need another protocol between them.
set -eu
cd "$(dirname "$0")"
target=/opt/signalbox

if [ "$(id -u)" -ne 0 ]; then
  echo 'install.sh needs root: run it with sudo.' >&2
  exit 1
fi

missing=
for package in $(sed '/^# Recommended/,$d; /^#/d' share/doc/signalbox/packages); do
  dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed ||
    missing="$missing $package"
done
if [ -n "$missing" ]; then
  printf 'Packages are missing. Install them and run this again:\n  apt-get install --no-install-recommends%s\n' "$missing" >&2
  exit 1
fi

id signalbox >/dev/null 2>&1 ||
  useradd --system --user-group --home-dir /var/lib/signalbox --shell /usr/sbin/nologin signalbox

# A running program cannot be overwritten. The folders stay: a running engine has rights to these, not to new ones.
mkdir -p "$target"
rm -rf "$target/share/signalbox/console"
cp -R --remove-destination bin lib share "$target/"
chmod -R u=rwX,go=rX "$target"

unit=/etc/systemd/system/signalbox-engine.service
is_upgrade=$([ ! -e "$unit" ] || echo yes)
install -m 644 share/signalbox/system/*.service "$(dirname "$unit")"
install -D -m 644 share/signalbox/system/sysctl.conf /etc/sysctl.d/60-signalbox.conf
systemctl restart systemd-sysctl
systemctl daemon-reload
# An upgrade leaves the engine running, and a service that an administrator stopped or disabled as it is.
if [ -n "$is_upgrade" ]; then
  systemctl try-restart signalbox
else
  systemctl enable signalbox signalbox-engine
  systemctl restart signalbox signalbox-engine
fi
