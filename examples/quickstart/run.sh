#!/usr/bin/env bash
# From a fresh clone to detected faces: installs what is missing, builds and installs aotc into build/install, builds this
# example against it, and runs it on a photograph.
#
#   examples/quickstart/run.sh [PHOTO.ppm]
set -euo pipefail
example=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$example/../.." && pwd)
photo=$(realpath -- "${1:-$example/astronaut.ppm}")
install=$root/build/install
build=$root/build/examples/quickstart
cd "$root"
mkdir -p "$build"

# Says what is being done and shows a step's output only when it fails.
step() {
  local what=$1 log=$build/run.log
  shift
  echo "-- $what"
  "$@" >"$log" 2>&1 </dev/null || {
    tail -n 60 "$log"
    echo "failed: $*"
    exit 1
  }
}

scripts/setup.sh
step 'configuring aotc' cmake --preset release
step 'building aotc (a few minutes the first time)' cmake --build --preset release --target aotc
step 'installing aotc into build/install' cmake --install build/release --prefix "$install"
step 'configuring the example' cmake -S "$example" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release "-DCMAKE_PREFIX_PATH=$install"
step 'compiling the network to C++, and the example' cmake --build "$build"

echo "-- running $build/quickstart"
"$build/quickstart" "$photo" "$build/faces.png"
echo "the photograph with the faces marked: $build/faces.png"
