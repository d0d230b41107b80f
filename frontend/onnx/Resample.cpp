// Tables cannot be made when compiling where an extent is not known: the places of results among the elements of x are
// computed by the run, in the same float arithmetic (lowering/convert/families/Resize.cpp), and elements are gathered.
//
//   linear, of rows:   place = clip((i + 0.5) / scale - 0.5, 0, length - 1)
//                      x[floor(place)] * (1 - t) + x[floor(place) + 1] * t,  t = place - floor(place)
#include "frontend/onnx/Resample.h"

#include "frontend/onnx/Parts.h"

using namespace mlir;

namespace aotc::frontend {

namespace {

/// Arithmetic on f32 scalars and lists that reads as such.
class Resampler {
public:
  Resampler(NodeBuilder &node, Value x, const Resampling &wanted)
      : node(node), x(x), wanted(wanted), length(real(nn::extentsOf(node.typeOf(x))[wanted.axis])),
        size(real(wanted.size)), scale(wanted.scale ? number(*wanted.scale) : div(size, length)) {}

  Value build();

private:
  Value number(double value) { return node.createScalar(value, node.getBuilder().getF32Type()); }
  Value cast(Value value) { return node.create<nn::CastOp>(value, node.getBuilder().getF32Type()); }
  Value real(AffineExpr extent) {
    Value list = node.createExtents(extent);
    return node.failed() ? Value() : cast(node.createReshape(list, {}));
  }
  Value add(Value a, Value b) { return node.create<nn::AddOp>(a, b); }
  Value sub(Value a, Value b) { return node.create<nn::SubOp>(a, b); }
  Value mul(Value a, Value b) { return node.create<nn::MulOp>(a, b); }
  Value div(Value a, Value b) { return node.create<nn::DivOp>(a, b); }
  Value clip(Value a) { return node.create<nn::MinOp>(node.create<nn::MaxOp>(a, number(0)), last()); }
  Value last() { return sub(length, number(1)); }

  Value middle(Value i) { return div(add(i, number(0.5)), scale); }
  Value halfPixel(Value i) { return sub(middle(i), number(0.5)); }
  Value places(Value i);
  Value nearest(Value place);
  Value gather(Value place);
  Value column(Value weight);
  Value weighted(Value place, Value weight);
  Value linear(Value place);
  Value cubic(Value place);

  NodeBuilder &node;
  Value x;
  const Resampling &wanted;
  Value length, size, scale; ///< of x, of the result, and between them
};

/// Where result i lies among the elements of x.
Value Resampler::places(Value i) {
  if (wanted.coordinates == "asymmetric")
    return div(i, scale);
  if (wanted.coordinates == "align_corners") {
    // A single result is the first element: its numerator is 0, whatever the denominator.
    Value steps = sub(wanted.scale ? mul(length, scale) : size, number(1));
    Value isSingle = node.create<nn::EqualOp>(steps, number(0));
    return div(mul(i, last()), node.create<nn::WhereOp>(isSingle, number(1), steps));
  }
  if (wanted.coordinates == "pytorch_half_pixel")
    return node.create<nn::WhereOp>(node.create<nn::GreaterOp>(size, number(1)), halfPixel(i), number(0));
  if (wanted.coordinates == "half_pixel_symmetric") {
    Value adjustment = div(size, mul(scale, length)), center = div(length, number(2));
    return sub(add(mul(center, sub(number(1), adjustment)), middle(i)), number(0.5));
  }
  return halfPixel(i);
}

Value Resampler::nearest(Value place) {
  if (wanted.nearest == "floor")
    return node.create<nn::FloorOp>(place);
  if (wanted.nearest == "ceil")
    return node.create<nn::CeilOp>(place);
  if (wanted.nearest == "round_prefer_ceil")
    return node.create<nn::FloorOp>(add(place, number(0.5)));
  return node.create<nn::CeilOp>(sub(place, number(0.5)));
}

/// The elements of x at whole places; those beyond the ends are the outermost ones.
Value Resampler::gather(Value place) {
  Value indices = node.create<nn::CastOp>(clip(place), node.getBuilder().getI64Type());
  return node.create<nn::GatherOp>(x, indices, static_cast<uint64_t>(wanted.axis));
}

/// A number for each result, in the shape and type that x broadcasts with.
Value Resampler::column(Value weight) {
  if (node.failed())
    return {};
  nn::Extents shape(static_cast<size_t>(node.typeOf(x).getRank()) - wanted.axis, node.number(1));
  shape.front() = wanted.size;
  Value shaped = node.createReshapeTo(weight, shape);
  Type element = node.typeOf(x).getElementType();
  return element.isF32() ? shaped : node.create<nn::CastOp>(shaped, element);
}

/// The elements at whole places, times a weight for each.
Value Resampler::weighted(Value place, Value weight) { return mul(gather(place), column(weight)); }

Value Resampler::linear(Value place) {
  place = clip(place);
  Value first = node.create<nn::FloorOp>(place), t = sub(place, first);
  return add(weighted(first, sub(number(1), t)), weighted(add(first, number(1)), t));
}

/// Keys' weights of the four neighbours of a place; those beyond the ends count as 0 with exclude_outside, and the
/// others make up for them.
Value Resampler::cubic(Value place) {
  Value first = node.create<nn::FloorOp>(place), t = sub(place, first), a = number(wanted.cubicCoefficient);
  Value sum, total;
  for (int k = -1; k <= 2; ++k) {
    Value at = add(first, number(k)), weight;
    Value d = k <= 0 ? sub(t, number(k)) : sub(number(k), t); // the distance, which is at most 1 for the inner two
    if (k == 0 || k == 1)                                     // ((a + 2) d - (a + 3)) d² + 1
      weight = add(mul(mul(sub(mul(add(a, number(2)), d), add(a, number(3))), d), d), number(1));
    else // ((a d - 5 a) d + 8 a) d - 4 a
      weight = sub(mul(add(mul(sub(mul(a, d), mul(number(5), a)), d), mul(number(8), a)), d), mul(number(4), a));
    if (wanted.excludeOutside)
      weight = node.create<nn::WhereOp>(node.create<nn::EqualOp>(at, clip(at)), weight, number(0));
    total = total ? add(total, weight) : weight;
    Value part = weighted(at, weight);
    sum = sum ? add(sum, part) : part;
  }
  return wanted.excludeOutside ? div(sum, column(total)) : sum;
}

Value Resampler::build() {
  if (node.failed())
    return {};
  Value place = places(cast(createCounts(node, wanted.size, 0, 1)));
  if (wanted.mode == "nearest")
    return gather(nearest(place));
  return wanted.mode == "linear" ? linear(place) : cubic(place);
}

} // namespace

Value createResampled(NodeBuilder &node, Value x, const Resampling &resampling) {
  return node.failed() ? Value() : Resampler(node, x, resampling).build();
}

} // namespace aotc::frontend
