// Two bounded dimensions: the batch of a convolution, and one between two others, whose outer strides depend on it.
memref.global "private" constant @w : memref<1x1x3x3x3x16xf32> = dense<0.1>
func.func @main(%arena: memref<65536xi8>, %x: memref<?x8x8x3xf32> {aotc.name = "x", aotc.dims = ["batch", "", "", ""]},
                %t: memref<4x?x6xf32> {aotc.name = "t", aotc.dims = ["", "seq", ""]},
                %batch: index {aotc.dim = "batch", aotc.minimum = 1 : i64, aotc.maximum = 3 : i64},
                %seq: index {aotc.dim = "seq", aotc.minimum = 1 : i64, aotc.maximum = 5 : i64})
    -> (memref<?x8x8x16xf32> {aotc.name = "y", aotc.dims = ["batch", "", "", ""]},
        memref<4x?x6xf32> {aotc.name = "u", aotc.dims = ["", "seq", ""]},
        memref<?x6x4xf32> {aotc.name = "v", aotc.dims = ["seq", "", ""]}, memref<4x6xf32> {aotc.name = "s"},
        memref<4x?x6xf32> {aotc.name = "z", aotc.dims = ["", "seq", ""]})
    attributes {aotc.input_offsets = array<i64: 40000, 45056>} {
  %0 = arith.constant 0 : index
  %12288 = arith.constant 12288 : index
  %13312 = arith.constant 13312 : index
  %14336 = arith.constant 14336 : index
  %15360 = arith.constant 15360 : index
  %zero = arith.constant 0.0 : f32
  %w = memref.get_global @w : memref<1x1x3x3x3x16xf32>
  %y = memref.view %arena[%0][%batch] : memref<65536xi8> to memref<?x8x8x16xf32>
  %u = memref.view %arena[%12288][%seq] : memref<65536xi8> to memref<4x?x6xf32>
  %v = memref.view %arena[%13312][%seq] : memref<65536xi8> to memref<?x6x4xf32>
  %s = memref.view %arena[%14336][] : memref<65536xi8> to memref<4x6xf32>
  %z = memref.view %arena[%15360][%seq] : memref<65536xi8> to memref<4x?x6xf32>
  kern.conv2d ins(%x, %w, %y) {kernel = array<i64: 3, 3>, strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>,
      dilations = array<i64: 1, 1>, groups = 1 : i64, kind = 0 : i32, extra_maps = []}
    : (memref<?x8x8x3xf32>, memref<1x1x3x3x3x16xf32>, memref<?x8x8x16xf32>) -> ()
  linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (a, b, c)>, affine_map<(a, b, c) -> (a, b, c)>],
      iterator_types = ["parallel", "parallel", "parallel"]} ins(%t : memref<4x?x6xf32>) outs(%u : memref<4x?x6xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = math.tanh %a : f32
    linalg.yield %1 : f32
  }
  linalg.transpose ins(%u : memref<4x?x6xf32>) outs(%v : memref<?x6x4xf32>) permutation = [1, 2, 0]
  linalg.fill ins(%zero : f32) outs(%s : memref<4x6xf32>)
  linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (a, b, c)>, affine_map<(a, b, c) -> (a, c)>],
      iterator_types = ["parallel", "reduction", "parallel"]} ins(%u : memref<4x?x6xf32>) outs(%s : memref<4x6xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.addf %o, %a : f32
    linalg.yield %1 : f32
  }
  kern.softmax ins(%u, %z) {extra_maps = []} : (memref<4x?x6xf32>, memref<4x?x6xf32>) -> ()
  return %y, %u, %v, %s, %z : memref<?x8x8x16xf32>, memref<4x?x6xf32>, memref<?x6x4xf32>, memref<4x6xf32>, memref<4x?x6xf32>
}
