#!/usr/bin/env bash
# Everything that CI runs: installs what is missing, builds aotc, runs all tests, and ends with one line that sums them up.
#
#   tests/run.sh [--preset release|debug|asan] [STAGE…]      stages: format unit passes e2e examples (all, in this order),
#                                                                   and lint (clang-tidy over everything: minutes)
#
# Models that are not in tests/data come from the folder AOTC_SHARED; what needs it is skipped where it is missing, except
# with CI=true, where a skipped test counts as failed.
set -uo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root" || exit 1

export AOTC_SHARED=${AOTC_SHARED-$root/../shared}
[ -f "$AOTC_SHARED/models/INDEX.tsv" ] && AOTC_SHARED=$(cd "$AOTC_SHARED" && pwd) || AOTC_SHARED=

preset=release
if [ "${1-}" = --preset ]; then
  preset=${2:?a preset is wanted after --preset}
  shift 2
fi
stages=("$@")
[ ${#stages[@]} -gt 0 ] || stages=(format unit passes e2e examples)

build=$root/build/$preset
logs=$build/tests
mkdir -p "$logs"
findings=$logs/failures.txt # what failed, said again at the end of a long output
: >"$findings"
export AOTC_BUILD=$build AOTC=$build/driver/aotc AOTC_PYTHON=$root/.venv/bin/python
passed=0 failed=0 skipped=0
failures=()

# Adds one stage's figures: count NAME SECONDS PASSED FAILED SKIPPED
count() {
  passed=$((passed + $3)) failed=$((failed + $4)) skipped=$((skipped + $5))
  [ "$4" = 0 ] || failures+=("$1")
  printf '== %s: %d passed, %d failed, %d skipped (%d s)\n' "$1" "$3" "$4" "$5" "$2"
}

# Runs a program whose last line reads 'N passed, N failed[, N skipped]' and adds its figures; a program that ends without
# that line, or with an exit code that contradicts it, is one failure more: counted NAME LIMIT_SECONDS COMMAND…
counted() {
  local name=$1 limit=$2 start=$SECONDS log=$logs/${1//\//_}.log code last
  shift 2
  printf -- '-- %s\n' "$name"
  timeout --kill-after=20 "$limit" "$@" 2>&1 </dev/null | tee "$log"
  code=${PIPESTATUS[0]}
  last=$(tail -n 1 "$log")
  if [[ $last =~ ([0-9]+)\ passed,\ ([0-9]+)\ failed(,\ ([0-9]+)\ skipped)? ]]; then
    local good=${BASH_REMATCH[1]} bad=${BASH_REMATCH[2]} left=${BASH_REMATCH[4]:-0}
    [ "$code" = 0 ] || [ "$bad" -gt 0 ] || bad=1
    [ "$bad" = 0 ] || grep -iE '^ *fail(ed)?:? |\*\*\*(Failed|Timeout)' "$log" | head -n 20 | sed "s|^ *|$name: |" >>"$findings"
    count "$name" $((SECONDS - start)) "$good" "$bad" "$left"
  else
    echo "$name: ended with code $code and without its closing line"
    count "$name" $((SECONDS - start)) 0 1 0
  fi
}

# Runs a preparing step whose output matters only when it fails; nothing can be tested then: prepare NAME COMMAND…
prepare() {
  local name=$1 start=$SECONDS
  shift
  if ! "$@" >"$logs/$name.log" 2>&1 </dev/null; then
    tail -n 200 "$logs/$name.log"
    echo "$name failed: $*"
    echo "0 passed, 1 failed"
    exit 1
  fi
  echo "== $name (${SECONDS} s since the start, $((SECONDS - start)) s for this)"
}

prepare setup scripts/setup.sh --tests
prepare configure cmake --preset "$preset"
prepare build cmake --build --preset "$preset"

for stage in "${stages[@]}"; do
  case $stage in
    format) counted format 120 python3 tests/format.py ;;
    lint) counted lint 1500 python3 tests/lint.py "$build" ;;
    unit) counted unit 1200 python3 tests/summarize.py ctest "$build" "$logs/unit.xml" ;;
    passes) counted passes 600 python3 tests/summarize.py lit "$build/driver" "$logs/passes.json" ;;
    e2e)
      for program in tests/e2e/run_*; do
        name=e2e/$(basename "${program%.*}")
        case $program in
          *.py) counted "$name" 1800 "$AOTC_PYTHON" "$program" ;;
          *.sh) counted "$name" 1800 bash "$program" ;;
        esac
      done
      ;;
    examples) counted examples 1200 bash tests/examples.sh ;;
    *)
      echo "unknown stage '$stage'" >&2
      exit 2
      ;;
  esac
done

command -v ccache >/dev/null && ccache --show-stats | sed -n '1,4p'
[ ${#failures[@]} = 0 ] || echo "failed in: ${failures[*]} (logs: $logs)"
cat "$findings"
if [ "${CI-}" = true ] && [ "$skipped" -gt 0 ]; then
  echo "in CI nothing may be skipped: $skipped skipped tests count as failed"
  failed=$((failed + skipped)) skipped=0
fi
echo "all of it took $SECONDS s"
if [ "$skipped" -gt 0 ]; then
  echo "$passed passed, $failed failed, $skipped skipped"
else
  echo "$passed passed, $failed failed"
fi
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
