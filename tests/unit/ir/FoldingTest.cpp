// Folding of element-wise ops: the interpreter of scalar bodies against the C++ meaning of each op.
#include "../FloatToInteger.h"
#include "ir/nn/Dialect.h"
#include "ir/nn/HostTensor.h"
#include "lowering/Passes.h"
#include "lowering/Pipeline.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "gtest/gtest.h"
#include <cmath>
#include <functional>

using namespace mlir;

namespace {

constexpr float notANumber = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
const std::vector<float> samples{-infinity, -1000.5f, -3.0f, -2.5f, -1.0f,  -0.5f, -0.0f,    0.0f,
                                 1e-20f,    0.5f,     1.0f,  2.5f,  100.0f, 1e30f, infinity, notANumber};

struct FoldingTest : testing::Test {
  FoldingTest() {
    aotc::registerDialects(registry);
    context.appendDialectRegistry(registry);
  }

  static std::string list(const std::vector<float> &values) {
    std::string text;
    for (float value : values) {
      uint32_t bits;
      std::memcpy(&bits, &value, sizeof bits);
      char digits[16];
      std::snprintf(digits, sizeof digits, "0x%08X", bits);
      text += (text.empty() ? "" : ", ") + std::string(digits);
    }
    return "dense<[" + text + "]> : tensor<" + std::to_string(values.size()) + "xf32>";
  }

  // The constant that %r of `body` folds to; x and y are vectors of one length.
  std::vector<float> fold(const std::string &body, const std::vector<float> &x, const std::vector<float> &y) {
    std::string type = "tensor<" + std::to_string(x.size()) + "xf32>";
    std::string text = "func.func @main() -> " + type + " {\n%x = nn.constant " + list(x) + "\n%y = nn.constant " +
                       list(y) + "\n%r = " + body + " : (" +
                       (body.find("%y") == std::string::npos ? type : type + ", " + type) + ") -> " + type +
                       "\nreturn %r : " + type + "\n}";
    ElementsAttr elements = foldModule(text);
    return elements ? aotc::nn::HostTensor::view(elements).as<float>().vec() : std::vector<float>();
  }

  // The constant that the module's only function returns after folding; null where it returns something else.
  ElementsAttr foldModule(const std::string &text) {
    ElementsAttr elements;
    auto module = parseSourceString<ModuleOp>(text, &context);
    PassManager passes(&context);
    passes.addPass(aotc::createSimplify());
    if (!module || failed(passes.run(*module)))
      return {};
    auto function = *module->getOps<func::FuncOp>().begin();
    matchPattern(function.front().getTerminator()->getOperand(0), m_Constant(&elements));
    return elements;
  }

  // Holds the cast of `x` to integers of one type against a column of the table.
  template <class T> void expectCast(const std::string &type, T FloatToInteger::*column) {
    for (const FloatToInteger &row : floatToInteger) {
      uint64_t bits;
      std::memcpy(&bits, &row.x, sizeof bits);
      char digits[24];
      std::snprintf(digits, sizeof digits, "0x%016llX", static_cast<unsigned long long>(bits));
      std::string result = "tensor<1x" + type + ">";
      ElementsAttr elements = foldModule("func.func @main() -> " + result + " {\n%x = nn.constant dense<" + digits +
                                         "> : tensor<1xf64>\n%r = nn.cast %x {to = " + type +
                                         "} : (tensor<1xf64>) -> " + result + "\nreturn %r : " + result + "\n}");
      ASSERT_TRUE(elements) << type << " " << row.x;
      EXPECT_EQ(aotc::nn::HostTensor::view(elements).as<T>().front(), row.*column) << type << " " << row.x;
    }
  }

  void expectUnary(const std::string &op, const std::function<float(float)> &meaning, float tolerance = 0) {
    std::vector<float> folded = fold("nn." + op, samples, samples);
    ASSERT_EQ(folded.size(), samples.size()) << op;
    for (size_t i = 0; i < samples.size(); ++i)
      expectSame(folded[i], meaning(samples[i]), tolerance, op + " " + std::to_string(samples[i]));
  }

  void expectBinary(const std::string &op, const std::function<float(float, float)> &meaning) {
    std::vector<float> x, y;
    for (float a : samples)
      for (float b : samples) {
        x.push_back(a);
        y.push_back(b);
      }
    std::vector<float> folded = fold("nn." + op + " %x, %y", x, y);
    ASSERT_EQ(folded.size(), x.size()) << op;
    for (size_t i = 0; i < x.size(); ++i)
      expectSame(folded[i], meaning(x[i], y[i]), 0, op + " " + std::to_string(x[i]) + " " + std::to_string(y[i]));
  }

  static void expectSame(float found, float expected, float tolerance, const std::string &what) {
    if (std::isnan(expected))
      EXPECT_TRUE(std::isnan(found)) << what << ": " << found;
    else if (std::isinf(expected) || tolerance == 0)
      EXPECT_EQ(found, expected) << what;
    else
      EXPECT_NEAR(found, expected, tolerance * std::max(1.0f, std::fabs(expected))) << what;
  }

  DialectRegistry registry;
  MLIRContext context{MLIRContext::Threading::DISABLED};
};

float propagatingMax(float x, float y) { return std::isnan(x) || std::isnan(y) ? notANumber : std::max(x, y); }
float propagatingMin(float x, float y) { return std::isnan(x) || std::isnan(y) ? notANumber : std::min(x, y); }

TEST_F(FoldingTest, Arithmetic) {
  expectBinary("add", std::plus<float>());
  expectBinary("sub", std::minus<float>());
  expectBinary("mul", std::multiplies<float>());
  expectBinary("div", std::divides<float>());
  expectBinary("max", propagatingMax);
  expectBinary("min", propagatingMin);
  expectUnary("neg %x", std::negate<float>());
  expectUnary("abs %x", [](float x) { return std::fabs(x); });
}

TEST_F(FoldingTest, Functions) {
  constexpr float ulp = 1.2e-7f;
  expectUnary(
      "exp %x", [](float x) { return std::exp(x); }, ulp);
  expectUnary(
      "log %x", [](float x) { return std::log(x); }, ulp);
  expectUnary("sqrt %x", [](float x) { return std::sqrt(x); });
  expectUnary(
      "tanh %x", [](float x) { return std::tanh(x); }, ulp);
  expectUnary(
      "erf %x", [](float x) { return std::erf(x); }, ulp);
  expectUnary("floor %x", [](float x) { return std::floor(x); });
  expectUnary("ceil %x", [](float x) { return std::ceil(x); });
  expectUnary("round %x", [](float x) { return std::nearbyint(x); });
  expectUnary("sign %x", [](float x) { return std::isnan(x) ? x : static_cast<float>((x > 0) - (x < 0)); });
  struct Function {
    const char *name;
    double (*meaning)(double);
  };
  const Function functions[] = {{"sin", std::sin},     {"cos", std::cos},     {"tan", std::tan},    {"asin", std::asin},
                                {"acos", std::acos},   {"atan", std::atan},   {"sinh", std::sinh},  {"cosh", std::cosh},
                                {"asinh", std::asinh}, {"acosh", std::acosh}, {"atanh", std::atanh}};
  for (const Function &function : functions)
    expectUnary(
        std::string(function.name) + " %x", [&](float x) { return static_cast<float>(function.meaning(x)); }, ulp);
}

TEST_F(FoldingTest, PowersAndRemainders) {
  expectBinary("pow", [](float x, float y) { return static_cast<float>(std::pow(double(x), double(y))); });
  expectBinary("modulo", [](float x, float y) {
    float rest = std::fmod(x, y);
    return rest == 0 ? std::copysign(0.0f, y) : (rest < 0) != (y < 0) ? rest + y : rest;
  });
  expectBinary("remainder", [](float x, float y) { return std::fmod(x, y); });
}

// The element that an op makes of x and y of one type.
TEST_F(FoldingTest, IntegersKeepTheirSign) {
  auto foldOne = [&](const std::string &op, const std::string &type, const std::string &x, const std::string &y) {
    std::string tensor = "tensor<1x" + type + ">";
    ElementsAttr elements =
        foldModule("func.func @main() -> " + tensor + " {\n%x = nn.constant dense<" + x + "> : " + tensor +
                   "\n%y = nn.constant dense<" + y + "> : " + tensor + "\n%r = nn." + op + " %x, %y : (" + tensor +
                   ", " + tensor + ") -> " + tensor + "\nreturn %r : " + tensor + "\n}");
    return elements ? aotc::nn::HostTensor::view(elements).toInteger(0) : INT64_MIN + 1;
  };
  EXPECT_EQ(foldOne("div", "i8", "-128", "-1"), -128);
  EXPECT_EQ(foldOne("div", "i32", "7", "0"), 0);
  EXPECT_EQ(foldOne("div", "ui8", "200", "3"), 66);
  EXPECT_EQ(foldOne("max", "ui8", "200", "3"), 200);
  EXPECT_EQ(foldOne("min", "ui64", "18446744073709551615", "3"), 3);
  EXPECT_EQ(foldOne("remainder", "i8", "-7", "3"), -1);
  EXPECT_EQ(foldOne("remainder", "ui8", "200", "7"), 4);
  EXPECT_EQ(foldOne("remainder", "i16", "-7", "0"), -7);
  EXPECT_EQ(foldOne("modulo", "i8", "-7", "3"), 2);
  EXPECT_EQ(foldOne("modulo", "i8", "7", "-3"), -2);
  EXPECT_EQ(foldOne("modulo", "i8", "-128", "-1"), 0);
  EXPECT_EQ(foldOne("shift_left", "ui8", "129", "1"), 2);
  EXPECT_EQ(foldOne("shift_left", "ui32", "1", "32"), 0);
  EXPECT_EQ(foldOne("shift_right", "ui8", "129", "1"), 64);
  EXPECT_EQ(foldOne("shift_right", "ui64", "18446744073709551615", "63"), 1);
  EXPECT_EQ(foldOne("shift_right", "ui16", "5", "16"), 0);
  EXPECT_EQ(foldOne("shift_right", "i8", "-5", "1"), -3);
  EXPECT_EQ(foldOne("shift_right", "i8", "-5", "-1"), -1); // what the sign alone gives
  EXPECT_EQ(foldOne("shift_right", "i32", "5", "32"), 0);
  EXPECT_EQ(foldOne("shift_left", "i8", "65", "1"), -126);
  EXPECT_EQ(foldOne("shift_left", "i8", "1", "-1"), 0);
  EXPECT_EQ(foldOne("xor", "ui8", "200", "15"), 199);
  EXPECT_EQ(foldOne("pow", "i32", "-3", "3"), -27);
  EXPECT_EQ(foldOne("pow", "i64", "2", "40"), int64_t{1} << 40);
  EXPECT_EQ(foldOne("pow", "i32", "2", "-1"), 0);
  EXPECT_EQ(foldOne("pow", "i32", "2", "31"), INT32_MIN); // as x86 converts what is too large
}

TEST_F(FoldingTest, ReductionsAlongAxes) {
  auto foldOn = [&](const std::string &op, const std::string &attributes, const std::string &result) {
    return foldModule("func.func @main() -> " + result +
                      " {\n%x = nn.constant dense<[[1, 200, 3], [4, 5, 200]]> : " + "tensor<2x3xui8>\n%r = nn." + op +
                      " %x {" + attributes + "} : (tensor<2x3xui8>) -> " + result + "\nreturn %r : " + result + "\n}");
  };
  auto bytes = [](ElementsAttr x) { return aotc::nn::HostTensor::view(x).as<uint8_t>().vec(); };
  ElementsAttr sum = foldOn("reduce sum", "axes = array<i64: 0>, keepdims = false", "tensor<3xui8>");
  ASSERT_TRUE(sum);
  EXPECT_EQ(bytes(sum), (std::vector<uint8_t>{5, 205, 203}));
  ElementsAttr least = foldOn("reduce min", "axes = array<i64: 0, 1>, keepdims = true", "tensor<1x1xui8>");
  ASSERT_TRUE(least);
  EXPECT_EQ(bytes(least), (std::vector<uint8_t>{1}));
  ElementsAttr cumulated =
      foldOn("cumulate sum", "axis = 1 : i64, exclusive = true, reverse = true", "tensor<2x3xui8>");
  ASSERT_TRUE(cumulated);
  EXPECT_EQ(bytes(cumulated), (std::vector<uint8_t>{203, 3, 0, 205, 200, 0}));
  ElementsAttr place = foldOn("arg_reduce", "axis = 1 : i64, largest = true, last = false", "tensor<2x1xi64>");
  ASSERT_TRUE(place);
  EXPECT_EQ(aotc::nn::HostTensor::view(place).as<int64_t>().vec(), (std::vector<int64_t>{1, 2}));
}

// Spread out, each of these would take 128 MiB.
TEST_F(FoldingTest, OneValueEverywhereStaysOneValue) {
  ElementsAttr moved = foldModule(R"(func.func @main() -> tensor<8192x4096xi1> {
    %x = nn.constant dense<2.0> : tensor<4096x8192xf32>
    %y = nn.constant dense<3.0> : tensor<8192xf32>
    %0 = nn.add %x, %y : (tensor<4096x8192xf32>, tensor<8192xf32>) -> tensor<4096x8192xf32>
    %1 = nn.transpose %0 {permutation = array<i64: 1, 0>} : (tensor<4096x8192xf32>) -> tensor<8192x4096xf32>
    %z = nn.constant dense<5.5> : tensor<f32>
    %2 = nn.less %1, %z : (tensor<8192x4096xf32>, tensor<f32>) -> tensor<8192x4096xi1>
    return %2 : tensor<8192x4096xi1>
  })");
  auto dense = dyn_cast_or_null<DenseElementsAttr>(moved);
  ASSERT_TRUE(dense && dense.isSplat());
  EXPECT_TRUE(dense.getSplatValue<bool>());
}

TEST_F(FoldingTest, CastsAsGeneratedCode) {
  expectCast("i8", &FloatToInteger::i8);
  expectCast("ui8", &FloatToInteger::u8);
  expectCast("i16", &FloatToInteger::i16);
  expectCast("ui16", &FloatToInteger::u16);
  expectCast("i32", &FloatToInteger::i32);
  expectCast("ui32", &FloatToInteger::u32);
  expectCast("i64", &FloatToInteger::i64);
  expectCast("ui64", &FloatToInteger::u64);
}

TEST_F(FoldingTest, Activations) {
  constexpr float ulp = 1.2e-7f;
  expectUnary("relu %x", [](float x) { return propagatingMax(0, x); });
  expectUnary(
      "sigmoid %x", [](float x) { return 1 / (1 + std::exp(-x)); }, ulp);
  expectUnary("leaky_relu %x {alpha = 2.500000e-01 : f32}", [](float x) { return x < 0 ? 0.25f * x : x; });
  expectUnary("hard_sigmoid %x {alpha = 2.500000e-01 : f32, beta = 5.000000e-01 : f32}",
              [](float x) { return propagatingMax(0, propagatingMin(1, 0.25f * x + 0.5f)); });
  expectUnary(
      "hard_swish %x", [](float x) { return x * propagatingMax(0, propagatingMin(1, x * (1.0f / 6.0f) + 0.5f)); }, ulp);
  expectUnary(
      "silu %x", [](float x) { return x * (1 / (1 + std::exp(-x))); }, ulp);
  expectUnary(
      "elu %x {alpha = 5.000000e-01 : f32}", [](float x) { return x < 0 ? 0.5f * std::expm1(x) : x; }, ulp);
  expectUnary(
      "softplus %x",
      [](float x) {
        return static_cast<float>(std::log1p(std::exp(-std::fabs(double(x)))) + (x > 0           ? double(x)
                                                                                 : std::isnan(x) ? std::nan("")
                                                                                                 : 0.0));
      },
      ulp);
  expectUnary(
      "mish %x",
      [](float x) {
        double t = std::tanh(std::log1p(std::exp(std::min(double(x), 50.0))));
        return std::isnan(x) ? x : static_cast<float>(x * t);
      },
      2 * ulp);
  expectUnary("thresholded_relu %x {alpha = 1.000000e+00 : f32}", [](float x) { return x > 1 ? x : 0; });
  expectBinary("prelu", [](float x, float slope) { return x < 0 ? x * slope : x; });
}

} // namespace
