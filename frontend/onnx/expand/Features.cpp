// Preparing features: scaling, replacing, encoding and selecting columns.
#include "frontend/onnx/ml/Scores.h"

#include "frontend/onnx/OpTable.h"
#include "ir/nn/Shapes.h"

#include <cmath>
#include <cstring>
#include <map>

using namespace aotc::frontend;
using namespace mlir;
using llvm::ArrayRef;
using llvm::StringRef;
using llvm::Twine;
namespace nn = aotc::nn;

namespace {

Value scalarLike(NodeBuilder &node, Value x, double value) {
  return node.failed() ? Value() : node.createScalar(value, node.typeOf(x).getElementType());
}

/// The input in a type that holds halves: integers as f32.
Value getReal(NodeBuilder &node) {
  Value x = node.getInput(0);
  Type element = node.typeOf(x).getElementType();
  return isa<FloatType>(element) ? x : castTo(node, x, node.getBuilder().getF32Type());
}

/// A list of one value, or of one for each column.
bool checkColumns(NodeBuilder &node, StringRef name, size_t count) {
  RankedTensorType type = node.typeOf(0);
  int64_t columns = type.getRank() == 0 ? 1 : type.getShape().back();
  if (count == 1 || static_cast<int64_t>(count) == columns)
    return true;
  node.fail(quoted(name) + " must have 1 or " + Twine(columns) + " values, found " + Twine(count));
  return false;
}

// ------------------------------------------------------------------------------------------------------------- scaling

void buildScaler(NodeBuilder &node) {
  Value x = getReal(node);
  for (auto [name, isScale] : {std::pair<StringRef, bool>("offset", false), {"scale", true}}) {
    auto values = node.getFloats(name);
    if (!values || values->empty() || !checkColumns(node, name, values->size()))
      continue;
    Value list = createNumbers(node, asDoubles(*values), node.typeOf(x).getElementType());
    x = isScale ? node.create<nn::MulOp>(x, list) : node.create<nn::SubOp>(x, list);
  }
  if (!node.failed())
    node.setResult(0, castTo(node, x, node.getBuilder().getF32Type()));
}

/// Rows divided by their maximum, or by the sum or the root of the sum of squares of what they hold. A row whose
/// divisor is 0 stays as it is.
void buildNormalizer(NodeBuilder &node) {
  size_t norm = readChoice(node, "norm", {"MAX", "L1", "L2"}, "MAX");
  Value x = getReal(node);
  int64_t axis = node.typeOf(x).getRank() - 1;
  if (axis != 0 && axis != 1)
    return node.fail(node.describeInput(0) + " must be a vector or a matrix, found " + nn::describe(node.typeOf(0)));
  Value terms = norm == 0 ? x : norm == 1 ? node.create<nn::AbsOp>(x) : node.create<nn::MulOp>(x, x);
  Value divisor = node.create<nn::ReduceOp>(terms, norm == 0 ? nn::ReduceKind::Max : nn::ReduceKind::Sum,
                                            ArrayRef<int64_t>{axis}, /*keepdims=*/true);
  if (norm == 2)
    divisor = node.create<nn::SqrtOp>(divisor);
  Value isZero = node.create<nn::EqualOp>(divisor, scalarLike(node, x, 0));
  Value safe = node.create<nn::WhereOp>(isZero, scalarLike(node, x, 1), divisor);
  Value result = node.create<nn::DivOp>(x, safe);
  if (!node.failed())
    node.setResult(0, castTo(node, result, node.getBuilder().getF32Type()));
}

void buildBinarizer(NodeBuilder &node) {
  Value x = node.getInput(0), real = getReal(node);
  Value isAbove = node.create<nn::GreaterOp>(real, scalarLike(node, real, node.getFloat("threshold", 0)));
  if (!node.failed())
    node.setResult(0, castTo(node, isAbove, node.typeOf(x).getElementType()));
}

// ----------------------------------------------------------------------------------------------------------- replacing

/// A constant of x's integer type.
Value integersLike(NodeBuilder &node, Value x, ArrayRef<int64_t> values, ArrayRef<int64_t> shape) {
  nn::HostTensor tensor(RankedTensorType::get(shape, node.typeOf(x).getElementType()));
  for (auto [i, value] : llvm::enumerate(values))
    tensor.setInteger(static_cast<int64_t>(i), value);
  return node.createConstant(tensor.toAttr());
}

void imputeFloats(NodeBuilder &node, Value x) {
  auto values = node.getFloats("imputed_value_floats").value_or(llvm::SmallVector<float, 4>());
  float replaced = node.getFloat("replaced_value_float", 0);
  if (!checkColumns(node, "imputed_value_floats", values.size()))
    return;
  // NaN stands for any NaN.
  Value isReplaced = std::isnan(replaced) ? node.create<nn::NotOp>(node.create<nn::EqualOp>(x, x))
                                          : node.create<nn::EqualOp>(x, scalarLike(node, x, replaced));
  Value list = createNumbers(node, asDoubles(values), node.typeOf(x).getElementType());
  node.setResult(0, node.create<nn::WhereOp>(isReplaced, list, x));
}

void imputeIntegers(NodeBuilder &node, Value x) {
  IntList values = node.getInts("imputed_value_int64s").value_or(IntList());
  int64_t replaced = node.getInt("replaced_value_int64", 0);
  if (!checkColumns(node, "imputed_value_int64s", values.size()))
    return;
  Value isReplaced = node.create<nn::EqualOp>(x, integersLike(node, x, {replaced}, {}));
  Value list = integersLike(node, x, values, {static_cast<int64_t>(values.size())});
  node.setResult(0, node.create<nn::WhereOp>(isReplaced, list, x));
}

void buildImputer(NodeBuilder &node) {
  Value x = node.getInput(0);
  bool isFloat = isa<FloatType>(node.typeOf(x).getElementType());
  for (StringRef other : isFloat ? std::array<StringRef, 2>{"imputed_value_int64s", "replaced_value_int64"}
                                 : std::array<StringRef, 2>{"imputed_value_floats", "replaced_value_float"})
    node.ignoreAttribute(other);
  isFloat ? imputeFloats(node, x) : imputeIntegers(node, x);
}

// ------------------------------------------------------------------------------------------------------------ encoding

/// Floats are cut to integers first. A value that is no category gives zeros, also where 'zeros' asks for an error.
void buildOneHotEncoder(NodeBuilder &node) {
  node.ignoreAttribute("zeros");
  IntList categories = node.getInts("cats_int64s").value_or(IntList());
  if (categories.empty())
    return node.fail("expected categories in 'cats_int64s', found none");
  RankedTensorType type = node.typeOf(0);
  llvm::SmallVector<int64_t> shape(type.getShape());
  shape.push_back(1);
  Value x = node.createReshape(castTo(node, node.getInput(0), node.getBuilder().getI64Type()), shape);
  Value isCategory = node.create<nn::EqualOp>(x, node.createInts(categories));
  if (!node.failed())
    node.setResult(0, castTo(node, isCategory, node.getBuilder().getF32Type()));
}

/// One of the lists name_floats, name_int64s and name_tensor, as a constant vector. Null where there is none.
Value readTable(NodeBuilder &node, StringRef name) {
  if (auto floats = node.getFloats((name + "_floats").str()))
    return createNumbers(node, asDoubles(*floats), node.getBuilder().getF32Type());
  if (auto integers = node.getInts((name + "_int64s").str()))
    return node.createInts(*integers);
  return node.createConstant(node.getTensor((name + "_tensor").str()));
}

/// What keys that are not in the table give: as attribute, or what the standard says for the type.
void setDefault(NodeBuilder &node, nn::HostTensor &values, int64_t place) {
  Type element = values.type().getElementType();
  node.ignoreAttribute("default_string");
  float number = node.getFloat("default_float", -0.0f);
  int64_t integer = node.getInt("default_int64", -1);
  if (ElementsAttr tensor = node.getTensor("default_tensor")) {
    nn::HostTensor given = nn::HostTensor::view(tensor);
    if (given.size() != 1 || given.type().getElementType() != element)
      return node.fail("'default_tensor' must be one value of the type of the values, found " +
                       nn::describe(given.type()));
    isa<FloatType>(element) ? values.set(place, given.toDouble(0)) : values.setInteger(place, given.toInteger(0));
  } else if (isa<FloatType>(element)) {
    values.set(place, number);
  } else {
    values.setInteger(place, integer);
  }
}

/// Copies element `from` of one tensor to `to` of another one of the same type.
void copyElement(const nn::HostTensor &source, int64_t from, nn::HostTensor &target, int64_t to) {
  size_t bytes = static_cast<size_t>(nn::elementBytes(source.type().getElementType()));
  std::memcpy(target.mutableBytes().data() + static_cast<size_t>(to) * bytes,
              source.bytes().data() + static_cast<size_t>(from) * bytes, bytes);
}

/// Sorts a table; of equal keys, the last one counts, and NaN is a key of its own.
void buildLabelEncoder(NodeBuilder &node) {
  Value keyList = readTable(node, "keys"), valueList = readTable(node, "values");
  if (!node.failed() && (!keyList || !valueList))
    node.fail("expected keys and values that are numbers: strings are not supported");
  if (node.failed())
    return;
  nn::HostTensor keys = *NodeBuilder::viewConstant(keyList), values = *NodeBuilder::viewConstant(valueList);
  if (keys.size() != values.size() || keys.size() == 0)
    return node.fail("expected a value for each of one or more keys, found " + Twine(values.size()) + " for " +
                     Twine(keys.size()));
  bool isFloat = isa<FloatType>(keys.type().getElementType());
  std::map<std::pair<double, int64_t>, int64_t> places; // by the key as a float or as an integer
  std::optional<int64_t> nanPlace;
  for (int64_t i = 0; i < keys.size(); ++i) {
    double number = isFloat ? keys.toDouble(i) : 0;
    if (std::isnan(number))
      nanPlace = i;
    else
      places[{number, isFloat ? 0 : keys.toInteger(i)}] = i;
  }
  if (places.empty()) // a table has a key: NaN's own value is the same wherever it is found
    places[{0, 0}] = -1;
  int64_t count = static_cast<int64_t>(places.size()), next = 0;
  nn::HostTensor sortedKeys(keys.type().clone({count})), sortedValues(values.type().clone({count + 2}));
  setDefault(node, sortedValues, count + 1);
  for (auto [key, place] : places) {
    if (place >= 0)
      copyElement(keys, place, sortedKeys, next);
    copyElement(place >= 0 ? values : sortedValues, place >= 0 ? place : count + 1, sortedValues, next++);
  }
  copyElement(nanPlace ? values : sortedValues, nanPlace.value_or(count + 1), sortedValues, count);
  node.setResult(0, node.create<nn::LookupOp>(node.getInput(0), node.createConstant(sortedKeys.toAttr()),
                                              node.createConstant(sortedValues.toAttr())));
}

/// The maps of class to probability as one tensor, a column for each class.
void buildZipMap(NodeBuilder &node) {
  ClassLabels classes = readLabels(node, "classlabels_int64s", "classlabels_strings");
  Value x = node.getInput(0);
  RankedTensorType type = node.typeOf(x);
  if (node.failed())
    return;
  if (type.getRank() == 1)
    x = node.createReshape(x, {1, type.getDimSize(0)});
  else if (type.getRank() != 2)
    return node.fail(node.describeInput(0) + " must be a matrix, found " + nn::describe(type));
  if (!node.failed() && node.typeOf(x).getDimSize(1) != static_cast<int64_t>(classes.size()))
    return node.fail("expected a column for each of " + Twine(classes.size()) + " labels, found " + nn::describe(type));
  node.setResult(0, x);
  node.setClassList(0, classes.toAttr(node.getBuilder()));
}

// ----------------------------------------------------------------------------------------------------------- selecting

/// An input of FeatureVectorizer as f32 [rows, width]: cut, or filled up with zeros.
Value widened(NodeBuilder &node, size_t index, int64_t width) {
  Value x = castTo(node, node.getInput(index), node.getBuilder().getF32Type());
  RankedTensorType type = node.typeOf(index);
  if (node.failed())
    return {};
  if (type.getRank() == 1)
    x = node.createReshape(x, {1, type.getDimSize(0)});
  else if (type.getRank() != 2)
    node.fail(node.describeInput(index) + " must be a matrix, found " + nn::describe(type));
  if (node.failed())
    return {};
  int64_t added = width - node.typeOf(x).getDimSize(1);
  if (added == 0)
    return x;
  return node.create<nn::PadOp>(x, ArrayRef<int64_t>{0, 0}, ArrayRef<int64_t>{0, added}, nn::PadMode::Constant,
                                cast<TypedAttr>(mlir::Attribute(node.getBuilder().getF32FloatAttr(0))));
}

void buildFeatureVectorizer(NodeBuilder &node) {
  std::optional<IntList> widths = node.getInts("inputdimensions");
  if (!widths || widths->size() != node.getInputCount() || llvm::any_of(*widths, [](int64_t w) { return w < 0; }))
    return node.fail("'inputdimensions' must have a size for each of " + Twine(node.getInputCount()) + " inputs");
  llvm::SmallVector<Value> columns;
  for (size_t index = 0; index < widths->size(); ++index)
    columns.push_back(widened(node, index, (*widths)[index]));
  node.setResult(0, node.create<nn::ConcatOp>(columns, /*axis=*/1));
}

/// Columns of the last dimension; those of a vector are one row.
void buildArrayFeatureExtractor(NodeBuilder &node) {
  Value x = node.getInput(0), indices = node.getInput(1);
  if (node.typeOf(x).getRank() == 0)
    return node.fail(node.describeInput(0) + " must not be a scalar");
  if (node.typeOf(x).getRank() == 1)
    x = node.createReshape(x, {1, node.typeOf(x).getDimSize(0)});
  AffineExpr count = nn::product(nn::extentsOf(indices), indices.getContext());
  if (!node.failed())
    node.setResult(0,
                   node.create<nn::GatherOp>(x, node.createReshapeTo(indices, {count}), node.typeOf(x).getRank() - 1));
}

} // namespace

void aotc::frontend::addFeaturesRules(OpTable &table) {
  constexpr unsigned real = floats | signedInts;
  table.add("ai.onnx.ml.Scaler", 1, 1, buildScaler, real);
  table.add("ai.onnx.ml.Normalizer", 1, 1, buildNormalizer, real);
  table.add("ai.onnx.ml.Binarizer", 1, 1, buildBinarizer, real);
  table.add("ai.onnx.ml.Imputer", 1, 1, buildImputer, real);
  table.add("ai.onnx.ml.OneHotEncoder", 1, 1, buildOneHotEncoder, real);
  table.add("ai.onnx.ml.LabelEncoder", 1, 1, buildLabelEncoder, real);
  table.add("ai.onnx.ml.ZipMap", 1, 1, buildZipMap, floats);
  table.add("ai.onnx.ml.FeatureVectorizer", 1, anyNumber, buildFeatureVectorizer, real);
  table.add("ai.onnx.ml.ArrayFeatureExtractor", 2, 2, buildArrayFeatureExtractor);
}
