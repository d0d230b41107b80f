// A border, two convolutions with a halo between them, the second one adding its input, a gated activation, pooling, a
// dense layer and softmax.
#conv_1 = loc(fused<#nn.node<"net/conv_1/BiasAdd;net/conv_1/Conv2D", "Conv", 17>>[unknown])
#relu_1 = loc(fused<#nn.node<"relu_1", "Relu", 17>>[unknown])
#conv_2 = loc(fused<#nn.node<"conv_2", "Conv", 17>>[unknown])
#add_2 = loc(fused<#nn.node<"add_2", "Add", 17>>[unknown])
#relu_2 = loc(fused<#nn.node<"relu_2", "Relu", 17>>[unknown])
#swish = loc(fused<#nn.node<"swish", "Sigmoid", 17>>[unknown])
#swish_mul = loc(fused<#nn.node<"swish_mul", "Mul", 17>>[unknown])
#pool = loc(fused<#nn.node<"pool", "GlobalAveragePool", 17>>[unknown])
#dense = loc(fused<#nn.node<"dense", "Gemm", 17>>[unknown])
#softmax = loc(fused<#nn.node<"softmax", "Softmax", 17>>[unknown])

memref.global "private" constant @w1 : memref<1x1x3x3x3x16xf32> = dense<0.1>
memref.global "private" constant @w2 : memref<1x1x3x3x16x16xf32> = dense<0.01>
memref.global "private" constant @w3 : memref<1x16x16xf32> = dense<0.3>
memref.global "private" constant @b1 : memref<16xf32> = dense<[0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2, 1.3, 1.4, 1.5]>
memref.global "private" constant @b3 : memref<10xf32> = dense<[0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]>

func.func @main(%arena: memref<32768xi8>, %image: memref<1x8x8x3xf32> {aotc.name = "image:0"})
    -> (memref<1x10xf32> {aotc.name = "probabilities"}, memref<1x8x8x16xf32> {aotc.name = "features"})
    attributes {aotc.input_offsets = array<i64: 20000>} {
  %0 = arith.constant 0 : index
  %6400 = arith.constant 6400 : index
  %12800 = arith.constant 12800 : index
  %16896 = arith.constant 16896 : index
  %17024 = arith.constant 17024 : index
  %17152 = arith.constant 17152 : index
  %w1 = memref.get_global @w1 : memref<1x1x3x3x3x16xf32>
  %w2 = memref.get_global @w2 : memref<1x1x3x3x16x16xf32>
  %w3 = memref.get_global @w3 : memref<1x16x16xf32>
  %b1 = memref.get_global @b1 : memref<16xf32>
  %b3 = memref.get_global @b3 : memref<10xf32>
  %padded = memref.view %arena[%0][] : memref<32768xi8> to memref<1x10x10x16xf32>
  %inside = memref.subview %padded[0, 1, 1, 0] [1, 8, 8, 16] [1, 1, 1, 1]
    : memref<1x10x10x16xf32> to memref<1x8x8x16xf32, strided<[1600, 160, 16, 1], offset: 176>>
  %second = memref.view %arena[%6400][] : memref<32768xi8> to memref<1x8x8x16xf32>
  %features = memref.view %arena[%12800][] : memref<32768xi8> to memref<1x8x8x16xf32>
  %pooled = memref.view %arena[%16896][] : memref<32768xi8> to memref<1x1x1x16xf32>
  %row = memref.collapse_shape %pooled [[0], [1], [2, 3]] : memref<1x1x1x16xf32> into memref<1x1x16xf32>
  %scores = memref.view %arena[%17024][] : memref<32768xi8> to memref<1x1x10xf32>
  %flat = memref.collapse_shape %scores [[0, 1], [2]] : memref<1x1x10xf32> into memref<1x10xf32>
  %column = memref.expand_shape %flat [[0], [1, 2]] output_shape [1, 10, 1] : memref<1x10xf32> into memref<1x10x1xf32>
  %last = memref.view %arena[%17152][] : memref<32768xi8> to memref<1x10x1xf32>
  %probabilities = memref.collapse_shape %last [[0], [1, 2]] : memref<1x10x1xf32> into memref<1x10xf32>

  %nothing = arith.constant 0.0 : f32
  linalg.fill ins(%nothing : f32) outs(%padded : memref<1x10x10x16xf32>) loc(#conv_2)
  kern.conv2d ins(%image, %w1, %b1, %inside) epilogue {
  ^bb0(%sum: f32, %bias: f32):
    %zero = arith.constant 0.0 : f32
    %1 = arith.addf %sum, %bias : f32
    %2 = arith.maximumf %1, %zero : f32
    kern.yield %2 : f32
  } {kernel = array<i64: 3, 3>, strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>,
     groups = 1 : i64, kind = 0 : i32, extra_maps = [affine_map<(n, h, w, c) -> (c)>]}
    : (memref<1x8x8x3xf32>, memref<1x1x3x3x3x16xf32>, memref<16xf32>,
       memref<1x8x8x16xf32, strided<[1600, 160, 16, 1], offset: 176>>) -> () loc(fused[#conv_1, #relu_1])
  kern.conv2d ins(%padded, %w2, %inside, %b1, %second) epilogue {
  ^bb0(%sum: f32, %skip: f32, %scale: f32):
    %zero = arith.constant 0.0 : f32
    %1 = arith.mulf %sum, %scale : f32
    %2 = arith.addf %skip, %1 : f32
    %3 = arith.maximumf %2, %zero : f32
    kern.yield %3 : f32
  } {kernel = array<i64: 3, 3>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>,
     groups = 1 : i64, kind = 0 : i32, extra_maps = [affine_map<(n, h, w, c) -> (n, h, w, c)>, affine_map<(n, h, w, c) -> (c)>]}
    : (memref<1x10x10x16xf32>, memref<1x1x3x3x16x16xf32>, memref<1x8x8x16xf32, strided<[1600, 160, 16, 1], offset: 176>>,
       memref<16xf32>, memref<1x8x8x16xf32>) -> () loc(fused[#conv_2, #add_2, #relu_2])
  linalg.generic {indexing_maps = [affine_map<(n, h, w, c) -> (n, h, w, c)>, affine_map<(n, h, w, c) -> (c)>,
                                   affine_map<(n, h, w, c) -> (n, h, w, c)>],
                  iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%second, %b1 : memref<1x8x8x16xf32>, memref<16xf32>) outs(%features : memref<1x8x8x16xf32>) {
  ^bb0(%x: f32, %scale: f32, %y: f32):
    %one = arith.constant 1.0 : f32
    %1 = arith.negf %x : f32
    %2 = math.exp %1 : f32
    %3 = arith.addf %2, %one : f32
    %4 = arith.divf %one, %3 : f32
    %5 = arith.mulf %x, %4 : f32
    %6 = arith.mulf %5, %scale : f32
    linalg.yield %6 : f32
  } loc(fused[#swish, #swish_mul])
  kern.average_pool2d ins(%features, %pooled) {kernel = array<i64: 8, 8>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>,
      dilations = array<i64: 1, 1>, extra_maps = []} : (memref<1x8x8x16xf32>, memref<1x1x1x16xf32>) -> () loc(#pool)
  kern.matmul ins(%row, %w3, %b3, %scores) epilogue {
  ^bb0(%sum: f32, %bias: f32):
    %1 = arith.addf %sum, %bias : f32
    kern.yield %1 : f32
  } {packed, extra_maps = [affine_map<(b, m, n) -> (n)>]}
    : (memref<1x1x16xf32>, memref<1x16x16xf32>, memref<10xf32>, memref<1x1x10xf32>) -> () loc(#dense)
  kern.softmax ins(%column, %last) {extra_maps = []} : (memref<1x10x1xf32>, memref<1x10x1xf32>) -> () loc(#softmax)
  return %probabilities, %features : memref<1x10xf32>, memref<1x8x8x16xf32>
}
