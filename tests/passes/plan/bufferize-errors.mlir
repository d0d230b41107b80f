// An output needs a buffer of its own; one whose extent is only known at run time cannot be copied to it.
// RUN: aotc-opt %s --aotc-bufferize --verify-diagnostics

// expected-error@+1 {{output 0 has a bounded dim and must be computed, found another value's buffer}}
func.func @input(%x: tensor<?x4xf32> {aotc.dims = ["n", ""], aotc.bounds = array<i64: 4, 4>}, %n: index {aotc.dim = "n", aotc.minimum = 1 : i64, aotc.maximum = 4 : i64}) -> tensor<?x4xf32> {
  return %x : tensor<?x4xf32>
}
