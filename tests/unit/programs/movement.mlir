// Copies, transposes, slices and concatenations through views, fills, folds as loops and as kernels, gather, resizing,
// branches.
memref.global "private" constant @rows : memref<4x1xi32> = dense<[[0], [0], [1], [2]]>
memref.global "private" constant @columns : memref<2x1xi32> = dense<[[3], [1]]>
memref.global "private" constant @ones : memref<4x1xf32> = dense<1.0>
memref.global "private" constant @two_ones : memref<2x1xf32> = dense<1.0>
func.func @main(%arena: memref<16384xi8>, %x: memref<2x3x4x5xf32> {aotc.name = "x"}, %row: memref<5xf32> {aotc.name = "row"},
                %index: memref<3xi64> {aotc.name = "index"}, %yes: memref<i1> {aotc.name = "yes"},
                %no: memref<i1> {aotc.name = "no"}, %s: memref<f32> {aotc.name = "s"})
    -> (memref<2x4x5x3xf32> {aotc.name = "permuted"}, memref<5x3x2x4xf32> {aotc.name = "transposed"},
        memref<5xf32> {aotc.name = "reversed"}, memref<2x5xf32> {aotc.name = "expanded"}, memref<1x10xf32> {aotc.name = "joined"},
        memref<2x2x2x3xf32> {aotc.name = "slice"}, memref<3x4xf32> {aotc.name = "filled"}, memref<2x5xf32> {aotc.name = "sums"},
        memref<24xi64> {aotc.name = "largest"}, memref<6x5xf32> {aotc.name = "means"}, memref<6x3x5xf32> {aotc.name = "gathered"},
        memref<2x2x4x5xf32> {aotc.name = "pooled"}, memref<2x4x2x5xf32> {aotc.name = "resized"},
        memref<5xf32> {aotc.name = "first"}, memref<5xf32> {aotc.name = "second"}, memref<f32> {aotc.name = "point"},
        memref<2x3x4x5xf32> {aotc.name = "shifted"})
    attributes {aotc.input_offsets = array<i64: 8192, 9216, 9472, 9600, 9664, 9728>} {
  %0 = arith.constant 0 : index
  %512 = arith.constant 512 : index
  %1024 = arith.constant 1024 : index
  %1088 = arith.constant 1088 : index
  %1152 = arith.constant 1152 : index
  %1216 = arith.constant 1216 : index
  %1344 = arith.constant 1344 : index
  %1408 = arith.constant 1408 : index
  %1472 = arith.constant 1472 : index
  %1728 = arith.constant 1728 : index
  %1856 = arith.constant 1856 : index
  %2240 = arith.constant 2240 : index
  %2560 = arith.constant 2560 : index
  %2880 = arith.constant 2880 : index
  %2944 = arith.constant 2944 : index
  %3008 = arith.constant 3008 : index
  %3072 = arith.constant 3072 : index
  %3584 = arith.constant 3584 : index
  %zero = arith.constant 0.0 : f32
  %least = arith.constant 0xFF800000 : f32
  %none = arith.constant 0 : i64
  %rows = memref.get_global @rows : memref<4x1xi32>
  %columns = memref.get_global @columns : memref<2x1xi32>
  %ones = memref.get_global @ones : memref<4x1xf32>
  %two_ones = memref.get_global @two_ones : memref<2x1xf32>
  %permuted = memref.view %arena[%0][] : memref<16384xi8> to memref<2x4x5x3xf32>
  %transposed = memref.view %arena[%512][] : memref<16384xi8> to memref<5x3x2x4xf32>
  %reversed = memref.view %arena[%1024][] : memref<16384xi8> to memref<5xf32>
  %expanded = memref.view %arena[%1088][] : memref<16384xi8> to memref<2x5xf32>
  %joined = memref.view %arena[%1152][] : memref<16384xi8> to memref<1x10xf32>
  %slice = memref.view %arena[%1216][] : memref<16384xi8> to memref<2x2x2x3xf32>
  %filled = memref.view %arena[%1344][] : memref<16384xi8> to memref<3x4xf32>
  %sums = memref.view %arena[%1408][] : memref<16384xi8> to memref<2x5xf32>
  %largest = memref.view %arena[%1472][] : memref<16384xi8> to memref<24xi64>
  %means = memref.view %arena[%1728][] : memref<16384xi8> to memref<6x5xf32>
  %gathered = memref.view %arena[%1856][] : memref<16384xi8> to memref<6x3x5xf32>
  %pooled = memref.view %arena[%2240][] : memref<16384xi8> to memref<2x2x4x5xf32>
  %resized = memref.view %arena[%2560][] : memref<16384xi8> to memref<2x4x2x5xf32>
  %first = memref.view %arena[%2880][] : memref<16384xi8> to memref<5xf32>
  %second = memref.view %arena[%2944][] : memref<16384xi8> to memref<5xf32>
  %point = memref.view %arena[%3008][] : memref<16384xi8> to memref<f32>
  %shifted = memref.view %arena[%3072][] : memref<16384xi8> to memref<2x3x4x5xf32>
  %values = memref.view %arena[%3584][] : memref<16384xi8> to memref<24xf32>

  linalg.generic {indexing_maps = [affine_map<(n, h, w, c) -> (n, c, h, w)>, affine_map<(n, h, w, c) -> (n, h, w, c)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x : memref<2x3x4x5xf32>) outs(%permuted : memref<2x4x5x3xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.addf %a, %a : f32
    linalg.yield %1 : f32
  }
  linalg.transpose ins(%x : memref<2x3x4x5xf32>) outs(%transposed : memref<5x3x2x4xf32>) permutation = [3, 1, 0, 2]
  linalg.generic {indexing_maps = [affine_map<(i) -> (-i + 4)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%row : memref<5xf32>) outs(%reversed : memref<5xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%row : memref<5xf32>) outs(%expanded : memref<2x5xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  }
  %left = memref.subview %joined[0, 0] [1, 5] [1, 1] : memref<1x10xf32> to memref<5xf32, strided<[1]>>
  %right = memref.subview %joined[0, 5] [1, 5] [1, 1] : memref<1x10xf32> to memref<5xf32, strided<[1], offset: 5>>
  memref.copy %row, %left : memref<5xf32> to memref<5xf32, strided<[1]>>
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%row : memref<5xf32>) outs(%right : memref<5xf32, strided<[1], offset: 5>>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.mulf %a, %a : f32
    linalg.yield %1 : f32
  }
  %part = memref.subview %x[0, 1, 0, 1] [2, 2, 2, 3] [1, 1, 2, 1]
    : memref<2x3x4x5xf32> to memref<2x2x2x3xf32, strided<[60, 20, 10, 1], offset: 21>>
  memref.copy %part, %slice : memref<2x2x2x3xf32, strided<[60, 20, 10, 1], offset: 21>> to memref<2x2x2x3xf32>
  linalg.fill ins(%least : f32) outs(%filled : memref<3x4xf32>)
  linalg.fill ins(%zero : f32) outs(%sums : memref<2x5xf32>)
  linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) -> (a, d)>],
      iterator_types = ["parallel", "reduction", "reduction", "parallel"]}
      ins(%x : memref<2x3x4x5xf32>) outs(%sums : memref<2x5xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.addf %o, %a : f32
    linalg.yield %1 : f32
  }
  %lines = memref.collapse_shape %x [[0, 1, 2], [3]] : memref<2x3x4x5xf32> into memref<24x5xf32>
  linalg.fill ins(%least : f32) outs(%values : memref<24xf32>)
  linalg.fill ins(%none : i64) outs(%largest : memref<24xi64>)
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%lines : memref<24x5xf32>) outs(%values, %largest : memref<24xf32>, memref<24xi64>) {
  ^bb0(%a: f32, %most: f32, %at: i64):
    %1 = arith.cmpf ogt, %a, %most : f32
    %2 = linalg.index 1 : index
    %3 = arith.index_cast %2 : index to i64
    %4 = arith.select %1, %a, %most : f32
    %5 = arith.select %1, %3, %at : i64
    linalg.yield %4, %5 : f32, i64
  }
  %blocks = memref.collapse_shape %x [[0, 1], [2], [3]] : memref<2x3x4x5xf32> into memref<6x4x5xf32>
  kern.reduce sum ins(%blocks, %means) epilogue {
  ^bb0(%sum: f32):
    %quarter = arith.constant 0.25 : f32
    %1 = arith.mulf %sum, %quarter : f32
    kern.yield %1 : f32
  } {extra_maps = []} : (memref<6x4x5xf32>, memref<6x5xf32>) -> ()
  kern.gather ins(%blocks, %index, %gathered) : (memref<6x4x5xf32>, memref<3xi64>, memref<6x3x5xf32>) -> ()
  kern.max_pool2d ins(%x, %pooled) {kernel = array<i64: 2, 1>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>,
      dilations = array<i64: 1, 1>, extra_maps = []} : (memref<2x3x4x5xf32>, memref<2x2x4x5xf32>) -> ()
  kern.resize2d ins(%x, %rows, %ones, %columns, %two_ones, %resized) {extra_maps = []}
    : (memref<2x3x4x5xf32>, memref<4x1xi32>, memref<4x1xf32>, memref<2x1xi32>, memref<2x1xf32>, memref<2x4x2x5xf32>) -> ()
  %1 = memref.load %yes[] : memref<i1>
  scf.if %1 {
    memref.copy %row, %first : memref<5xf32> to memref<5xf32>
  } else {
    linalg.fill ins(%zero : f32) outs(%first : memref<5xf32>)
  }
  %2 = memref.load %no[] : memref<i1>
  scf.if %2 {
    memref.copy %row, %second : memref<5xf32> to memref<5xf32>
  } else {
    linalg.fill ins(%zero : f32) outs(%second : memref<5xf32>)
  }
  linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []}
      ins(%s : memref<f32>) outs(%point : memref<f32>) {
  ^bb0(%a: f32, %o: f32):
    %3 = arith.mulf %a, %a : f32
    linalg.yield %3 : f32
  }
  linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) -> ()>,
      affine_map<(a, b, c, d) -> (a, b, c, d)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x, %s : memref<2x3x4x5xf32>, memref<f32>) outs(%shifted : memref<2x3x4x5xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %3 = arith.subf %a, %b : f32
    linalg.yield %3 : f32
  }
  return %permuted, %transposed, %reversed, %expanded, %joined, %slice, %filled, %sums, %largest, %means, %gathered, %pooled,
         %resized, %first, %second, %point, %shifted
    : memref<2x4x5x3xf32>, memref<5x3x2x4xf32>, memref<5xf32>, memref<2x5xf32>, memref<1x10xf32>, memref<2x2x2x3xf32>,
      memref<3x4xf32>, memref<2x5xf32>, memref<24xi64>, memref<6x5xf32>, memref<6x3x5xf32>, memref<2x2x4x5xf32>,
      memref<2x4x2x5xf32>, memref<5xf32>, memref<5xf32>, memref<f32>, memref<2x3x4x5xf32>
}
