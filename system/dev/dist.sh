#!/usr/bin/env bash
# Makes build/dist/ARCHITECTURE: the compiled program, the native programs and the console, in the layout of
# daemon/lib/install-layout.ts. It runs on Debian 12 with the packages named in share/doc/signalbox/packages, without Bun
# and Node. The console must be built already. arm64 is compiled with Debian's cross compiler.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

usage='usage: system/dev/dist.sh amd64|arm64'
architecture=${1:?$usage}
case $architecture in
  amd64) triplet=x86_64-linux-gnu runtime=linux-x64 ;;
  arm64) triplet=aarch64-linux-gnu runtime=linux-aarch64 ;;
  *) echo "$usage" >&2; exit 2 ;;
esac
version=$(bun --version)
work=$PWD/build/dist.$architecture
target=$PWD/build/dist/$architecture
# What the endpoints are linked with, besides the C library.
libraries=(libsrt-openssl-dev libcjson-dev)

rm -rf "$target"
mkdir -p "$work" "$target"/{bin,lib/signalbox,share/signalbox/system/{appliance,user},share/doc/signalbox}

# The runtime for another architecture comes from the registry, and only as published.
runtime_for() {
  local place=.toolchain/$runtime
  local program=$place/node_modules/@oven/bun-$runtime/bin/bun
  if [ ! -f "$program" ]; then
    mkdir -p "$place"
    echo '{}' >"$place/package.json"
    bun add --cwd "$place" --exact --ignore-scripts --cpu='*' "@oven/bun-$runtime@$version" </dev/null >&2
  fi
  local digest
  digest=$(sha256sum <"$program")
  if ! grep -q "^${digest%% *}  $version/$runtime\$" system/dev/bun.sha256; then
    echo "$program is not Bun $version as published: its SHA-256 is not in system/dev/bun.sha256" >&2
    exit 1
  fi
  echo "$program"
}

options=()
flags=()
if [ "$architecture" != "$(dpkg --print-architecture)" ]; then
  runtime=$(runtime_for)
  options=(--target="bun-linux-${architecture/amd64/x64}" --compile-executable-path="$runtime")
  sysroot=$PWD/build/sysroot/$architecture
  system/dev/sysroot.sh "$sysroot" "$architecture" libc6-dev "${libraries[@]}" >/dev/null
  export PKG_CONFIG_SYSROOT_DIR=$sysroot PKG_CONFIG_LIBDIR=$sysroot/usr/lib/$triplet/pkgconfig:$sysroot/usr/share/pkgconfig
  flags=(CC="$triplet-gcc --sysroot=$sysroot" LDFLAGS="-Wl,-rpath-link,$sysroot/lib/$triplet:$sysroot/usr/lib/$triplet")
fi

for part in confine rtmp srt udp; do
  make -C "native/$part" BUILD="$work/$part" "${flags[@]}" >/dev/null
done
install -s --strip-program="$triplet-strip" -t "$target/lib/signalbox" \
  "$work"/confine/confine "$work"/rtmp/rtmp-endpoint "$work"/srt/srt-endpoint "$work"/udp/udp-endpoint
# Bytecode halves the CPU time of a start; with splitting, a role loads only its own code. A program must not read
# settings of whatever folder it is started in.
bun build --compile --bytecode --splitting --format=esm --no-compile-autoload-dotenv --no-compile-autoload-bunfig "${options[@]}" daemon/main.ts \
  --outfile "$target/bin/signalbox" >/dev/null
cp -a web/dist "$target/share/signalbox/console"
rm -rf "$target/share/signalbox/console/.vite"
install -m 644 -t "$target/share/signalbox" docs/openapi.json
install -m 644 -t "$target/share/doc/signalbox" LICENSE system/packages
install -m 644 -t "$target/share/signalbox/system" system/*.service system/*.conf
for part in appliance user; do install -m 644 -t "$target/share/signalbox/system/$part" "system/$part"/*; done
install -m 755 -t "$target" system/install.sh
echo "build/dist/$architecture: $(du -sh "$target" | cut -f1)"
