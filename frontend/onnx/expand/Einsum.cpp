// Einsum as transposes, products and sums: operands are brought together one after the other, from left to right.
//
//   bij,bjk->bik   ==>   one matrix product
//   ii->i          ==>   every (n + 1)th element of a matrix written out as a row
//   ij->           ==>   a sum
#include "frontend/onnx/EinsumEquation.h"

#include "frontend/onnx/OpTable.h"
#include "ir/nn/Shapes.h"

#include <map>
#include <set>

using namespace aotc::frontend;
using namespace mlir;
using llvm::ArrayRef;
using llvm::Twine;
namespace nn = aotc::nn;

namespace {

/// A value and what its dimensions are called.
struct Labelled {
  Value value;
  Labels labels;

  bool has(int64_t label) const { return llvm::is_contained(labels, label); }
};

using LabelSet = std::set<int64_t>;

class EinsumBuilder {
public:
  EinsumBuilder(NodeBuilder &node, const EinsumEquation &equation) : node(node), equation(equation) {}

  Value build();

private:
  bool readExtents();
  bool noteExtent(int64_t label, AffineExpr extent);
  AffineExpr productOf(ArrayRef<int64_t> labels) const;
  Labelled prepare(size_t index);
  Labelled ordered(Labelled x, ArrayRef<int64_t> labels);
  Labelled takeDiagonal(Labelled x, size_t first, size_t second);
  Labelled withoutUnits(Labelled x);
  Labelled summed(Labelled x, const LabelSet &kept);
  Labelled combined(Labelled a, Labelled b, const LabelSet &kept);
  Value matrixProduct(Labelled a, Labelled b, ArrayRef<int64_t> batch, ArrayRef<int64_t> inner);
  Value broadcastProduct(Labelled a, Labelled b, ArrayRef<int64_t> labels);
  Value spread(Labelled x, ArrayRef<int64_t> labels);

  NodeBuilder &node;
  const EinsumEquation &equation;
  std::map<int64_t, AffineExpr> extents;
};

// -------------------------------------------------------------------------------------------------------- extents
/// Where a dimension meets a 1, the 1 gives way.
bool EinsumBuilder::noteExtent(int64_t label, AffineExpr extent) {
  auto [place, isNew] = extents.try_emplace(label, extent);
  if (isNew || place->second == extent || nn::isNumber(extent, 1))
    return true;
  if (!nn::isNumber(place->second, 1)) {
    node.fail("the dimensions '" + labelText(label) + "' must be equal, found " + node.describe(place->second) +
              " and " + node.describe(extent));
    return false;
  }
  place->second = extent;
  return true;
}

bool EinsumBuilder::readExtents() {
  for (auto [index, labels] : llvm::enumerate(equation.operands))
    for (auto [label, extent] : llvm::zip_equal(labels, node.extentsOf(index)))
      if (!noteExtent(label, extent))
        return false;
  return true;
}

AffineExpr EinsumBuilder::productOf(ArrayRef<int64_t> labels) const {
  return nn::product(llvm::map_to_vector(labels, [&](int64_t label) { return extents.at(label); }), node.getContext());
}

// ------------------------------------------------------------------------------------------------------ one operand
Labelled EinsumBuilder::ordered(Labelled x, ArrayRef<int64_t> labels) {
  IntList permutation;
  for (int64_t label : labels)
    permutation.push_back(llvm::find(x.labels, label) - x.labels.begin());
  return {node.createTranspose(x.value, permutation), Labels(labels)};
}

/// Dimensions `first` and `second` become one: [n, n] ==> [n * n] ==> every (n + 1)th element.
Labelled EinsumBuilder::takeDiagonal(Labelled x, size_t first, size_t second) {
  auto type = node.typeOf(x.value);
  int64_t extent = type.getShape()[first];
  if (extent != type.getShape()[second] || ShapedType::isDynamic(extent)) {
    node.fail("the dimensions '" + labelText(x.labels[first]) + "' of " + nn::describe(type) +
              " must be equal and known when compiling");
    return x;
  }
  IntList permutation;
  nn::Extents all = nn::extentsOf(type), shape;
  Labels labels;
  for (size_t d = 0; d < x.labels.size(); ++d)
    if (d != first && d != second) {
      permutation.push_back(static_cast<int64_t>(d));
      shape.push_back(all[d]);
      labels.push_back(x.labels[d]);
    }
  permutation.append({static_cast<int64_t>(first), static_cast<int64_t>(second)});
  shape.push_back(nn::product(all[first], all[first]));
  labels.push_back(x.labels[first]);
  Value run = node.createReshapeTo(node.createTranspose(x.value, permutation), shape);
  nn::Extents starts(shape.size(), getAffineConstantExpr(0, node.getContext()));
  IntList steps(shape.size(), 1);
  shape.back() = all[first];
  steps.back() = extent + 1;
  return {node.createSlice(run, starts, shape, steps), labels};
}

/// Extents of 1 that stand for more of them are left to the other operands.
Labelled EinsumBuilder::withoutUnits(Labelled x) {
  if (node.failed())
    return x;
  nn::Extents shape;
  Labels labels;
  for (auto [label, extent] : llvm::zip(x.labels, nn::extentsOf(x.value)))
    if (!nn::isNumber(extent, 1) || nn::isNumber(extents.at(label), 1)) {
      shape.push_back(extent);
      labels.push_back(label);
    }
  return {node.createReshapeTo(x.value, shape), labels};
}

/// Sums over the dimensions that nothing else needs.
Labelled EinsumBuilder::summed(Labelled x, const LabelSet &kept) {
  IntList axes;
  Labels labels;
  for (auto [axis, label] : llvm::enumerate(x.labels))
    if (kept.count(label))
      labels.push_back(label);
    else
      axes.push_back(static_cast<int64_t>(axis));
  if (axes.empty() || node.failed())
    return x;
  return {node.create<nn::ReduceOp>(x.value, nn::ReduceKind::Sum, axes, false), labels};
}

Labelled EinsumBuilder::prepare(size_t index) {
  Labelled x{node.getInput(index), equation.operands[index]};
  for (size_t first = 0; first < x.labels.size() && !node.failed();) {
    auto again = llvm::find(llvm::drop_begin(x.labels, first + 1), x.labels[first]);
    if (again == x.labels.end())
      ++first;
    else
      x = takeDiagonal(x, first, static_cast<size_t>(again - x.labels.begin()));
  }
  return withoutUnits(x);
}

// ---------------------------------------------------------------------------------------------------- two operands
/// [batch..., left] x [batch..., inner, right], the others merged: the result is [batch..., left..., right...].
Value EinsumBuilder::matrixProduct(Labelled a, Labelled b, ArrayRef<int64_t> batch, ArrayRef<int64_t> inner) {
  auto isOwn = [&](int64_t label) { return !llvm::is_contained(batch, label) && !llvm::is_contained(inner, label); };
  Labels left, right, aOrder(batch), bOrder(batch);
  llvm::copy_if(a.labels, std::back_inserter(left), isOwn);
  llvm::copy_if(b.labels, std::back_inserter(right), isOwn);
  llvm::append_range(aOrder, left);
  llvm::append_range(aOrder, inner);
  llvm::append_range(bOrder, inner);
  llvm::append_range(bOrder, right);
  nn::Extents aShape, bShape, shape;
  for (int64_t label : batch)
    shape.push_back(extents.at(label));
  aShape = bShape = shape;
  aShape.append({productOf(left), productOf(inner)});
  bShape.append({productOf(inner), productOf(right)});
  for (int64_t label : llvm::concat<int64_t>(left, right))
    shape.push_back(extents.at(label));
  Value product = node.create<nn::MatMulOp>(node.createReshapeTo(ordered(a, aOrder).value, aShape),
                                            node.createReshapeTo(ordered(b, bOrder).value, bShape));
  return node.createReshapeTo(product, shape);
}

/// x with all of `labels` in their order, extents of 1 in the place of those that it does not have.
Value EinsumBuilder::spread(Labelled x, ArrayRef<int64_t> labels) {
  Labels own;
  nn::Extents shape;
  for (int64_t label : labels) {
    if (x.has(label))
      own.push_back(label);
    shape.push_back(x.has(label) ? extents.at(label) : getAffineConstantExpr(1, node.getContext()));
  }
  return node.createReshapeTo(ordered(x, own).value, shape);
}

Value EinsumBuilder::broadcastProduct(Labelled a, Labelled b, ArrayRef<int64_t> labels) {
  return node.create<nn::MulOp>(spread(a, labels), spread(b, labels));
}

Labelled EinsumBuilder::combined(Labelled a, Labelled b, const LabelSet &kept) {
  auto with = [&](const Labelled &other) {
    LabelSet needed = kept;
    needed.insert(other.labels.begin(), other.labels.end());
    return needed;
  };
  a = summed(a, with(b));
  b = summed(b, with(a));
  if (node.failed())
    return a;
  if (NodeBuilder::getConstant(a.value) && !NodeBuilder::getConstant(b.value))
    std::swap(a, b); // weights are packed on the right
  Labels batch, inner, labels;
  for (int64_t label : a.labels)
    if (b.has(label))
      (kept.count(label) ? batch : inner).push_back(label);
  llvm::append_range(labels, batch);
  for (int64_t label : llvm::concat<int64_t>(a.labels, b.labels))
    if (!llvm::is_contained(batch, label) && !llvm::is_contained(inner, label))
      labels.push_back(label);
  return {inner.empty() ? broadcastProduct(a, b, labels) : matrixProduct(a, b, batch, inner), labels};
}

Value EinsumBuilder::build() {
  if (!readExtents())
    return {};
  Labelled result = prepare(0);
  for (size_t index = 1; index <= equation.operands.size() && !node.failed(); ++index) {
    LabelSet kept(equation.result.begin(), equation.result.end());
    for (const Labels &later : llvm::drop_begin(equation.operands, std::min(index + 1, equation.operands.size())))
      kept.insert(later.begin(), later.end());
    result = index < equation.operands.size() ? combined(result, prepare(index), kept) : summed(result, kept);
  }
  return node.failed() ? Value() : ordered(result, equation.result).value;
}

void buildEinsum(NodeBuilder &node) {
  llvm::SmallVector<int64_t> ranks;
  for (Value input : node.getInputs()) {
    ranks.push_back(node.typeOf(input).getRank());
    if (node.typeOf(input).getElementType() != node.typeOf(0).getElementType())
      return node.fail("operands must have one element type, found " + nn::describe(node.typeOf(0)) + " and " +
                       nn::describe(input.getType()));
  }
  EinsumEquation equation;
  std::string error = equation.parse(node.getString("equation", ""), ranks);
  if (!error.empty())
    return node.fail(error);
  node.setResult(0, EinsumBuilder(node, equation).build());
}

} // namespace

void aotc::frontend::addEinsumRules(OpTable &table) { table.add("Einsum", 1, anyNumber, buildEinsum, numbers); }
