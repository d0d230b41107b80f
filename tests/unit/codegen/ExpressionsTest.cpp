// Bodies of arith and math ops as C++: fewest parentheses, locals for what is used twice, exact literals, defined
// integers.
#include "PlannedModule.h"

#include "ir/kern/Literal.h"
#include "mlir/IR/Builders.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

using namespace aotc;
using namespace aotc::test;

namespace {

std::string print(const std::vector<std::string> &inputs, const std::string &output, const std::string &body) {
  PlannedModule module(elementwise(inputs, output, body));
  return module.code ? module.steps() : module.diagnostics;
}

TEST(ExpressionsTest, UsesTheFewestParentheses) {
  const std::string text = print({"f32", "f32", "f32"}, "f32", R"(
    %0 = arith.addf %a, %b : f32
    %1 = arith.mulf %0, %c : f32
    %2 = arith.negf %1 : f32
    linalg.yield %2 : f32
)");
  EXPECT_PRED2(contains, text, "return -((load(a + i, lanes) + load(b + i, lanes)) * load(c + i, lanes));");
}

TEST(ExpressionsTest, KeepsTheOrderOfSubtractions) {
  const std::string text = print({"f32", "f32", "f32"}, "f32", R"(
    %0 = arith.subf %b, %c : f32
    %1 = arith.subf %a, %0 : f32
    linalg.yield %1 : f32
)");
  EXPECT_PRED2(contains, text, "load(a + i, lanes) - (load(b + i, lanes) - load(c + i, lanes))");
}

TEST(ExpressionsTest, RecognisesReluAndSigmoid) {
  const std::string text = print({"f32"}, "f32", R"(
    %z = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %0 = arith.maximumf %z, %a : f32
    %1 = arith.negf %0 : f32
    %2 = math.exp %1 : f32
    %3 = arith.addf %2, %one : f32
    %4 = arith.divf %one, %3 : f32
    linalg.yield %4 : f32
)");
  EXPECT_PRED2(contains, text, "return sigmoid(relu(load(x + i, lanes)));");
  EXPECT_PRED2(contains, text, "using aotc::load, aotc::map, aotc::relu, aotc::sigmoid;");
}

TEST(ExpressionsTest, RecognisesClip) {
  const std::string numbers = R"(
    %low = arith.constant -1.0 : f32
    %high = arith.constant 6.0 : f32
)";
  auto printed = [&](const std::string &first, const std::string &second) {
    return print({"f32"}, "f32", numbers + first + "\n" + second + "\nlinalg.yield %1 : f32\n");
  };
  for (const std::string &text : {printed("%0 = arith.minimumf %a, %high : f32", "%1 = arith.maximumf %0, %low : f32"),
                                  printed("%0 = arith.maximumf %low, %a : f32", "%1 = arith.minimumf %high, %0 : f32")})
    EXPECT_PRED2(contains, text, "return clip(load(x + i, lanes), -1.0f, 6.0f);");
  // Bounds that cross are no range: the outer one wins.
  EXPECT_FALSE(contains(printed("%0 = arith.minimumf %a, %low : f32", "%1 = arith.maximumf %0, %high : f32"), "clip"));
}

TEST(ExpressionsTest, PutsWhatIsUsedTwiceInALocal) {
  const std::string text = print({"f32"}, "f32", R"(
    %0 = math.tanh %a : f32
    %1 = arith.mulf %0, %0 : f32
    linalg.yield %1 : f32
)");
  EXPECT_PRED2(contains, text, "    const auto tangent = tanh(load(x + i, lanes));\n    return tangent * tangent;\n");
}

// A negative number that is used twice stands where it is used: a local of it would have no reader.
TEST(ExpressionsTest, PutsNoNumberInALocal) {
  const std::string text = print({"f32", "f32"}, "f32", R"(
    %number = arith.constant -2.0 : f32
    %0 = arith.mulf %a, %number : f32
    %1 = arith.mulf %b, %number : f32
    %2 = arith.addf %0, %1 : f32
    linalg.yield %2 : f32
)");
  EXPECT_FALSE(contains(text, "= -2.0f;"));
  EXPECT_PRED2(contains, text, "load(a + i, lanes) * -2.0f");
}

TEST(ExpressionsTest, ComparesAndSelectsOnVectors) {
  const std::string text = print({"f32", "f32"}, "f32", R"(
    %two = arith.constant 2.0 : f32
    %0 = arith.cmpf ult, %a, %b : f32
    %1 = arith.select %0, %a, %two : f32
    linalg.yield %1 : f32
)");
  EXPECT_PRED2(contains, text, "select(invert(ge(value, load(b + i, lanes))), value, Vec<float>(2.0f))");
}

TEST(ExpressionsTest, ReadsAndMakesBytesOnVectors) {
  EXPECT_PRED2(contains, print({"i8"}, "f32", "%0 = arith.uitofp %a : i8 to f32\n linalg.yield %0 : f32\n"),
               "return load_u8(x + i, lanes);");
  const std::string text = print({"i8", "f32"}, "i8", R"(
    %offset = arith.constant -3.0 : f32
    %0 = arith.sitofp %a : i8 to f32
    %1 = arith.mulf %0, %b : f32
    %2 = kern.quantize %1, %offset {low = -128 : i64, high = 127 : i64}
    linalg.yield %2 : i8
)");
  EXPECT_PRED2(contains, text, "return quantized(load_i8(a + i, lanes) * load(b + i, lanes), -3, -128, 127);");
  EXPECT_PRED2(contains, text, "map(Map64{}, ");
}

// What is quantized and dequantized at once is only rounded; not where the zero points differ, or where the integer is
// read as of the other sign.
TEST(ExpressionsTest, RoundsWhatIsDequantizedAtOnce) {
  auto text = [](const std::string &low, const std::string &read, const std::string &zero) {
    return print({"f32"}, "f32",
                 "%z = arith.constant 3.0 : f32\n %taken = arith.constant " + zero +
                     " : f32\n %0 = kern.quantize %a, %z {low = " + low + " : i64, high = 127 : i64}\n %1 = arith." +
                     read + " %0 : i8 to f32\n %2 = arith.subf %1, %taken : f32\n linalg.yield %2 : f32\n");
  };
  EXPECT_PRED2(contains, text("-128", "sitofp", "3.0"), "return quantized_steps(load(x + i, lanes), -131, 124);");
  EXPECT_PRED2(contains, text("0", "uitofp", "3.0"), "return quantized_steps(load(x + i, lanes), -3, 124);");
  EXPECT_PRED2(contains, text("-128", "sitofp", "2.0"), "to_float(quantized(");
  EXPECT_FALSE(contains(text("-128", "uitofp", "3.0"), "quantized_steps"));
}

TEST(ExpressionsTest, ComputesOtherTypesOnScalars) {
  EXPECT_PRED2(contains, print({"f32", "f32"}, "i1", "%0 = arith.cmpf olt, %a, %b : f32\n linalg.yield %0 : i1\n"),
               "map_scalar(Map64{}, f.output<bool>(output::out), part, [=](auto, int i) { return a[i] < b[i]; });");
  // The choice between two truths: masks have no selection.
  EXPECT_PRED2(contains,
               print({"f32", "f32"}, "f32",
                     "%0 = arith.cmpf olt, %a, %b : f32\n %1 = arith.cmpf ogt, %a, %b : f32\n"
                     "%2 = arith.select %0, %1, %0 : i1\n %3 = arith.select %2, %a, %b : f32\n"
                     "linalg.yield %3 : f32\n"),
               "map_scalar(Map64{}, ");
  EXPECT_PRED2(contains, print({"i8", "i8"}, "i8", "%0 = arith.addi %a, %b : i8\n linalg.yield %0 : i8\n"),
               "return wrapping_add(a[i], b[i]);");
  EXPECT_PRED2(contains, print({"i16"}, "f32", "%0 = arith.uitofp %a : i16 to f32\n linalg.yield %0 : f32\n"),
               "return static_cast<float>(as_unsigned(x[i]));");
  EXPECT_PRED2(contains, print({"f32"}, "i32", "%0 = arith.fptosi %a : f32 to i32\n linalg.yield %0 : i32\n"),
               "return to_integer<std::int32_t>(x[i]);");
  EXPECT_PRED2(contains, print({"f32"}, "i32", "%0 = arith.fptoui %a : f32 to i32\n linalg.yield %0 : i32\n"),
               "return to_unsigned<std::int32_t>(x[i]);");
  EXPECT_PRED2(contains, print({"i1", "i1"}, "i1", R"(
    %true = arith.constant true
    %0 = arith.xori %a, %true : i1
    %1 = arith.andi %0, %b : i1
    linalg.yield %1 : i1
)"),
               "return !a[i] && b[i];");
}

TEST(ExpressionsTest, BreaksLongBodies) {
  std::string body = "    %v0 = arith.addf %a, %b : f32\n";
  for (int i = 0; i < 20; ++i)
    body += "    %v" + std::to_string(i + 1) + " = arith." + (i % 2 ? "mulf" : "subf") + " %v" + std::to_string(i) +
            ", %c : f32\n";
  const std::string text = print({"f32", "f32", "f32"}, "f32", body + "    linalg.yield %v20 : f32\n");
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(text).split(lines, '\n');
  for (llvm::StringRef line : lines)
    EXPECT_LE(line.size(), 120u) << line.str();
}

TEST(ExpressionsTest, RejectsWhatHasNoForm) {
  EXPECT_PRED2(contains, print({"f16"}, "f16", "%0 = arith.addf %a, %a : f16\n linalg.yield %0 : f16\n"),
               "'arith.addf' has no C++ form for 'f16', 'f16' -> 'f16'");
  EXPECT_PRED2(contains, print({"f32"}, "i32", "%0 = arith.bitcast %a : f32 to i32\n linalg.yield %0 : i32\n"),
               "'arith.bitcast' has no C++ form for 'f32' -> 'i32'");
}

TEST(LiteralTest, ReadsBackExactly) {
  mlir::MLIRContext context;
  mlir::Builder b(&context);
  const auto text = [](mlir::TypedAttr value) { return *kern::literal(value); };
  EXPECT_EQ(text(b.getF32FloatAttr(0.1f)), "0.1f");
  EXPECT_EQ(text(b.getF32FloatAttr(1.0f)), "1.0f");
  EXPECT_EQ(text(b.getF32FloatAttr(-0.0f)), "-0.0f");
  EXPECT_EQ(text(b.getF32FloatAttr(std::nextafter(1.0f, 2.0f))), "1.0000001f");
  EXPECT_EQ(text(b.getF32FloatAttr(1e-45f)), "1e-45f");
  EXPECT_EQ(text(b.getF32FloatAttr(-std::numeric_limits<float>::infinity())), "-infinity");
  EXPECT_EQ(text(b.getF32FloatAttr(std::nanf(""))), "not_a_number");
  EXPECT_EQ(text(b.getF64FloatAttr(1.0 / 3.0)), "0.3333333333333333");
  EXPECT_EQ(text(b.getI32IntegerAttr(-5)), "-5");
  EXPECT_EQ(text(b.getI32IntegerAttr(INT32_MIN)), "INT32_MIN");
  EXPECT_EQ(text(b.getI64IntegerAttr(5)), "std::int64_t{5}");
  EXPECT_EQ(text(b.getI8IntegerAttr(-128)), "std::int8_t{-128}");
  EXPECT_EQ(text(b.getBoolAttr(true)), "true");
}

} // namespace
