#include "ir/nn/Extents.h"

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Operation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringSet.h"

#include <algorithm>
#include <map>

using namespace mlir;

namespace aotc::nn {

//===-- polynomials -----------------------------------------------------------------------------------------------===//

namespace {

// What cannot be taken apart: a symbol, or a quotient that is rounded.
struct Factor {
  AffineExpr expression;
  std::string order; // its text: a stable order, unlike the one of addresses

  bool operator<(const Factor &other) const {
    return order.size() != other.order.size() ? order.size() < other.order.size() : order < other.order;
  }
  bool operator==(const Factor &other) const { return expression == other.expression; }
};

Factor factorOf(AffineExpr expression) {
  std::string text;
  llvm::raw_string_ostream(text) << expression;
  return {expression, text};
}

using Monomial = std::vector<Factor>; // sorted, with repetition

// Higher degrees first: what division wants as the leading term.
struct HigherFirst {
  bool operator()(const Monomial &x, const Monomial &y) const {
    return x.size() != y.size() ? x.size() > y.size() : x < y;
  }
};

class Polynomial {
public:
  Polynomial(MLIRContext *context, int64_t constant = 0) : context(context) { add({}, constant); }
  // Rounded quotients and remainders in the form of simplified().
  static Polynomial of(AffineExpr expression);

  AffineExpr toExpr() const;
  Polynomial operator+(const Polynomial &other) const;
  Polynomial operator*(const Polynomial &other) const;
  std::optional<Polynomial> dividedBy(const Polynomial &divisor) const;
  // Rounded down.
  Polynomial quotient(const Polynomial &divisor) const;
  std::optional<int64_t> constant() const;

private:
  void add(const Monomial &monomial, int64_t coefficient) {
    int64_t &sum = terms[monomial];
    sum += coefficient;
    if (sum == 0)
      terms.erase(monomial);
  }

  MLIRContext *context;
  std::map<Monomial, int64_t, HigherFirst> terms; // none of them 0
};

std::optional<int64_t> Polynomial::constant() const {
  if (terms.empty())
    return 0;
  return terms.size() == 1 && terms.begin()->first.empty() ? std::optional<int64_t>(terms.begin()->second)
                                                           : std::nullopt;
}

Polynomial Polynomial::operator+(const Polynomial &other) const {
  Polynomial sum = *this;
  for (const auto &[monomial, coefficient] : other.terms)
    sum.add(monomial, coefficient);
  return sum;
}

Polynomial Polynomial::operator*(const Polynomial &other) const {
  Polynomial product(context);
  for (const auto &[left, x] : terms)
    for (const auto &[right, y] : other.terms) {
      Monomial monomial = left;
      monomial.insert(monomial.end(), right.begin(), right.end());
      std::sort(monomial.begin(), monomial.end());
      product.add(monomial, x * y);
    }
  return product;
}

// Long division. Nothing where a rest is left.
std::optional<Polynomial> Polynomial::dividedBy(const Polynomial &divisor) const {
  if (divisor.terms.empty())
    return std::nullopt;
  const auto &[leading, by] = *divisor.terms.begin();
  Polynomial rest = *this, result(context);
  while (!rest.terms.empty()) {
    const auto &[monomial, coefficient] = *rest.terms.begin();
    if (coefficient % by != 0 || !std::includes(monomial.begin(), monomial.end(), leading.begin(), leading.end()))
      return std::nullopt;
    Polynomial term(context);
    Monomial left;
    std::set_difference(monomial.begin(), monomial.end(), leading.begin(), leading.end(), std::back_inserter(left));
    term.add(left, coefficient / by);
    result = result + term;
    rest = rest + Polynomial(context, -1) * term * divisor;
  }
  return result;
}

Polynomial Polynomial::quotient(const Polynomial &divisor) const {
  if (std::optional<Polynomial> exact = dividedBy(divisor))
    return *exact;
  // Whole multiples leave the quotient: (4 a + b) / 4 = a + b / 4.
  Polynomial whole(context), part(context);
  std::optional<int64_t> number = divisor.constant();
  for (const auto &[monomial, coefficient] : terms) {
    int64_t inside = number ? ((coefficient % *number) + *number) % *number : coefficient;
    part.add(monomial, inside);
    if (number)
      whole.add(monomial, (coefficient - inside) / *number);
  }
  if (number && part.constant())
    return whole; // 0 <= part < number
  Polynomial rounded(context);
  rounded.add({factorOf(part.toExpr().floorDiv(divisor.toExpr()))}, 1);
  return whole + rounded;
}

Polynomial Polynomial::of(AffineExpr expression) {
  MLIRContext *context = expression.getContext();
  if (auto constant = dyn_cast<AffineConstantExpr>(expression))
    return Polynomial(context, constant.getValue());
  auto binary = dyn_cast<AffineBinaryOpExpr>(expression);
  if (!binary) {
    Polynomial symbol(context);
    symbol.add({factorOf(expression)}, 1);
    return symbol;
  }
  Polynomial x = of(binary.getLHS()), y = of(binary.getRHS()), minusOne(context, -1);
  switch (binary.getKind()) {
  case AffineExprKind::Add:
    return x + y;
  case AffineExprKind::Mul:
    return x * y;
  case AffineExprKind::FloorDiv:
    return x.quotient(y);
  case AffineExprKind::CeilDiv: // -floor(-x / y)
    return minusOne * (minusOne * x).quotient(y);
  case AffineExprKind::Mod:
    return x + minusOne * y * x.quotient(y);
  default:
    llvm_unreachable("constants and symbols are no binary expressions");
  }
}

AffineExpr Polynomial::toExpr() const {
  AffineExpr sum = getAffineConstantExpr(0, context);
  for (const auto &[monomial, coefficient] : terms) {
    AffineExpr term = monomial.empty() ? getAffineConstantExpr(1, context) : monomial.front().expression;
    for (const Factor &factor : llvm::drop_begin(monomial, monomial.empty() ? 0 : 1))
      term = term * factor.expression;
    sum = sum + term * coefficient;
  }
  return sum;
}

} // namespace

AffineExpr simplified(AffineExpr extent) {
  bool isSimple = !extent || isa<AffineConstantExpr, AffineSymbolExpr>(extent);
  return isSimple ? extent : Polynomial::of(extent).toExpr();
}

std::optional<int64_t> numberOf(AffineExpr extent) {
  auto constant = dyn_cast_or_null<AffineConstantExpr>(extent);
  return constant ? std::optional<int64_t>(constant.getValue()) : std::nullopt;
}
bool isNumber(AffineExpr extent, int64_t number) { return numberOf(extent) == std::optional<int64_t>(number); }

AffineExpr sum(AffineExpr x, AffineExpr y) { return x && y ? simplified(x + y) : AffineExpr(); }
AffineExpr sum(AffineExpr x, int64_t y) { return x ? simplified(x + y) : x; }
AffineExpr difference(AffineExpr x, AffineExpr y) { return x && y ? simplified(x - y) : AffineExpr(); }
AffineExpr product(AffineExpr x, AffineExpr y) { return x && y ? simplified(x * y) : AffineExpr(); }
AffineExpr product(ArrayRef<AffineExpr> extents, MLIRContext *context) {
  AffineExpr result = getAffineConstantExpr(1, context);
  for (AffineExpr extent : extents)
    result = product(result, extent);
  return result;
}
AffineExpr quotient(AffineExpr x, AffineExpr y) { return x && y ? simplified(x.floorDiv(y)) : AffineExpr(); }
AffineExpr quotient(AffineExpr x, int64_t y) { return x ? simplified(x.floorDiv(y)) : x; }

AffineExpr exactQuotient(AffineExpr x, AffineExpr y) {
  if (!x || !y)
    return {};
  std::optional<Polynomial> result = Polynomial::of(x).dividedBy(Polynomial::of(y));
  return result ? result->toExpr() : AffineExpr();
}

//===-- types -----------------------------------------------------------------------------------------------------===//

static AffineMap encodingOf(RankedTensorType type) {
  auto attribute = dyn_cast_or_null<AffineMapAttr>(type.getEncoding());
  return attribute ? attribute.getValue() : AffineMap();
}

Extents extentsOf(ArrayRef<int64_t> shape, AffineMapAttr map, MLIRContext *context) {
  if (map)
    return Extents(map.getValue().getResults());
  return llvm::map_to_vector(shape, [&](int64_t extent) {
    return ShapedType::isDynamic(extent) ? AffineExpr() : getAffineConstantExpr(extent, context);
  });
}

Extents extentsOf(RankedTensorType type) {
  return extentsOf(type.getShape(), dyn_cast_or_null<AffineMapAttr>(type.getEncoding()), type.getContext());
}

SmallVector<int64_t> shapeOf(ArrayRef<AffineExpr> extents) {
  return llvm::map_to_vector(extents,
                             [](AffineExpr extent) { return numberOf(extent).value_or(ShapedType::kDynamic); });
}

AffineMapAttr mapOf(ArrayRef<AffineExpr> extents) {
  if (llvm::all_of(extents, [](AffineExpr extent) { return extent && numberOf(extent); }) ||
      llvm::is_contained(extents, AffineExpr()))
    return {};
  unsigned symbols = 0;
  for (AffineExpr extent : extents)
    extent.walk([&](AffineExpr part) {
      if (auto symbol = dyn_cast<AffineSymbolExpr>(part))
        symbols = std::max(symbols, symbol.getPosition() + 1);
    });
  return AffineMapAttr::get(AffineMap::get(0, symbols, extents, extents.front().getContext()));
}

RankedTensorType tensorOf(ArrayRef<AffineExpr> extents, Type element) {
  Extents simple = llvm::map_to_vector(extents, simplified);
  return RankedTensorType::get(shapeOf(simple), element, mapOf(simple));
}

bool hasValidExtents(RankedTensorType type) {
  if (type.hasStaticShape())
    return !type.getEncoding();
  AffineMap map = encodingOf(type);
  return map && map.getNumDims() == 0 && map.getNumResults() == static_cast<unsigned>(type.getRank()) &&
         shapeOf(map.getResults()) == SmallVector<int64_t>(type.getShape()) &&
         mapOf(map.getResults()).getValue() == map;
}

//===-- dims ------------------------------------------------------------------------------------------------------===//

static constexpr StringLiteral foundName = "nn.found";

SmallVector<Dim> dimsOf(Operation *op) {
  SmallVector<Dim> dims;
  auto function = dyn_cast_or_null<FunctionOpInterface>(op);
  if (!function)
    return dims;
  llvm::StringSet<> known;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    auto names = function.getArgAttrOfType<ArrayAttr>(i, "nn.symbols");
    if (!names)
      continue;
    auto least = function.getArgAttrOfType<DenseI64ArrayAttr>(i, "nn.minimums");
    auto most = function.getArgAttrOfType<DenseI64ArrayAttr>(i, "nn.bounds");
    for (auto [axis, name] : llvm::enumerate(names.getAsRange<StringAttr>()))
      if (!name.empty() && known.insert(name).second)
        dims.push_back({name.str(), least[axis], most[axis]});
  }
  if (auto found = op->getAttrOfType<ArrayAttr>(foundName))
    for (ArrayAttr dim : found.getAsRange<ArrayAttr>()) // name and maximum
      dims.push_back({cast<StringAttr>(dim[0]).str(), 0, cast<IntegerAttr>(dim[1]).getInt(), true});
  return dims;
}

static Operation *functionAround(Block *block) {
  Operation *op = block ? block->getParentOp() : nullptr;
  while (op && !isa<FunctionOpInterface>(op))
    op = op->getParentOp();
  return op;
}

SmallVector<Dim> dimsAround(Block *block) { return dimsOf(functionAround(block)); }

AffineExpr addFoundDim(Block *block, StringRef name, int64_t most) {
  Operation *function = functionAround(block);
  SmallVector<Dim> dims = dimsOf(function);
  auto isTaken = [&](const std::string &wanted) {
    return llvm::any_of(dims, [&](const Dim &dim) { return dim.name == wanted; });
  };
  std::string unique = name.str();
  for (int number = 2; isTaken(unique); ++number)
    unique = (name + "_" + Twine(number)).str();
  Builder builder(function->getContext());
  SmallVector<Attribute> found;
  if (auto before = function->getAttrOfType<ArrayAttr>(foundName))
    llvm::append_range(found, before);
  found.push_back(builder.getArrayAttr({builder.getStringAttr(unique), builder.getI64IntegerAttr(most)}));
  function->setAttr(foundName, builder.getArrayAttr(found));
  return builder.getAffineSymbolExpr(static_cast<unsigned>(dims.size()));
}

Attribute getFoundDims(Block *block) { return functionAround(block)->getAttr(foundName); }

void setFoundDims(Block *block, Attribute dims) {
  Operation *function = functionAround(block);
  if (dims)
    function->setAttr(foundName, dims);
  else
    function->removeAttr(foundName);
}

void joinFoundDims(Operation *function, Operation *other) {
  SmallVector<Dim> own = dimsOf(function);
  auto given = static_cast<unsigned>(llvm::count_if(own, [](const Dim &dim) { return !dim.isFound; }));
  auto shift = static_cast<unsigned>(own.size()) - given;
  for (const Dim &dim : dimsOf(other))
    if (dim.isFound)
      addFoundDim(&function->getRegion(0).front(), dim.name, dim.maximum);
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](AffineMapAttr attribute) {
    AffineMap map = attribute.getValue();
    if (map.getNumSymbols() <= given)
      return attribute;
    return mapOf(llvm::map_to_vector(map.getResults(), [&](AffineExpr extent) {
      return simplified(extent.shiftSymbols(map.getNumSymbols(), shift, given));
    }));
  });
  replacer.recursivelyReplaceElementsIn(other, /*replaceAttrs=*/true, /*replaceLocs=*/false, /*replaceTypes=*/true);
}

SmallVector<Dim> dimsAround(Value value) { return dimsAround(value.getParentBlock()); }

static int64_t flooredQuotient(int64_t a, int64_t b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

// Of an expression whose only symbol is `value`.
static int64_t valueAt(AffineExpr extent, int64_t value) {
  if (auto constant = dyn_cast<AffineConstantExpr>(extent))
    return constant.getValue();
  if (isa<AffineSymbolExpr>(extent))
    return value;
  auto binary = cast<AffineBinaryOpExpr>(extent);
  int64_t x = valueAt(binary.getLHS(), value), y = valueAt(binary.getRHS(), value);
  if (binary.getKind() == AffineExprKind::Add)
    return x + y;
  return binary.getKind() == AffineExprKind::Mul ? x * y : flooredQuotient(x, std::max<int64_t>(1, y));
}

// An expression that names one dim several times, such as n - n / 2, at all values of that dim.
static std::optional<Interval> boundsByTrial(AffineExpr extent, ArrayRef<Dim> dims) {
  constexpr int64_t mostTrials = 1024;
  AffineExpr only;
  bool isSingle = true;
  int64_t names = 0;
  extent.walk([&](AffineExpr part) {
    if (!isa<AffineSymbolExpr>(part))
      return;
    isSingle &= !only || only == part;
    only = part;
    ++names;
  });
  if (names < 2 || !isSingle)
    return std::nullopt;
  unsigned position = cast<AffineSymbolExpr>(only).getPosition();
  if (position >= dims.size())
    return std::nullopt;
  const Dim &dim = dims[position];
  if (dim.maximum - dim.minimum >= mostTrials)
    return std::nullopt;
  Interval bounds{INT64_MAX, INT64_MIN};
  for (int64_t value = dim.minimum; value <= dim.maximum; ++value) {
    int64_t found = valueAt(extent, value);
    bounds = {std::min(bounds.least, found), std::max(bounds.most, found)};
  }
  return bounds;
}

Interval boundsOf(AffineExpr extent, ArrayRef<Dim> dims) {
  if (std::optional<Interval> bounds = boundsByTrial(extent, dims))
    return *bounds;
  if (auto constant = dyn_cast<AffineConstantExpr>(extent))
    return {constant.getValue(), constant.getValue()};
  if (auto symbol = dyn_cast<AffineSymbolExpr>(extent))
    return symbol.getPosition() < dims.size()
               ? Interval{dims[symbol.getPosition()].minimum, dims[symbol.getPosition()].maximum}
               : Interval{0, INT32_MAX};
  auto binary = cast<AffineBinaryOpExpr>(extent);
  Interval x = boundsOf(binary.getLHS(), dims), y = boundsOf(binary.getRHS(), dims);
  auto across = [&](auto operation) {
    int64_t values[] = {operation(x.least, y.least), operation(x.least, y.most), operation(x.most, y.least),
                        operation(x.most, y.most)};
    return Interval{*std::min_element(values, values + 4), *std::max_element(values, values + 4)};
  };
  switch (binary.getKind()) {
  case AffineExprKind::Add:
    return {x.least + y.least, x.most + y.most};
  case AffineExprKind::Mul:
    return across([](int64_t a, int64_t b) { return a * b; });
  default: // only quotients are left of the others
    y.least = std::max<int64_t>(1, y.least);
    y.most = std::max<int64_t>(1, y.most);
    return across(flooredQuotient);
  }
}

//===-- text ------------------------------------------------------------------------------------------------------===//

static std::string joined(AffineExpr extent, ArrayRef<Dim> dims, bool asFactor) {
  if (auto constant = dyn_cast<AffineConstantExpr>(extent))
    return std::to_string(constant.getValue());
  if (auto symbol = dyn_cast<AffineSymbolExpr>(extent))
    return symbol.getPosition() < dims.size() ? dims[symbol.getPosition()].name : "?";
  auto binary = cast<AffineBinaryOpExpr>(extent);
  AffineExpr left = binary.getLHS(), right = binary.getRHS();
  if (binary.getKind() == AffineExprKind::Add) {
    std::optional<int64_t> number = numberOf(right);
    bool isNegative = number && *number < 0;
    std::string text = joined(left, dims, false) + (isNegative ? " - " : " + ") +
                       (isNegative ? std::to_string(-*number) : joined(right, dims, false));
    return asFactor ? "(" + text + ")" : text;
  }
  if (binary.getKind() == AffineExprKind::Mul) {
    if (numberOf(right)) // the number first
      std::swap(left, right);
    return joined(left, dims, true) + " * " + joined(right, dims, true);
  }
  std::string text = joined(left, dims, true) + " / " + joined(right, dims, true);
  return asFactor ? "(" + text + ")" : text;
}

std::string textOf(AffineExpr extent, ArrayRef<Dim> dims) { return extent ? joined(extent, dims, false) : "?"; }

} // namespace aotc::nn
