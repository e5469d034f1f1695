#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Installs from Debian what the library, its tests and its demo need; does nothing if everything is installed.
#   sh cmake/setup.sh            what the README's commands need
#   sh cmake/setup.sh --docs     also what builds the documentation
#   sh cmake/setup.sh --checks   also what .ci/run needs: the documentation, a second compiler, the checks of packages
#   sh cmake/setup.sh --extras   also peers, browser tools and more libraries
set -eu

packages="g++ cmake ninja-build ccache pkg-config libeigen3-dev catch2 nlohmann-json3-dev libpugixml-dev libcli11-dev libbenchmark-dev gnuplot-nox"
docs="doxygen libjs-mathjax doxygen-awesome-css"
checks="clang-16 libclang-rt-16-dev libc++-16-dev libc++abi-16-dev clang-14 emscripten lintian libtbb-dev libopenmpi-dev valgrind python3 debootstrap"
extras="libmujoco-dev libsundials-dev libfcl-dev libdart-dev chromium clang-format clang-tidy"
command -v npm >/dev/null || extras="$extras nodejs npm"  # an npm from elsewhere is kept

case "${1:-}" in
  "") ;;
  --docs) packages="$packages $docs" ;;
  --checks) packages="$packages $docs $checks" ;;
  --extras) packages="$packages $docs $checks $extras" ;;
  *) echo "usage: sh cmake/setup.sh [--docs | --checks | --extras]" >&2; exit 2 ;;
esac

if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
  echo "This is not a Debian system, so nothing is installed. These are needed: a C++20 compiler (g++ 12, clang 16 or newer), CMake 3.25, Ninja;"
  echo "gnuplot for the figures. CMake fetches the libraries that it does not find. Debian's names: $packages"
  exit 0
fi

missing=""
for package in $packages; do
  status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) || status=absent
  [ "$status" = installed ] || missing="$missing $package"
done

as_root=""
if [ "$(id -u)" -ne 0 ]; then as_root="sudo"; fi
if [ -n "$missing" ]; then
  [ -z "$as_root" ] || command -v sudo >/dev/null || { echo "To be installed as root:$missing" >&2; exit 1; }
  echo "Installing:$missing"
  $as_root apt-get update -q
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $missing
fi
if [ "${1:-}" = --extras ] && ! npm list --global gltf-validator >/dev/null 2>&1; then
  $as_root npm install --global gltf-validator  # Khronos's validator, for which Debian has no package
fi
