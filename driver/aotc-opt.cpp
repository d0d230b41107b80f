// aotc-opt: runs single passes on .mlir files, for tests.
#include "lowering/Passes.h"
#include "lowering/Pipeline.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  aotc::registerDialects(registry);
  aotc::registerAotcPasses();
  mlir::registerTransformsPasses();
  mlir::PassPipelineRegistration<>("aotc-graph", "the passes on nn", aotc::addGraphPasses);
  mlir::PassPipelineRegistration<>("aotc-kernels", "nn to linalg and kern",
                                   [](mlir::OpPassManager &passes) { aotc::addKernelPasses(passes); });
  mlir::PassPipelineRegistration<>("aotc-plan", "tensors to one arena",
                                   [](mlir::OpPassManager &passes) { aotc::addPlanPasses(passes); });
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "aotc pass tester\n", registry));
}
