// Tree ensembles are packed into records, support vector machines and tables become calls of plain kernels.
// RUN: aotc-opt %s --aotc-convert-nn | FileCheck %s

// Eight roots, of which one is a tree; then the two children of its root, the failed test's first: NaN fails everywhere.
// Leaves lead to themselves and have NaN for a threshold.
// CHECK-LABEL: @trees
// CHECK-DAG: dense<[1056964608, 33, 2143289344, 4, {{.*}}, 2143289345, 32, 2143289344, 36]> : tensor<20xi32>
// CHECK-DAG: dense<1> : tensor<1xi32>
// CHECK: kern.call "trees"
// CHECK-SAME: call_arguments = ["aotc::NarrowNodes{}", "aotc::SumOfLeaves{}"], header = "trees"
// CHECK-SAME: members = ["rows", "features", "targets", "trees", "groups", "feature_bits", "missing", "single_weight"]
// CHECK-SAME: values = [2, 3, 1, 1, 1, 2, 0, 1]
func.func @trees(%x: tensor<2x3xf32>) -> tensor<2x1xf32> {
  %features = nn.constant dense<1> : tensor<1xi32>
  %thresholds = nn.constant dense<5.0e-01> : tensor<1xf64>
  %passed = nn.constant dense<-1> : tensor<1xi32>
  %failed = nn.constant dense<-2> : tensor<1xi32>
  %missing = nn.constant dense<false> : tensor<1xi1>
  %roots = nn.constant dense<0> : tensor<1xi32>
  %begins = nn.constant dense<[0, 1, 2]> : tensor<3xi32>
  %targets = nn.constant dense<0> : tensor<2xi32>
  %weights = nn.constant dense<[5.0, 7.0]> : tensor<2xf32>
  %base = nn.constant dense<0.0> : tensor<1xf32>
  %0 = nn.trees sum %x, %features, %thresholds, %passed, %failed, %missing, %roots, %begins, %targets, %weights, %base : (tensor<2x3xf32>, tensor<1xi32>, tensor<1xf64>, tensor<1xi32>, tensor<1xi32>, tensor<1xi1>, tensor<1xi32>, tensor<3xi32>, tensor<2xi32>, tensor<2xf32>, tensor<1xf32>) -> tensor<2x1xf32>
  return %0 : tensor<2x1xf32>
}

// CHECK-LABEL: @machine
// CHECK: kern.call "squared_distances"
// CHECK: %[[BEGINS:.*]] = arith.constant dense<[0, 2, 5]> : tensor<3xi32>
// CHECK: kern.call "svm_votes"
// CHECK-SAME: members = ["rows", "classes", "vectors"]
// CHECK-SAME: values = [2, 2, 5]
// CHECK: kern.call "svm_probabilities"
// CHECK-SAME: scratch_bytes = 24
// CHECK: kern.call "top_class"
func.func @machine(%x: tensor<2x3xf32>, %points: tensor<3x5xf32>, %coefficients: tensor<1x5xf32>, %rho: tensor<1xf32>) -> (tensor<2xi64>, tensor<2x2xf32>) {
  %0 = nn.squared_distances %x, %points : (tensor<2x3xf32>, tensor<3x5xf32>) -> tensor<2x5xf32>
  %1:2 = nn.svm_votes %0, %coefficients, %rho {vectors_per_class = array<i64: 2, 3>} : (tensor<2x5xf32>, tensor<1x5xf32>, tensor<1xf32>) -> (tensor<2x1xf32>, tensor<2x2xf32>)
  %2 = nn.svm_probabilities %1#0, %rho, %rho {classes = 2 : i64} : (tensor<2x1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x2xf32>
  %3 = nn.top_class %1#1 {labels = array<i64: 4, -1>} : (tensor<2x2xf32>) -> tensor<2xi64>
  return %3, %2 : tensor<2xi64>, tensor<2x2xf32>
}

// CHECK-LABEL: @lookup
// CHECK: kern.call "lookup"
// CHECK-SAME: members = ["rows", "columns", "keys"]
// CHECK-SAME: unsigned_operands = array<i64: 0, 1>, values = [2, 12, 2]
func.func @lookup(%x: tensor<2x3x4xui8>) -> tensor<2x3x4xf32> {
  %keys = nn.constant dense<[3, 200]> : tensor<2xui8>
  %values = nn.constant dense<[0.5, 1.5, 2.5, 3.5]> : tensor<4xf32>
  %0 = nn.lookup %x, %keys, %values : (tensor<2x3x4xui8>, tensor<2xui8>, tensor<4xf32>) -> tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}
