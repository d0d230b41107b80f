// The whole pipeline on graphs of thousands of nodes. Nothing is timed: what takes a second here took minutes where a
// pass was quadratic or worse, so that the test's time limit would end it.
#include "lowering/Pipeline.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "gtest/gtest.h"

using namespace mlir;

namespace {

const std::string type = "tensor<4x16xf32>";

struct LargeGraphTest : testing::Test {
  LargeGraphTest() {
    aotc::registerDialects(registry);
    context.appendDialectRegistry(registry);
  }

  // Compiles @main(%x) of `body`, whose last value is %y; the number of steps, or -1.
  int compile(const std::string &body) {
    std::string text = "func.func @main(%x: " + type + ") -> " + type + " {\n" + body + "return %y : " + type + "\n}";
    auto module = parseSourceString<ModuleOp>(text, &context);
    PassManager passes(&context);
    aotc::addGraphPasses(passes);
    aotc::addKernelPasses(passes);
    aotc::addPlanPasses(passes);
    if (!module || failed(passes.run(*module)))
      return -1;
    int steps = 0;
    module->walk([&](Operation *op) { steps += op->getName().getStringRef().starts_with("kern.softmax"); });
    return steps;
  }

  static std::string softmax(const std::string &result, const std::string &operand) {
    return result + " = nn.softmax " + operand + " {axis = 1 : i64} : (" + type + ") -> " + type + "\n";
  }

  DialectRegistry registry;
  MLIRContext context{MLIRContext::Threading::DISABLED};
};

// Every step of a long chain has a constant of its own and reads the first value too.
TEST_F(LargeGraphTest, Chain) {
  std::string body, last = "%x";
  for (int i = 0; i < 2000; ++i) {
    std::string n = std::to_string(i);
    body += "%c" + n + " = nn.constant dense<" + n + ".5> : tensor<16xf32>\n";
    body += "%a" + n + " = nn.add " + last + ", %c" + n + " : (" + type + ", tensor<16xf32>) -> " + type + "\n";
    body += "%b" + n + " = nn.mul %a" + n + ", %x : (" + type + ", " + type + ") -> " + type + "\n";
    body += softmax(i == 1999 ? "%y" : "%s" + n, "%b" + n);
    last = "%s" + n;
  }
  EXPECT_EQ(compile(body), 2000);
}

// A long chain of concats, each cut apart again.
TEST_F(LargeGraphTest, Concats) {
  std::string body, last = "%x";
  for (int i = 0; i < 1000; ++i) {
    std::string n = std::to_string(i);
    body += softmax("%s" + n, last);
    body += "%t" + n + " = nn.tanh " + last + " : (" + type + ") -> " + type + "\n";
    body += "%d" + n + " = nn.concat %s" + n + ", %t" + n + " {axis = 0 : i64} : (" + type + ", " + type +
            ") -> tensor<8x16xf32>\n";
    last = i == 999 ? "%y" : "%q" + n;
    body +=
        last + " = nn.slice %d" + n +
        " {starts = array<i64: 2, 0>, sizes = array<i64: 4, 16>, steps = array<i64: 1, 1>} : (tensor<8x16xf32>) -> " +
        type + "\n";
  }
  EXPECT_EQ(compile(body), 1000);
}

// One concat of a thousand parts that are all alive at once.
TEST_F(LargeGraphTest, Wide) {
  std::string body, names, types;
  for (int i = 0; i < 1000; ++i) {
    std::string n = std::to_string(i), comma = i ? ", " : "";
    body += "%c" + n + " = nn.constant dense<" + n + ".5> : tensor<16xf32>\n";
    body += "%a" + n + " = nn.mul %x, %c" + n + " : (" + type + ", tensor<16xf32>) -> " + type + "\n";
    body += softmax("%s" + n, "%a" + n);
    names += comma + "%s" + n;
    types += comma + type;
  }
  body += "%d = nn.concat " + names + " {axis = 0 : i64} : (" + types + ") -> tensor<4000x16xf32>\n";
  body += "%y = nn.slice %d {starts = array<i64: 2, 0>, sizes = array<i64: 4, 16>, steps = array<i64: 1, 1>} : "
          "(tensor<4000x16xf32>) -> " +
          type + "\n";
  EXPECT_EQ(compile(body), 1000);
}

} // namespace
