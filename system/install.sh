#!/bin/sh
# Installs the program in this folder, which "make dist" made, and starts it as a service; or upgrades what is there.
#   as root      in /opt/signalbox, with services of the system for hub and engine. Streams continue during an upgrade,
#                unless hub and engine need another protocol between them.
#   as a user    in ~/.local/opt/signalbox, with one service of the user. An upgrade interrupts streams.
#   --remove     stops and removes what was installed. Data and settings stay.
set -eu
cd "$(dirname "$0")"
case ${1:-} in
  '' | --remove) ;;
  *) echo 'usage: install.sh [--remove]' >&2; exit 2 ;;
esac

if [ "$(id -u)" -eq 0 ]; then
  target=/opt/signalbox
  units=/etc/systemd/system
  data=/var/lib/signalbox
  services='signalbox signalbox-engine'
  manage() { systemctl "$@"; }
  journal='journalctl -u signalbox'
else
  target=$HOME/.local/opt/signalbox
  units=${XDG_CONFIG_HOME:-$HOME/.config}/systemd/user
  data=${XDG_STATE_HOME:-$HOME/.local/state}/signalbox
  services=signalbox
  manage() { systemctl --user "$@"; }
  journal='journalctl --user -u signalbox'
fi

if [ "${1:-}" = --remove ]; then
  for service in $services; do
    [ ! -e "$units/$service.service" ] || manage disable --now "$service"
    rm -f "$units/$service.service"
  done
  manage daemon-reload
  rm -rf "$target"
  [ "$(id -u)" -ne 0 ] || rm -f /etc/sysctl.d/60-signalbox.conf
  echo "Removed. The data of the hub is still in $data."
  exit 0
fi

missing=
for package in $(sed '/^# Recommended/,$d; /^#/d' share/doc/signalbox/packages); do
  dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed ||
    missing="$missing $package"
done
if [ -n "$missing" ]; then
  printf 'Packages are missing. Install them and run this again:\n  sudo apt-get install --no-install-recommends%s\n' "$missing" >&2
  exit 1
fi
is_upgrade=$([ ! -e "$units/signalbox.service" ] || echo yes)

# A running program cannot be overwritten. The folders stay: a running engine has rights to these, not to new ones.
mkdir -p "$target" "$units"
rm -rf "$target/share/signalbox/console"
cp -R --remove-destination bin lib share "$target/"
chmod -R u=rwX,go=rX "$target"

if [ "$(id -u)" -eq 0 ]; then
  id signalbox >/dev/null 2>&1 ||
    useradd --system --user-group --home-dir "$data" --shell /usr/sbin/nologin signalbox
  install -m 644 share/signalbox/system/*.service "$units"
  install -D -m 644 share/signalbox/system/sysctl.conf /etc/sysctl.d/60-signalbox.conf
  systemctl restart systemd-sysctl
else
  install -m 644 share/signalbox/system/user/signalbox.service "$units"
  # Without this, the service would end when the user signs out, and not start with the machine.
  loginctl enable-linger ||
    echo 'The service runs only while you are signed in: "loginctl enable-linger" was refused.' >&2
fi
manage daemon-reload
# An upgrade leaves the engine running, and a service that an administrator stopped or disabled as it is.
if [ -n "$is_upgrade" ]; then
  manage try-restart signalbox
else
  manage enable --quiet $services
  manage restart $services
fi
manage is-active --quiet signalbox || exit 0

health() { SIGNALBOX_DATA_DIR=$data "$target/bin/signalbox" health; }
attempt=0
until url=$(health); do
  attempt=$((attempt + 1))
  if [ "$attempt" -ge 60 ]; then
    printf 'The hub is not ready: %s\nIts log: %s\n' "$url" "$journal" >&2
    exit 1
  fi
  sleep 0.5
done
echo "Signalbox runs. Console: $url"
[ -z "$is_upgrade" ] || exit 0
code=$($journal --boot --output=cat --no-pager 2>/dev/null | sed -n 's/.*with this set-up code: //p' | tail -n 1)
[ -z "$code" ] || echo "Set-up code for the first password: $code"
