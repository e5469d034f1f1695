#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Runs README's two commands on a bare Debian 12: in a new, minimal chroot made by debootstrap, on a clone of what is committed.
#   sh cmake/fresh_machine.sh [demo] [test]   one of them, or both in this order
#     --at FOLDER   path of the clone inside the chroot; the default, its path here, lets ccache find what was compiled here
#     --keep        keeps the chroot and prints its path
# Packages come from the sources of this machine's apt. The base system and packages are kept in ${XDG_CACHE_HOME:-~/.cache}/actio.
# Exit status 77: this machine cannot do it, and one line gives the reason. Any other nonzero status: a command of the README failed.
set -eu

usage() { echo "usage: sh cmake/fresh_machine.sh [--at FOLDER] [--keep] [demo] [test]" >&2; exit 2; }
cannot() { echo "not run: $1"; exit 77; }

source=$(cd "$(dirname "$0")/.." && pwd)
at=$source keep="" presets=""
while [ $# -gt 0 ]; do
  case $1 in
    --at) [ $# -gt 1 ] || usage; at=$2; shift ;;
    --keep) keep=yes ;;
    demo | test) presets="$presets $1" ;;
    *) usage ;;
  esac
  shift
done
: "${presets:=demo test}"

[ "$(id -u)" -eq 0 ] || cannot "a chroot needs root"
for tool in debootstrap apt-get unshare git; do
  command -v $tool > /dev/null || cannot "$tool is not installed"
done
unshare --mount true 2> /dev/null || cannot "root is not allowed to mount file systems"
sources=$(apt-get indextargets --format 'deb $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' | grep ' bookworm\(-[a-z]*\)\? main$' | sort -u)
mirror=$(echo "$sources" | sed -n 's/^deb \(.*\) bookworm main$/\1/p' | head -n 1)
[ -n "$mirror" ] || cannot "apt on this machine has no sources of Debian 12 (bookworm, main)"

cache=${XDG_CACHE_HOME:-$HOME/.cache}/actio
mkdir -p "$cache/packages"
root=$(mktemp -d "$cache/machine.XXXXXX")
# Mounts in the chroot exist only for the processes in it (unshare), so there is nothing to unmount here.
clean_up() { if [ -n "$keep" ]; then echo "kept: $root"; else rm -rf "$root"; fi; }
trap clean_up EXIT
trap 'exit 1' INT TERM HUP

base=$cache/bookworm-minbase.tar
if [ ! -f "$base" ]; then
  echo "== installing the base system, only once"
  eval "$(apt-config shell proxy Acquire::http::Proxy)"
  [ -z "${proxy:-}" ] || export http_proxy="$proxy"
  debootstrap --variant=minbase bookworm "$root" "$mirror" > "$cache/debootstrap.log" || { tail "$cache/debootstrap.log"; exit 1; }
  rm -f "$root"/var/cache/apt/archives/*.deb
  tar -C "$root" -cf "$base.new" .
  mv "$base.new" "$base"
else
  tar -C "$root" -xf "$base"
fi

# Uses this machine's apt settings (sources of Debian 12, keys, download options) and name resolution.
echo "$sources" > "$root/etc/apt/sources.list"
apt-config dump | grep '^Acquire::' > "$root/etc/apt/apt.conf.d/99host"
for copied in /etc/apt/keyrings /etc/apt/trusted.gpg.d /usr/share/keyrings /etc/resolv.conf /etc/hosts; do
  [ ! -e $copied ] || cp -rL $copied "$root$(dirname $copied)/"
done
case $sources in *https:*) mkdir -p "$root/etc/ssl" && cp -rL /etc/ssl/certs "$root/etc/ssl/" ;; esac

# Uses this machine's ccache with the same cache, and counts what these runs find in it.
hits=/var/tmp/ccache.log
compiled=$cache/ccache
if command -v ccache > /dev/null; then
  compiled=$(ccache --get-config cache_dir)
  ccache --show-config | sed '/^(default)/d; s/^([^)]*) //; /^cache_dir\|^temporary_dir\|^stats_log/d' > "$root/etc/ccache.conf"
fi
mkdir -p "$compiled" "$root/var/ccache"
printf 'cache_dir = /var/ccache\ntemporary_dir = /tmp\nstats_log = %s\n' "$hits" >> "$root/etc/ccache.conf"

git clone --quiet "$source" "$root$at"
echo "== commit $(git -C "$root$at" log -1 --format='%h %s')"

# inside COMMAND: runs a command in the clone, in the chroot, with an empty environment except for the language, which ccache distinguishes,
# and the number of parallel jobs.
language=$(env | grep -E '^(LANG|LC_ALL|LC_CTYPE|LC_MESSAGES)=' || true)
inside() {
  unshare --mount --pid --fork --kill-child sh -euc '
    mount -t proc proc "$1/proc"
    mount --bind "$2" "$1/var/cache/apt/archives"
    mount --bind "$3" "$1/var/ccache"
    exec chroot "$1" env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
      $7 CMAKE_BUILD_PARALLEL_LEVEL="$4" sh -c "cd \"\$1\" && $5" sh "$6"' \
    sh "$root" "$cache/packages" "$compiled" "${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}" "$1" "$at" "$language"
}
for preset in $presets; do
  command=$(sed -n "s/^\(sh cmake\/setup.sh .* --preset $preset\)\( .*\)\?$/\1/p" "$root$at/README.md")
  [ -n "$command" ] || { echo "README.md has no command for the preset $preset" >&2; exit 1; }
  echo "== $command"
  start=$(date +%s)
  status=0
  inside "$command" || status=$?
  printf '== %d s: %s\n' $(($(date +%s) - start)) "$command"
  inside "CCACHE_STATSLOG=$hits ccache --show-log-stats; rm -f $hits" || true
  [ "$status" -eq 0 ] || { echo "== failed with status $status: $command" >&2; exit 1; }
done
