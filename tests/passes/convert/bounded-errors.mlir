// What is not supported of unknown extents is said about the node.
// RUN: aotc-opt %s --aotc-convert-nn --split-input-file --verify-diagnostics

// An extent that follows from no dim: made by no importer.
func.func @unbounded(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error@+1 {{extents must be known when compiling or follow from bounded dims, found f32 [?]}}
  %0 = nn.softmax %x {axis = 0 : i64} : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
