#!/usr/bin/env bash
# Installs what is missing on a Debian 12 to build aotc and what it generates; with --tests also what the tests need, and a
# Python environment in .venv. Changes nothing where all is there. Needs root or sudo only where a package is missing.
#
#   scripts/setup.sh [--tests]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

build_packages=(
  g++ make cmake ninja-build
  libmlir-19-dev mlir-19-tools llvm-19-dev
  libonnx-dev libprotobuf-dev
  libxsimd-dev libgtest-dev
)
test_packages=(
  clang-19 libclang-rt-19-dev clang-format clang-tidy-19 ccache
  python3 python3-venv                                        # numbers against ONNX Runtime
  qemu-user g++-aarch64-linux-gnu libc6-dev-arm64-cross       # aarch64, and x86-64 without AVX
  qemu-system-arm gcc-arm-none-eabi libstdc++-arm-none-eabi-newlib  # Cortex-M
  libvulkan-dev mesa-vulkan-drivers vulkan-validationlayers spirv-tools  # Vulkan, on a driver in software
)

fail() {
  printf 'setup: %s\n' "$@" >&2
  exit 1
}

# Prints those of the given packages that are not installed, one a line.
missing_packages() {
  local package
  for package in "$@"; do
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || echo "$package"
  done
}

install_packages() {
  local system='an unknown system' log
  [ -r /etc/os-release ] && system=$(. /etc/os-release && echo "${ID:-?} ${VERSION_ID:-?}")
  [ "$system" = 'debian 12' ] || fail "this script knows Debian 12 only and found $system; it would install: $*"

  local missing as_root=()
  mapfile -t missing < <(missing_packages "$@")
  [ ${#missing[@]} -gt 0 ] || return 0
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || fail "these packages are missing, and this is neither root nor is there sudo: ${missing[*]}"
    as_root=(sudo)
  fi
  echo "setup: installing ${missing[*]}"
  log=$(mktemp)
  if ! { "${as_root[@]}" apt-get update -q=2 &&
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q=2 --no-install-recommends \
      -o DPkg::Lock::Timeout=300 "${missing[@]}"; } >"$log" 2>&1 </dev/null; then
    tail -n 40 "$log" >&2
    fail "apt-get failed (its last lines stand above)"
  fi
  rm -f "$log"
}

# The environment is made anew whenever the pinned versions change or the folder was moved.
install_python() {
  local stamp=.venv/requirements.installed
  if cmp -s scripts/requirements.txt "$stamp" && .venv/bin/python -c 'import numpy, onnx, onnxruntime' 2>/dev/null; then
    return 0
  fi
  echo "setup: making .venv"
  rm -rf .venv
  python3 -m venv .venv
  .venv/bin/python -m pip install --quiet --disable-pip-version-check --requirement scripts/requirements.txt ||
    fail "pip could not install scripts/requirements.txt"
  cp scripts/requirements.txt "$stamp"
}

case "${1-}" in
  '') install_packages "${build_packages[@]}" ;;
  --tests)
    install_packages "${build_packages[@]}" "${test_packages[@]}"
    install_python
    ;;
  *)
    echo "usage: scripts/setup.sh [--tests]" >&2
    exit 2
    ;;
esac
