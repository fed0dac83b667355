#!/bin/sh
# Installs the program in this folder, which "make dist" made, and starts it as a service; or upgrades what is there.
#   as root      in /opt/signalbox, with services of the system for hub and engine. Streams continue during an upgrade,
#                unless hub and engine need another protocol between them.
#   as a user    in ~/.local/opt/signalbox, with one service of the user. An upgrade interrupts streams.
#   --appliance  as root, for a machine that only runs Signalbox: the hub also sets network, firewall and clock, and its
#                console is at ports 80 and 443. Upgrades need no option.
#   --remove     stops and removes what was installed. Data and settings stay.
# With DESTDIR=FOLDER in the environment, it only copies the files for a package: below that folder, to a package's places.
set -eu
cd "$(dirname "$0")"
usage() {
  echo 'usage: install.sh [--appliance | --remove]' >&2
  exit 2
}
[ $# -le 1 ] || usage
case ${1:-} in '' | --appliance | --remove) ;; *) usage ;; esac

staging=${DESTDIR:-}
if [ -n "$staging" ] || [ "$(id -u)" -eq 0 ]; then
  of=system
  target=$staging/opt/signalbox
  data=/var/lib/signalbox
  if [ -n "$staging" ]; then
    conf=$staging/usr/lib polkit=$staging/usr/share/polkit-1
  else
    conf=/etc polkit=/etc/polkit-1
  fi
  units=$conf/systemd/system
  manage() { systemctl "$@"; }
  journal='journalctl -u signalbox'
else
  of=user
  [ "${1:-}" != --appliance ] || { echo 'An appliance is installed as root.' >&2; exit 1; }
  target=$HOME/.local/opt/signalbox
  data=${XDG_STATE_HOME:-$HOME/.local/state}/signalbox
  units=${XDG_CONFIG_HOME:-$HOME/.config}/systemd/user
  manage() { systemctl --user "$@"; }
  journal='journalctl --user -u signalbox'
fi

# Files of share/signalbox/system, and where they belong.
files_of_user() { echo "user/signalbox.service $units/signalbox.service"; }
files_of_system() {
  for unit in signalbox signalbox-engine signalbox-agent; do echo "$unit.service $units/$unit.service"; done
  echo "sysctl.conf $conf/sysctl.d/60-signalbox.conf"
  echo "sysusers.conf $conf/sysusers.d/signalbox.conf"
  echo "tmpfiles.conf $conf/tmpfiles.d/signalbox.conf"
}
hub_of_appliance=$units/signalbox.service.d/appliance.conf
files_of_appliance() {
  echo "appliance/hub.conf $hub_of_appliance"
  for unit in signalbox-helper.socket signalbox-helper@.service signalbox-firewall.service; do echo "appliance/$unit $units/$unit"; done
  echo "appliance/polkit.rules $polkit/rules.d/50-signalbox.rules"
}
services_of_user=signalbox.service
services_of_system='signalbox.service signalbox-engine.service'
services_of_appliance='signalbox-helper.socket signalbox-firewall.service'

sets=$of
if [ "${1:-}" = --appliance ] || [ -e "$hub_of_appliance" ]; then sets="$of appliance"; fi
files() { for set in $sets; do "files_of_$set"; done; }
services=$(for set in $sets; do eval "echo \$services_of_$set"; done)

if [ "${1:-}" = --remove ]; then
  for service in $services; do
    [ -n "$staging" ] || [ ! -e "$units/$service" ] || manage disable --now "$service"
  done
  files | while read -r _ file; do rm -f "$file"; done
  [ ! -d "$units/signalbox.service.d" ] || rmdir --ignore-fail-on-non-empty "$units/signalbox.service.d"
  rm -rf "$target"
  [ -z "$staging" ] || exit 0
  # The packet filter stays in the kernel without its programs.
  [ "$sets" = "$of" ] || nft delete table inet signalbox 2>/dev/null || true
  manage daemon-reload
  echo "Removed. The data of the hub is still in $data."
  exit 0
fi

lists=share/doc/signalbox/packages
[ "$sets" = "$of" ] || lists="$lists share/signalbox/system/appliance/packages"
missing=
[ -n "$staging" ] || for package in $(sed --separate '/^# Recommended/,$d; /^#/d' $lists); do
  dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed ||
    missing="$missing $package"
done
if [ -n "$missing" ]; then
  printf 'Packages are missing. Install them and run this again:\n  sudo apt-get install --no-install-recommends%s\n' "$missing" >&2
  exit 1
fi
is_upgrade=$([ ! -e "$units/signalbox.service" ] || echo yes)
new=$(for service in $services; do [ -e "$units/$service" ] || echo "$service"; done)

# A running program cannot be overwritten. The folders stay: a running engine has rights to these, not to new ones.
mkdir -p "$target"
rm -rf "$target/share/signalbox/console"
cp -R --remove-destination bin lib share "$target/"
chmod -R u=rwX,go=rX "$target"
files | while read -r source file; do install -D -m 644 "share/signalbox/system/$source" "$file"; done
[ -z "$staging" ] || exit 0

if [ $of = system ]; then
  systemd-sysusers "$conf/sysusers.d/signalbox.conf"
  systemd-tmpfiles --create "$conf/tmpfiles.d/signalbox.conf"
  systemctl restart systemd-sysctl
else
  # Without this, the service would end when the user signs out, and not start with the machine.
  loginctl enable-linger ||
    echo 'The service runs only while you are signed in: "loginctl enable-linger" was refused.' >&2
fi
manage daemon-reload
if [ -n "$new" ]; then
  manage enable --quiet $new
  manage restart $new
fi
# An upgrade leaves the engine running, and a service that an administrator stopped or disabled as it is.
[ -z "$is_upgrade" ] || manage try-restart signalbox
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
