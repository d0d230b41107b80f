#!/usr/bin/env bash
# Runs each example as its README line says, and checks what it showed. Closes with 'N passed, N failed, N skipped'.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
passed=0 failed=0

check() {
  local what=$1
  shift
  if "$@"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "failed: $what"
  fi
}

quickstart=build/examples/quickstart

runs_quickstart() {
  rm -f $quickstart/faces.png
  mkdir -p $quickstart
  examples/quickstart/run.sh 2>&1 </dev/null | tee $quickstart/shown.txt
  return "${PIPESTATUS[0]}"
}

# ONNX Runtime and the same scaling give one face at (139.99, 48.55) to (210.62, 135.45).
finds_the_face() {
  [ "$(grep -c '^face at' $quickstart/shown.txt)" = 1 ] &&
    grep -Eq '^face at \((139|140|141), (48|49|50)\) to \((210|211|212), (134|135|136)\), score (1\.000|0\.999)$' $quickstart/shown.txt
}

tells_the_latency() { grep -Eq '^latency: [0-9.]+ ms median' $quickstart/shown.txt; }

writes_a_picture() { [ "$(od -An -tx1 -N8 $quickstart/faces.png | tr -d ' \n')" = 89504e470d0a1a0a ]; }

# The network brings no library of its own along.
links_only_the_system() {
  local others
  others=$(readelf -d $quickstart/quickstart | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' |
    grep -Ev '^(libc|libm|libpthread|libstdc\+\+|libgcc_s|ld-linux-[a-z0-9-]+)\.so\.[0-9]+$')
  [ -z "$others" ] || { echo "linked as well: $others"; false; }
}

check 'quickstart: run.sh' runs_quickstart
check 'quickstart: the face is found where it is' finds_the_face
check 'quickstart: the latency is printed' tells_the_latency
check 'quickstart: the PNG is written' writes_a_picture
check 'quickstart: nothing is linked but libc, libstdc++, libm and pthread' links_only_the_system

# The same program on a GPU, or what Mesa has in place of one; skipped where Vulkan is not installed.
runs_on_vulkan() {
  local build=build/examples/quickstart_vulkan
  cmake -S examples/quickstart -B $build -G Ninja -DCMAKE_BUILD_TYPE=Release -DQUICKSTART_VULKAN=ON "-DCMAKE_PREFIX_PATH=$PWD/build/install" &&
    cmake --build $build && $build/quickstart examples/quickstart/astronaut.ppm $build/faces.png >$quickstart/shown.txt && finds_the_face
}

skipped=0
if [ -e /usr/include/vulkan/vulkan.h ]; then
  check 'quickstart: the face is found on a GPU' runs_on_vulkan
else
  skipped=1
fi

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
