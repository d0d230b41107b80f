// Whole planned modules as text: names, offsets, layouts, calls, control flow, and what cannot be printed.
#include "PlannedModule.h"

#include "codegen/cpp/NodeNames.h"
#include "codegen/cpp/SourceFiles.h"
#include "codegen/cpp/StepFunction.h"

#include <gtest/gtest.h>

using namespace aotc;
using namespace aotc::codegen;
using namespace aotc::test;

namespace {

// Two convolutions with a border, the second of which adds the first's result.
std::string twoConvolutions() {
  const std::string interior = "memref<1x8x8x16xf32, strided<[1600, 160, 16, 1], offset: 176>>";
  const std::string window =
      "kernel = array<i64: 3, 3>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = "
      "array<i64: 1, 1>, groups = 1 : i64, kind = 0 : i32";
  return "#conv = " + node("conv_2", "Conv") + "\n#add = " + node("add_2", "Add") +
         "\n#relu = " + node("relu_2", "Relu") + R"(
memref.global "private" constant @w : memref<1x1x3x3x16x16xf32> = dense<0.5>
memref.global "private" constant @v : memref<1x1x3x3x16x16xf32> = dense<0.25>
memref.global "private" constant @b : memref<16xf32> = dense<1.0>
func.func @main(%arena: memref<16384xi8>, %x: memref<1x10x10x16xf32> {aotc.name = "image"}) -> (memref<1x8x8x16xf32> {aotc.name = "y"})
    attributes {aotc.input_offsets = array<i64: 8192>} {
  %0 = arith.constant 0 : index
  %1 = arith.constant 6400 : index
  %w = memref.get_global @w : memref<1x1x3x3x16x16xf32>
  %v = memref.get_global @v : memref<1x1x3x3x16x16xf32>
  %b = memref.get_global @b : memref<16xf32>
  %p = memref.view %arena[%0][] : memref<16384xi8> to memref<1x10x10x16xf32>
  %i = memref.subview %p[0, 1, 1, 0] [1, 8, 8, 16] [1, 1, 1, 1] : memref<1x10x10x16xf32> to )" +
         interior + R"(
  %y = memref.view %arena[%1][] : memref<16384xi8> to memref<1x8x8x16xf32>
  %nothing = arith.constant 0.0 : f32
  linalg.fill ins(%nothing : f32) outs(%p : memref<1x10x10x16xf32>) )" +
         node("conv_2", "Conv") + R"(
  kern.conv2d ins(%x, %w, %b, %i) epilogue {
  ^bb0(%s: f32, %c: f32):
    %r = arith.addf %s, %c : f32
    kern.yield %r : f32
  } {)" + window +
         R"(, extra_maps = [affine_map<(n, h, w, c) -> (c)>]}
    : (memref<1x10x10x16xf32>, memref<1x1x3x3x16x16xf32>, memref<16xf32>, )" +
         interior + ") -> () " + node("/layer1/layer1.0/conv1/Conv", "Conv") + R"(
  kern.conv2d ins(%p, %v, %i, %y) epilogue {
  ^bb0(%s: f32, %c: f32):
    %z = arith.constant 0.0 : f32
    %r = arith.addf %c, %s : f32
    %t = arith.maximumf %r, %z : f32
    kern.yield %t : f32
  } {)" + window +
         R"(, extra_maps = [affine_map<(n, h, w, c) -> (n, h, w, c)>]}
    : (memref<1x10x10x16xf32>, memref<1x1x3x3x16x16xf32>, )" +
         interior + ", memref<1x8x8x16xf32>) -> () loc(fused[#conv, #add, #relu])\n" + R"(
  return %y : memref<1x8x8x16xf32>
}
)";
}

TEST(ProgramTest, PrintsConvolutionsAsOneWouldWriteThem) {
  PlannedModule module(twoConvolutions());
  ASSERT_TRUE(module.code) << module.diagnostics;
  EXPECT_PRED2(contains, module.steps(), R"(
void conv_2_fill(const Frame& f, Part)");
  EXPECT_PRED2(contains, module.steps(), R"(
void layer1_0_conv1(const Frame& f, Part part) {
  const float* const bias = f.weight<float>(weight::layer1_0_conv1_bias);
  conv2d(Layer10Conv1{}, f.input<float>(input::image), f.weight<float>(weight::layer1_0_conv1_weights),
         f.at<float>(buffer::layer1_0_conv1) + 160 + 16, part,
         [=](auto sum, auto lanes, int, int, int, int c) { return sum + load(bias + c, lanes); });
}
)");
  EXPECT_PRED2(contains, module.steps(), R"(
void conv_2(const Frame& f, Part part) {
  const float* const skip = f.at<float>(buffer::layer1_0_conv1) + 160 + 16;
  conv2d(Conv2{}, f.at<float>(buffer::layer1_0_conv1), f.weight<float>(weight::conv_2_weights),
         f.output<float>(output::y), part, [=](auto sum, auto lanes, int, int h, int w, int c) {
           return relu(load(skip + h * 160 + w * 16 + c, lanes) + sum);
         });
}
)");
}

TEST(ProgramTest, NamesBuffersOfHelpersAfterThem) {
  PlannedModule module(R"(
func.func @main(%arena: memref<4096xi8>, %a: memref<4x8xf32> {aotc.name = "a"}) -> (memref<8x4xf32> {aotc.name = "y"}) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 128 : index
  %t = memref.view %arena[%0][] : memref<4096xi8> to memref<8x4xf32>
  %y = memref.view %arena[%1][] : memref<4096xi8> to memref<8x4xf32>
  linalg.transpose ins(%a : memref<4x8xf32>) outs(%t : memref<8x4xf32>) permutation = [1, 0] )" +
                       node("c", "Conv") + R"(
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%t : memref<8x4xf32>) outs(%y : memref<8x4xf32>) {
  ^bb0(%p: f32, %o: f32):
    %s = math.exp %p : f32
    linalg.yield %s : f32
  } )" + node("c", "Conv") +
                       R"(
  return %y : memref<8x4xf32>
}
)");
  ASSERT_TRUE(module.code) << module.diagnostics;
  EXPECT_PRED2(contains, module.layers(), "constexpr std::size_t c_transposed = 0;  // [8,4]  0-1\n");
  EXPECT_PRED2(contains, module.steps(),
               "copy(Copy8x4{}, f.input<float>(input::a), f.at<float>(buffer::c_transposed), ");
}

// A body of which the constant is the operand `%w`, the other one `%a`.
std::string nameOfConstant(const std::string &body) {
  std::string text = elementwise({"f32", "f32"}, "f32", body);
  const std::string argument = ", %in1: memref<64xf32> {aotc.name = \"in1\"}";
  text.replace(text.find(argument), argument.size(), "");
  text.insert(text.find("  %zero"), "  %in1 = memref.get_global @w : memref<64xf32>\n");
  PlannedModule module("memref.global \"private\" constant @w : memref<64xf32> = dense<2.0>\n" + text);
  return module.layers();
}

TEST(ProgramTest, NamesConstantsByTheirPlace) {
  const auto named = [](const std::string &op) {
    return nameOfConstant("%0 = arith." + op + " : f32\n linalg.yield %0 : f32\n");
  };
  EXPECT_PRED2(contains, named("addf %a, %b"), "g_bias = 0;");
  EXPECT_PRED2(contains, named("mulf %b, %a"), "g_scale = 0;");
  EXPECT_PRED2(contains, named("subf %a, %b"), "g_shift = 0;");
  EXPECT_PRED2(contains, named("subf %b, %a"), "g_constant = 0;");
  EXPECT_PRED2(contains, named("divf %a, %b"), "g_divisor = 0;");
  EXPECT_PRED2(contains, named("divf %b, %a"), "g_dividend = 0;");
}

TEST(ProgramTest, NamesBytesByWhatTheyAreOnceTheyAreReal) {
  PlannedModule module(R"(
func.func @main(%arena: memref<4096xi8>, %a: memref<1x4x8xf32> {aotc.name = "a"}, %b: memref<1x8x6xf32> {aotc.name = "b"},
                %e: memref<1x4x6xi8> {aotc.name = "e"}, %g: memref<1xf32> {aotc.name = "g"}) -> (memref<1x4x6xf32> {aotc.name = "y"}) {
  %0 = arith.constant 0 : index
  %y = memref.view %arena[%0][] : memref<4096xi8> to memref<1x4x6xf32>
  kern.matmul ins(%a, %b, %e, %g, %y) epilogue {
  ^bb0(%s: f32, %p: i8, %q: f32):
    %zero = arith.constant 3.0 : f32
    %scale = arith.constant 0.5 : f32
    %f = arith.sitofp %p : i8 to f32
    %steps = arith.subf %f, %zero : f32
    %real = arith.mulf %steps, %scale : f32
    %product = arith.mulf %s, %q : f32
    %sum = arith.addf %product, %real : f32
    kern.yield %sum : f32
  } {extra_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (0)>]}
    : (memref<1x4x8xf32>, memref<1x8x6xf32>, memref<1x4x6xi8>, memref<1xf32>, memref<1x4x6xf32>) -> ()
  return %y : memref<1x4x6xf32>
}
)");
  ASSERT_TRUE(module.code) << module.diagnostics;
  EXPECT_PRED2(contains, module.steps(), "const std::int8_t* const skip = f.input<std::int8_t>(input::e);\n");
  EXPECT_PRED2(contains, module.steps(), "const float* const scale = f.input<float>(input::g);\n");
}

TEST(ProgramTest, TellsNodesWorkAndShapes) {
  PlannedModule module(twoConvolutions());
  ASSERT_TRUE(module.code) << module.diagnostics;
  EXPECT_PRED2(contains, module.steps(), "// 0  Fill for Conv \"conv_2\" ");
  EXPECT_PRED2(contains, module.steps(), "// 2  Conv \"conv_2\" + Add + Relu ");
  EXPECT_PRED2(contains, module.steps(), "0.15 MMAC         [1,10,10,16] -> [1,8,8,16]\n");
}

TEST(ProgramTest, ListsOffsetsAndLifetimes) {
  PlannedModule module(twoConvolutions());
  ASSERT_TRUE(module.code) << module.diagnostics;
  EXPECT_PRED2(contains, module.layers(), "constexpr std::size_t layer1_0_conv1_weights = 0;  // [1,1,3,3,16,16]\n");
  EXPECT_PRED2(contains, module.layers(), "constexpr std::size_t layer1_0_conv1_bias = 9216;  // [16]\n");
  EXPECT_PRED2(contains, module.layers(), "constexpr std::size_t layer1_0_conv1 = 0;  // [1,10,10,16]  0-2\n");
  EXPECT_EQ(module.code->model.outputs[0].arenaOffsetBytes, 6400u);
  EXPECT_EQ(module.code->model.inputs[0].arenaOffsetBytes, 8192u);
}

TEST(ProgramTest, SharesEqualLayouts) {
  std::string text = elementwise({"f32"}, "f32", "%0 = math.exp %a : f32\n linalg.yield %0 : f32\n");
  const size_t begin = text.find("  linalg.generic"), end = text.find("  return");
  text.insert(end, text.substr(begin, end - begin));
  PlannedModule module(text);
  ASSERT_TRUE(module.code) << module.diagnostics;
  EXPECT_PRED2(
      contains, module.layers(),
      "struct Map64 {  // of g, g_step\n  static constexpr int rank = 1, extent[] = {64}, y_stride[] = {1};\n};\n");
  EXPECT_PRED2(contains, module.steps(), "    {g_step, aotc::map_units(Map64{})},  // 1\n");
}

TEST(ProgramTest, LoadsOperandsByTheirMaps) {
  PlannedModule module(R"(
func.func @main(%arena: memref<4096xi8>, %a: memref<4x6x8xf32> {aotc.name = "a"}, %b: memref<6xf32> {aotc.name = "b"},
                %c: memref<8x4x6xf32> {aotc.name = "c"}) -> (memref<4x6x8xf32> {aotc.name = "y"}) {
  %0 = arith.constant 0 : index
  %y = memref.view %arena[%0][] : memref<4096xi8> to memref<4x6x8xf32>
  linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (j)>,
      affine_map<(i, j, k) -> (k, i, j)>, affine_map<(i, j, k) -> (i, j, k)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a, %b, %c : memref<4x6x8xf32>, memref<6xf32>, memref<8x4x6xf32>) outs(%y : memref<4x6x8xf32>) {
  ^bb0(%p: f32, %q: f32, %r: f32, %o: f32):
    %s = arith.addf %p, %q : f32
    %t = arith.mulf %s, %r : f32
    linalg.yield %t : f32
  }
  return %y : memref<4x6x8xf32>
}
)");
  ASSERT_TRUE(module.code) << module.diagnostics;
  EXPECT_PRED2(contains, module.steps(), R"([=](auto lanes, int i, int j, int k) {
    const auto sum = load(a + i * 48 + j * 8 + k, lanes) + broadcast(b + j, lanes);
    return sum * load_strided(c + i * 6 + j + k * 24, 24, lanes);
  });
)");
}

TEST(ProgramTest, PrintsReductionsAsLoops) {
  PlannedModule module(R"(
func.func @main(%arena: memref<4096xi8>, %a: memref<4x6x8xf32> {aotc.name = "a"}) -> (memref<4x8xf32> {aotc.name = "y"}) {
  %0 = arith.constant 0 : index
  %y = memref.view %arena[%0][] : memref<4096xi8> to memref<4x8xf32>
  linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i, k)>],
      iterator_types = ["parallel", "reduction", "parallel"]} ins(%a : memref<4x6x8xf32>) outs(%y : memref<4x8xf32>) {
  ^bb0(%p: f32, %o: f32):
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  }
  return %y : memref<4x8xf32>
}
)");
  ASSERT_TRUE(module.code) << module.diagnostics;
  EXPECT_PRED2(contains, module.steps(), R"(
  for (int i = part.begin; i < part.end; ++i)
    for (int j = 0; j < 8; ++j) {
      float total = y[i * 8 + j];
      for (int k = 0; k < 6; ++k)
        total = total + x[i * 48 + j + k * 8];
      y[i * 8 + j] = total;
    }
)");
  EXPECT_PRED2(contains, module.steps(), "{generic, 4},  // 0");
}

TEST(ProgramTest, BranchesInRun) {
  PlannedModule module(R"(
func.func @main(%arena: memref<64xi8>, %c: memref<i1> {aotc.name = "c"}, %a: memref<4xf32> {aotc.name = "a"}) -> (memref<4xf32> {aotc.name = "y"}) {
  %0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %y = memref.view %arena[%0][] : memref<64xi8> to memref<4xf32>
  %d = memref.load %c[] : memref<i1>
  scf.if %d {
    memref.copy %a, %y : memref<4xf32> to memref<4xf32>
  } else {
    linalg.fill ins(%z : f32) outs(%y : memref<4xf32>)
  }
  return %y : memref<4xf32>
}
)");
  ASSERT_TRUE(module.code) << module.diagnostics;
  const std::string session = module.code->files["src/net.cpp"];
  EXPECT_PRED2(contains, session, "  if (*frame.input<bool>(0)) {\n    // 0  copy ");
  EXPECT_PRED2(contains, session, "    pool.run(steps[0], frame);\n  } else {\n    // 1  fill ");
}

TEST(ProgramTest, CountsUnitsOfBoundedDims) {
  PlannedModule module(R"(
func.func @main(%arena: memref<4096xi8>, %a: memref<?x6xf32> {aotc.name = "a", aotc.dims = ["batch", ""]},
                %n: index {aotc.dim = "batch", aotc.minimum = 1 : i64, aotc.maximum = 8 : i64})
    -> (memref<?x6xf32> {aotc.name = "y", aotc.dims = ["batch", ""]}) {
  %0 = arith.constant 0 : index
  %y = memref.view %arena[%0][%n] : memref<4096xi8> to memref<?x6xf32>
  memref.copy %a, %y : memref<?x6xf32> to memref<?x6xf32>
  return %y : memref<?x6xf32>
}
)");
  ASSERT_TRUE(module.code) << module.diagnostics;
  EXPECT_PRED2(contains, module.steps(),
               "  const int batch = static_cast<int>(f.extents[0]);\n  copy(CopyN{{batch * 6}}, ");
  EXPECT_PRED2(contains, module.steps(), "{copy_step, aotc::copy_units(CopyN{{48}}), copy_step_units},  // 0");
  EXPECT_PRED2(contains, module.steps(), "[batch,6] -> [batch,6]");
}

TEST(ProgramTest, DoesNothingWhereTheResultIsEmpty) {
  PlannedModule module(R"(
func.func @main(%arena: memref<4096xi8>, %a: memref<?x6x1xf32> {aotc.name = "a", aotc.dims = ["y", "", ""]},
                %n: index {aotc.dim = "y", aotc.minimum = 0 : i64, aotc.maximum = 8 : i64})
    -> (memref<?x6x1xf32> {aotc.name = "y", aotc.dims = ["y", "", ""]}) {
  %0 = arith.constant 0 : index
  %y = memref.view %arena[%0][%n] : memref<4096xi8> to memref<?x6x1xf32>
  kern.softmax ins(%a, %y) {extra_maps = []} : (memref<?x6x1xf32>, memref<?x6x1xf32>) -> ()
  return %y : memref<?x6x1xf32>
}
)");
  ASSERT_TRUE(module.code) << module.diagnostics;
  EXPECT_PRED2(contains, module.steps(), "  if (y_dim == 0) return 0;\n");
}

// A softmax of x in the shape `type`, times a gate that its epilogue reads by `map`.
std::string gatedSoftmax(const std::string &type, const std::string &gate, const std::string &map) {
  return "func.func @main(%arena: memref<4096xi8>, %x: " + type + " {aotc.name = \"x\"}, %g: " + gate +
         " {aotc.name = \"g\"}) -> (" + type + R"( {aotc.name = "y"}) {
  %0 = arith.constant 0 : index
  %y = memref.view %arena[%0][] : memref<4096xi8> to )" +
         type + R"(
  kern.softmax ins(%x, %g, %y) epilogue {
  ^bb0(%s: f32, %e: f32):
    %r = arith.mulf %s, %e : f32
    kern.yield %r : f32
  } {extra_maps = [affine_map<)" +
         map + ">]} : (" + type + ", " + gate + ", " + type + ") -> ()\n  return %y : " + type + "\n}\n";
}

// What an epilogue reads along the index that vectors run along is loaded, whatever the extents.
TEST(ProgramTest, EpilogueOfSoftmaxReadsAlongItsVectors) {
  const auto printed = [](const std::string &type, const std::string &gate, const std::string &map) {
    return PlannedModule(gatedSoftmax(type, gate, map)).steps();
  };
  const std::string rows = printed("memref<3x8xf32>", "memref<3x8xf32>", "(o, l) -> (o, l)");
  EXPECT_PRED2(contains, rows, "softmax_rows(");
  EXPECT_PRED2(contains, rows, "load(gate + o * 8 + l, lanes)");
  EXPECT_PRED2(contains, printed("memref<3x8xf32>", "memref<3xf32>", "(o, l) -> (o)"), "broadcast(gate + o, lanes)");
  EXPECT_PRED2(contains, printed("memref<3x8xf32>", "memref<8x2xf32>", "(o, l) -> (l, 1)"),
               "load_strided(gate + l * 2, 2, lanes)");
  const std::string columns = printed("memref<3x8x5xf32>", "memref<8x5xf32>", "(o, l, i) -> (l, i)");
  EXPECT_PRED2(contains, columns, "softmax_columns(");
  EXPECT_PRED2(contains, columns, "load(gate + l * 5 + i, lanes)");
  EXPECT_PRED2(contains, printed("memref<3x8x5xf32>", "memref<8xf32>", "(o, l, i) -> (l)"),
               "broadcast(gate + l, lanes)");
}

TEST(StepFunctionTest, TellsWordsFromQualifiedNames) {
  EXPECT_TRUE(mentions("f.at<float>(buffer::m) + m * 4", "m"));
  EXPECT_FALSE(mentions("f.at<float>(buffer::m) + m_2", "m")); // no dim of this name is asked for
}

TEST(ProgramTest, RejectsWhatIsNotPlanned) {
  const auto diagnostics = [](const std::string &body, const std::string &result) {
    return PlannedModule(
               "func.func @main(%arena: memref<64xi8>, %a: memref<4xf32> {aotc.name = \"a\"}) -> (memref<4xf32> "
               "{aotc.name = \"y\"}) {\n" +
               body + "  return " + result + " : memref<4xf32>\n}\n")
        .diagnostics;
  };
  EXPECT_PRED2(contains, diagnostics("", "%a"),
               "output 'y' must have a buffer of the arena of its own, found an input");
  EXPECT_PRED2(contains, diagnostics("%y = memref.alloc() : memref<4xf32>\n", "%y"),
               "a memref of type 'memref<4xf32>' has no place in the plan");
}

TEST(NodeNamesTest, KeepsWhatTellsNodesApart) {
  EXPECT_EQ(shortNodeName("conv2d_2"), "conv2d_2");
  EXPECT_EQ(shortNodeName("Conv_12"), "Conv_12");
  EXPECT_EQ(shortNodeName("/layer1/layer1.0/conv1/Conv"), "layer1.0/conv1");
  EXPECT_EQ(shortNodeName("model/add/add"), "add");
  EXPECT_EQ(shortNodeName("model/conv2d/BiasAdd;model/conv2d_2/Conv2D;model/conv2d/Conv2D1"), "conv2d");
  EXPECT_EQ(shortNodeName(""), "");
}

TEST(NodeNamesTest, KeepsTheEndOfPathsThatWouldShareAName) {
  mlir::MLIRContext context;
  context.loadDialect<nn::NNDialect>();
  auto node = [&](const char *name) { return nn::NodeAttr::get(&context, name, "LSTM", 17); };
  nn::NodeAttr first = node("/r/LSTM"), second = node("/r/LSTM_1"), alone = node("/s/LSTM");
  NodeNames names({first, second, {}, alone, first});
  EXPECT_EQ(names.of(first, "lstm"), "r/LSTM");
  EXPECT_EQ(names.of(second, "lstm"), "r/LSTM_1");
  EXPECT_EQ(names.of(alone, "lstm"), "s");
  EXPECT_EQ(names.of({}, "lstm"), "lstm");
}

// The function of a step sees its kernel, f, part and the indices of its epilogue.
TEST(ProgramTest, StepsAreCalledLikeNothingThatTheyUse) {
  std::string text = twoConvolutions();
  const auto rename = [&](const std::string &from, const std::string &to) {
    text.replace(text.find("\"" + from + "\""), from.size() + 2, "\"" + to + "\"");
  };
  rename("/layer1/layer1.0/conv1/Conv", "c");
  rename("conv_2", "conv2d");
  PlannedModule module(text);
  ASSERT_TRUE(module.code) << module.diagnostics;
  EXPECT_PRED2(contains, module.steps(), "void c_step(const Frame& f, Part part)");
  EXPECT_PRED2(contains, module.steps(), "void conv2d_step(const Frame& f, Part part)");
  rename("conv2d", "interface_version");
  EXPECT_PRED2(contains, PlannedModule(text).steps(), "void interface_version_step(const Frame& f, Part part)");
}

TEST(ProgramTest, CountsProductsAtTheBounds) {
  PlannedModule module(R"(
func.func @main(%arena: memref<4096xi8>, %a: memref<1x4x?xf32> {aotc.name = "a", aotc.dims = ["", "", "length"]},
                %b: memref<1x?x6xf32> {aotc.name = "b", aotc.dims = ["", "length", ""]},
                %n: index {aotc.dim = "length", aotc.minimum = 1 : i64, aotc.maximum = 8 : i64})
    -> (memref<1x4x6xf32> {aotc.name = "y"}) {
  %0 = arith.constant 0 : index
  %y = memref.view %arena[%0][] : memref<4096xi8> to memref<1x4x6xf32>
  kern.matmul ins(%a, %b, %y) {extra_maps = []} : (memref<1x4x?xf32>, memref<1x?x6xf32>, memref<1x4x6xf32>) -> ()
  return %y : memref<1x4x6xf32>
}
)");
  ASSERT_TRUE(module.code) << module.diagnostics;
  EXPECT_EQ(module.code->model.macs(), 4u * 6 * 8);
}

TEST(ShardsTest, SplitsStepsEvenlyAndInOrder) {
  EXPECT_EQ(splitIntoShards({12, 12, 12, 12, 1, 1, 1, 1}), (std::vector<size_t>{0, 1, 2, 3, 8}));
  EXPECT_EQ(splitIntoShards({1}), (std::vector<size_t>{0, 1, 1, 1, 1}));
  EXPECT_EQ(splitIntoShards({}), (std::vector<size_t>{0, 0, 0, 0, 0}));
}

} // namespace
