#!/usr/bin/env bash
# Sets up a whole team on a hub, or takes it away again. Run it as often as you like: what is there already is brought
# into line with the tables below.
#
#   SIGNALBOX_URL=http://hub:8880 docs/examples/team.sh up   <passwords
#   SIGNALBOX_URL=http://hub:8880 docs/examples/team.sh down <passwords
#
# Passwords are read from the input, a line for each name: first "Admin PASSWORD", then one for each member. A member
# who is there already and has no line keeps the password. Nothing secret stands on a command line, where every user of
# the machine could read it: it goes to curl and jq through pipes and their environment.
#
# Needs bash, curl and jq.
set -euo pipefail

usage='usage: SIGNALBOX_URL=http://hub:8880 team.sh up|down <passwords'
hub=${SIGNALBOX_URL:?"$usage"}

# Groups of our own: name, what they may, what they are for. What a permission needs is given with it by the hub.
groups='
Operators    channelControl                               starts and stops channels
Devices      deviceAdvanced,groupView,firmwareManage      approves, restarts and updates devices
Engineering  channelEdit,systemEdit,ndiEdit               builds channels, sets up the hub
'
# Who is in which group; Admin, User and Viewer are on every hub.
members='
anna  Admin
otto  Operators
vera  Viewer
dora  Devices
emil  Engineering
'
# Bit 0 first.
permissions='firmwareView firmwareManage deviceView deviceControl deviceAdvanced deviceSecurity groupView groupControl
ioView ioEdit channelView channelControl channelEdit userControl systemView systemEdit ndiView ndiEdit'

declare -A password
session=

main() {
  read_passwords
  sign_in
  case ${1:-} in
    up)
      each_line "$groups" put_group
      each_line "$members" put_member
      each_group put_members
      ;;
    down)
      each_line "$members" delete_member
      each_line "$groups" delete_group
      ;;
    *) fail "$usage" ;;
  esac
  call GET logout >/dev/null
}

read_passwords() {
  local name rest
  while read -r name rest; do
    [ -z "$name" ] || password[$name]=$rest
  done
  [ -n "${password[Admin]:-}" ] || fail 'the input has no line "Admin PASSWORD"'
}

# The published call takes the MD5 of the password in place of itself.
sign_in() {
  local md5
  md5=$(printf %s "${password[Admin]}" | md5sum | cut -d' ' -f1)
  session=$(MD5=$md5 jq -n '{id: "Admin", pass: $ENV.MD5}' | call POST login | jq -r .token)
}

put_group() { # name permissions what for
  local name=$1 mask id
  mask=$(mask_of "$2")
  shift 2
  id=$(id_of_group "$name")
  if [ -z "$id" ]; then
    jq -n --arg name "$name" --argjson mask "$mask" --arg desc "$*" '{name: $name, permissions: $mask, desc: $desc}' |
      call POST usr-group/add >/dev/null
    say "group $name: added"
  else
    jq -n --argjson id "$id" --argjson mask "$mask" --arg desc "$*" '{id: $id, permissions: $mask, desc: $desc}' |
      call POST usr-group/set >/dev/null
    say "group $name: set"
  fi
}

put_member() { # name group
  local name=$1 group known
  group=$(id_of_group "$2")
  [ -n "$group" ] || fail "$name: there is no group $2"
  known=$(user "$name")
  if [ -z "$known" ]; then
    [ -n "${password[$name]:-}" ] || fail "$name is new: the input has no line \"$name PASSWORD\""
    NAME=$name PASSWORD=${password[$name]} jq -n --argjson group "$group" \
      '{name: $ENV.NAME, password: $ENV.PASSWORD, "group-id": $group}' | call POST usr/add >/dev/null
    say "user $name: added"
  elif [ -n "${password[$name]:-}" ]; then
    NAME=$name PASSWORD=${password[$name]} jq -n '{name: $ENV.NAME, password: $ENV.PASSWORD}' |
      call POST usr/update >/dev/null
    say "user $name: password set"
  fi
}

# `users` is the complete list of members: who is left out becomes a viewer. The revision goes along, so that the hub refuses this
# when somebody changed the group since it was read.
put_members() { # group
  local users
  users=$(members_of "$1")
  call GET usr/list?type=group |
    jq --arg name "$1" --arg users "$users" \
      '.groups[] | select(.name == $name) | {id, revision, users: ($users | split(" "))}' |
    call POST usr-group/set >/dev/null
  say "group $1: has $users"
}

delete_member() { # name
  local known
  known=$(user "$1")
  [ -n "$known" ] || return 0
  jq -n --arg name "$1" '{name: $name}' | call POST usr/del >/dev/null
  say "user $1: deleted"
}

delete_group() { # name
  local id
  id=$(id_of_group "$1")
  [ -n "$id" ] || return 0
  jq -n --argjson id "$id" '{id: $id}' | call POST usr-group/del >/dev/null
  say "group $1: deleted"
}

user() { # name
  call GET usr/list?type=usr | jq -r --arg name "$1" '.users[] | select(.name == $name) | .name'
}

id_of_group() { # name
  call GET usr/list?type=group | jq -r --arg name "$1" '.groups[] | select(.name == $name) | .id'
}

mask_of() { # permission,permission
  local name bit=0 mask=0
  for name in $permissions; do
    case ",$1," in *",$name,"*) mask=$((mask | 1 << bit)) ;; esac
    bit=$((bit + 1))
  done
  echo "$mask"
}

members_of() { # group
  awk -v group="$1" '$2 == group { printf "%s%s", between, $1; between = " " }' <<<"$members"
}

# Only groups of our own: Viewer is where everybody else is, and Admin has its Admin.
each_group() { # function
  local name rest
  while read -r name rest; do
    [ -z "$name" ] || "$1" "$name"
  done <<<"$groups"
}

each_line() { # table function
  local line
  while read -r line; do
    # shellcheck disable=SC2086 # a line is split into its words
    [ -z "$line" ] || "$2" $line
  done <<<"$1"
}

# A call of the API; the body of a POST is read from the input. Ends the script unless the hub answers result 0.
call() { # GET|POST path
  local answer body=()
  [ "$1" = GET ] || body=(--header 'content-type: application/json' --data-binary @-)
  # What comes from the descriptor is as good as an argument, and nobody else reads it.
  answer=$(curl --silent --show-error --max-time 20 --request "$1" "${body[@]}" \
    --config <(printf 'header = "cookie: mwcloud-sid=%s"\n' "$session") "$hub/api/$2")
  [ "$(jq .result <<<"$answer")" = 0 ] || fail "$2: $(jq -r .message <<<"$answer")"
  printf '%s\n' "$answer"
}

say() { printf '%s\n' "$*"; }

fail() {
  printf 'team.sh: %s\n' "$*" >&2
  exit 1
}

main "$@"
