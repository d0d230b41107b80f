// Fused regions hold at most 64 ops: a chain of 80 becomes two steps, and so does one behind a kernel.
// RUN: aotc-opt %s --aotc-convert-nn --cse --aotc-fuse-elementwise --cse | FileCheck %s

// CHECK-LABEL: @chain
// CHECK-COUNT-2: linalg.generic
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @chain(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = nn.tanh %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = nn.exp %0 : (tensor<4xf32>) -> tensor<4xf32>
  %2 = nn.tanh %1 : (tensor<4xf32>) -> tensor<4xf32>
  %3 = nn.exp %2 : (tensor<4xf32>) -> tensor<4xf32>
  %4 = nn.tanh %3 : (tensor<4xf32>) -> tensor<4xf32>
  %5 = nn.exp %4 : (tensor<4xf32>) -> tensor<4xf32>
  %6 = nn.tanh %5 : (tensor<4xf32>) -> tensor<4xf32>
  %7 = nn.exp %6 : (tensor<4xf32>) -> tensor<4xf32>
  %8 = nn.tanh %7 : (tensor<4xf32>) -> tensor<4xf32>
  %9 = nn.exp %8 : (tensor<4xf32>) -> tensor<4xf32>
  %10 = nn.tanh %9 : (tensor<4xf32>) -> tensor<4xf32>
  %11 = nn.exp %10 : (tensor<4xf32>) -> tensor<4xf32>
  %12 = nn.tanh %11 : (tensor<4xf32>) -> tensor<4xf32>
  %13 = nn.exp %12 : (tensor<4xf32>) -> tensor<4xf32>
  %14 = nn.tanh %13 : (tensor<4xf32>) -> tensor<4xf32>
  %15 = nn.exp %14 : (tensor<4xf32>) -> tensor<4xf32>
  %16 = nn.tanh %15 : (tensor<4xf32>) -> tensor<4xf32>
  %17 = nn.exp %16 : (tensor<4xf32>) -> tensor<4xf32>
  %18 = nn.tanh %17 : (tensor<4xf32>) -> tensor<4xf32>
  %19 = nn.exp %18 : (tensor<4xf32>) -> tensor<4xf32>
  %20 = nn.tanh %19 : (tensor<4xf32>) -> tensor<4xf32>
  %21 = nn.exp %20 : (tensor<4xf32>) -> tensor<4xf32>
  %22 = nn.tanh %21 : (tensor<4xf32>) -> tensor<4xf32>
  %23 = nn.exp %22 : (tensor<4xf32>) -> tensor<4xf32>
  %24 = nn.tanh %23 : (tensor<4xf32>) -> tensor<4xf32>
  %25 = nn.exp %24 : (tensor<4xf32>) -> tensor<4xf32>
  %26 = nn.tanh %25 : (tensor<4xf32>) -> tensor<4xf32>
  %27 = nn.exp %26 : (tensor<4xf32>) -> tensor<4xf32>
  %28 = nn.tanh %27 : (tensor<4xf32>) -> tensor<4xf32>
  %29 = nn.exp %28 : (tensor<4xf32>) -> tensor<4xf32>
  %30 = nn.tanh %29 : (tensor<4xf32>) -> tensor<4xf32>
  %31 = nn.exp %30 : (tensor<4xf32>) -> tensor<4xf32>
  %32 = nn.tanh %31 : (tensor<4xf32>) -> tensor<4xf32>
  %33 = nn.exp %32 : (tensor<4xf32>) -> tensor<4xf32>
  %34 = nn.tanh %33 : (tensor<4xf32>) -> tensor<4xf32>
  %35 = nn.exp %34 : (tensor<4xf32>) -> tensor<4xf32>
  %36 = nn.tanh %35 : (tensor<4xf32>) -> tensor<4xf32>
  %37 = nn.exp %36 : (tensor<4xf32>) -> tensor<4xf32>
  %38 = nn.tanh %37 : (tensor<4xf32>) -> tensor<4xf32>
  %39 = nn.exp %38 : (tensor<4xf32>) -> tensor<4xf32>
  %40 = nn.tanh %39 : (tensor<4xf32>) -> tensor<4xf32>
  %41 = nn.exp %40 : (tensor<4xf32>) -> tensor<4xf32>
  %42 = nn.tanh %41 : (tensor<4xf32>) -> tensor<4xf32>
  %43 = nn.exp %42 : (tensor<4xf32>) -> tensor<4xf32>
  %44 = nn.tanh %43 : (tensor<4xf32>) -> tensor<4xf32>
  %45 = nn.exp %44 : (tensor<4xf32>) -> tensor<4xf32>
  %46 = nn.tanh %45 : (tensor<4xf32>) -> tensor<4xf32>
  %47 = nn.exp %46 : (tensor<4xf32>) -> tensor<4xf32>
  %48 = nn.tanh %47 : (tensor<4xf32>) -> tensor<4xf32>
  %49 = nn.exp %48 : (tensor<4xf32>) -> tensor<4xf32>
  %50 = nn.tanh %49 : (tensor<4xf32>) -> tensor<4xf32>
  %51 = nn.exp %50 : (tensor<4xf32>) -> tensor<4xf32>
  %52 = nn.tanh %51 : (tensor<4xf32>) -> tensor<4xf32>
  %53 = nn.exp %52 : (tensor<4xf32>) -> tensor<4xf32>
  %54 = nn.tanh %53 : (tensor<4xf32>) -> tensor<4xf32>
  %55 = nn.exp %54 : (tensor<4xf32>) -> tensor<4xf32>
  %56 = nn.tanh %55 : (tensor<4xf32>) -> tensor<4xf32>
  %57 = nn.exp %56 : (tensor<4xf32>) -> tensor<4xf32>
  %58 = nn.tanh %57 : (tensor<4xf32>) -> tensor<4xf32>
  %59 = nn.exp %58 : (tensor<4xf32>) -> tensor<4xf32>
  %60 = nn.tanh %59 : (tensor<4xf32>) -> tensor<4xf32>
  %61 = nn.exp %60 : (tensor<4xf32>) -> tensor<4xf32>
  %62 = nn.tanh %61 : (tensor<4xf32>) -> tensor<4xf32>
  %63 = nn.exp %62 : (tensor<4xf32>) -> tensor<4xf32>
  %64 = nn.tanh %63 : (tensor<4xf32>) -> tensor<4xf32>
  %65 = nn.exp %64 : (tensor<4xf32>) -> tensor<4xf32>
  %66 = nn.tanh %65 : (tensor<4xf32>) -> tensor<4xf32>
  %67 = nn.exp %66 : (tensor<4xf32>) -> tensor<4xf32>
  %68 = nn.tanh %67 : (tensor<4xf32>) -> tensor<4xf32>
  %69 = nn.exp %68 : (tensor<4xf32>) -> tensor<4xf32>
  %70 = nn.tanh %69 : (tensor<4xf32>) -> tensor<4xf32>
  %71 = nn.exp %70 : (tensor<4xf32>) -> tensor<4xf32>
  %72 = nn.tanh %71 : (tensor<4xf32>) -> tensor<4xf32>
  %73 = nn.exp %72 : (tensor<4xf32>) -> tensor<4xf32>
  %74 = nn.tanh %73 : (tensor<4xf32>) -> tensor<4xf32>
  %75 = nn.exp %74 : (tensor<4xf32>) -> tensor<4xf32>
  %76 = nn.tanh %75 : (tensor<4xf32>) -> tensor<4xf32>
  %77 = nn.exp %76 : (tensor<4xf32>) -> tensor<4xf32>
  %78 = nn.tanh %77 : (tensor<4xf32>) -> tensor<4xf32>
  %79 = nn.exp %78 : (tensor<4xf32>) -> tensor<4xf32>
  return %79 : tensor<4xf32>
}

// CHECK-LABEL: @behind_a_kernel
// CHECK: kern.reduce max {{.*}} epilogue
// CHECK-COUNT-1: linalg.generic
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @behind_a_kernel(%x: tensor<4x8xf32>) -> tensor<4x1xf32> {
  %r = nn.reduce max %x {axes = array<i64: 1>, keepdims = true} : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %0 = nn.tanh %r : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %1 = nn.exp %0 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %2 = nn.tanh %1 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %3 = nn.exp %2 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %4 = nn.tanh %3 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %5 = nn.exp %4 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %6 = nn.tanh %5 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %7 = nn.exp %6 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %8 = nn.tanh %7 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %9 = nn.exp %8 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %10 = nn.tanh %9 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %11 = nn.exp %10 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %12 = nn.tanh %11 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %13 = nn.exp %12 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %14 = nn.tanh %13 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %15 = nn.exp %14 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %16 = nn.tanh %15 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %17 = nn.exp %16 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %18 = nn.tanh %17 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %19 = nn.exp %18 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %20 = nn.tanh %19 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %21 = nn.exp %20 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %22 = nn.tanh %21 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %23 = nn.exp %22 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %24 = nn.tanh %23 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %25 = nn.exp %24 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %26 = nn.tanh %25 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %27 = nn.exp %26 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %28 = nn.tanh %27 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %29 = nn.exp %28 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %30 = nn.tanh %29 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %31 = nn.exp %30 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %32 = nn.tanh %31 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %33 = nn.exp %32 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %34 = nn.tanh %33 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %35 = nn.exp %34 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %36 = nn.tanh %35 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %37 = nn.exp %36 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %38 = nn.tanh %37 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %39 = nn.exp %38 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %40 = nn.tanh %39 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %41 = nn.exp %40 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %42 = nn.tanh %41 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %43 = nn.exp %42 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %44 = nn.tanh %43 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %45 = nn.exp %44 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %46 = nn.tanh %45 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %47 = nn.exp %46 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %48 = nn.tanh %47 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %49 = nn.exp %48 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %50 = nn.tanh %49 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %51 = nn.exp %50 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %52 = nn.tanh %51 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %53 = nn.exp %52 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %54 = nn.tanh %53 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %55 = nn.exp %54 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %56 = nn.tanh %55 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %57 = nn.exp %56 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %58 = nn.tanh %57 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %59 = nn.exp %58 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %60 = nn.tanh %59 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %61 = nn.exp %60 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %62 = nn.tanh %61 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %63 = nn.exp %62 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %64 = nn.tanh %63 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %65 = nn.exp %64 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %66 = nn.tanh %65 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %67 = nn.exp %66 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %68 = nn.tanh %67 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %69 = nn.exp %68 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %70 = nn.tanh %69 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %71 = nn.exp %70 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %72 = nn.tanh %71 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %73 = nn.exp %72 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %74 = nn.tanh %73 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %75 = nn.exp %74 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %76 = nn.tanh %75 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %77 = nn.exp %76 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %78 = nn.tanh %77 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %79 = nn.exp %78 : (tensor<4x1xf32>) -> tensor<4x1xf32>
  return %79 : tensor<4x1xf32>
}
