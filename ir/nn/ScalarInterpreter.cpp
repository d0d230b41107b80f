#include "ir/nn/ScalarInterpreter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;

namespace aotc::scalar {

using Operands = const Number *const *;
using Apply = Number (*)(Operands, unsigned bits);

static Number ofFloat(double f) { return {f, 0}; }
static Number ofInteger(int64_t i, unsigned bits) { return {0, bits >= 64 ? i : llvm::SignExtend64(i, bits)}; }
static Number ofBool(bool b) { return {0, b ? 1 : 0}; }
static uint64_t unsignedOf(const Number &x, unsigned bits) {
  return bits >= 64 ? static_cast<uint64_t>(x.i) : static_cast<uint64_t>(x.i) & ((uint64_t{1} << bits) - 1);
}

// x or y where one is NaN, as arith.maximumf and minimumf ask for.
static double pick(double x, double y, bool first) {
  if (std::isnan(x) || std::isnan(y))
    return std::nan("");
  return first ? x : y;
}

static Apply compareFloat(arith::CmpFPredicate predicate) {
  switch (predicate) {
  case arith::CmpFPredicate::OEQ:
    return [](Operands o, unsigned) { return ofBool(o[0]->f == o[1]->f); };
  case arith::CmpFPredicate::OLT:
    return [](Operands o, unsigned) { return ofBool(o[0]->f < o[1]->f); };
  case arith::CmpFPredicate::UNE:
    return [](Operands o, unsigned) { return ofBool(!(o[0]->f == o[1]->f)); };
  default:
    return nullptr;
  }
}

static Apply compareInteger(arith::CmpIPredicate predicate) {
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return [](Operands o, unsigned b) { return ofBool(unsignedOf(*o[0], b) == unsignedOf(*o[1], b)); };
  case arith::CmpIPredicate::ne:
    return [](Operands o, unsigned b) { return ofBool(unsignedOf(*o[0], b) != unsignedOf(*o[1], b)); };
  case arith::CmpIPredicate::slt:
    return [](Operands o, unsigned) { return ofBool(o[0]->i < o[1]->i); };
  case arith::CmpIPredicate::ult:
    return [](Operands o, unsigned b) { return ofBool(unsignedOf(*o[0], b) < unsignedOf(*o[1], b)); };
  default:
    return nullptr;
  }
}

// Functions of the C library, by op.
static Apply functionApply(Operation *op) {
  return llvm::TypeSwitch<Operation *, Apply>(op)
      .Case<math::ExpOp>([](auto) { return [](Operands o, unsigned) { return ofFloat(std::exp(o[0]->f)); }; })
      .Case<math::LogOp>([](auto) { return [](Operands o, unsigned) { return ofFloat(std::log(o[0]->f)); }; })
      .Case<math::SqrtOp>([](auto) { return [](Operands o, unsigned) { return ofFloat(std::sqrt(o[0]->f)); }; })
      .Case<math::TanhOp>([](auto) { return [](Operands o, unsigned) { return ofFloat(std::tanh(o[0]->f)); }; })
      .Case<math::ErfOp>([](auto) { return [](Operands o, unsigned) { return ofFloat(std::erf(o[0]->f)); }; })
      .Case<math::FloorOp>([](auto) { return [](Operands o, unsigned) { return ofFloat(std::floor(o[0]->f)); }; })
      .Case<math::CeilOp>([](auto) { return [](Operands o, unsigned) { return ofFloat(std::ceil(o[0]->f)); }; })
      .Case<math::RoundEvenOp>(
          [](auto) { return [](Operands o, unsigned) { return ofFloat(std::nearbyint(o[0]->f)); }; })
      .Case<math::ExpM1Op>([](auto) { return [](Operands o, unsigned) { return ofFloat(std::expm1(o[0]->f)); }; })
      .Case<math::Log1pOp>([](auto) { return [](Operands o, unsigned) { return ofFloat(std::log1p(o[0]->f)); }; })
      .Case<math::SinOp>([](auto) { return [](Operands o, unsigned) { return ofFloat(std::sin(o[0]->f)); }; })
      .Case<math::CosOp>([](auto) { return [](Operands o, unsigned) { return ofFloat(std::cos(o[0]->f)); }; })
      .Case<math::TanOp>([](auto) { return [](Operands o, unsigned) { return ofFloat(std::tan(o[0]->f)); }; })
      .Case<math::AsinOp>([](auto) { return [](Operands o, unsigned) { return ofFloat(std::asin(o[0]->f)); }; })
      .Case<math::AcosOp>([](auto) { return [](Operands o, unsigned) { return ofFloat(std::acos(o[0]->f)); }; })
      .Case<math::AtanOp>([](auto) { return [](Operands o, unsigned) { return ofFloat(std::atan(o[0]->f)); }; })
      .Case<math::SinhOp>([](auto) { return [](Operands o, unsigned) { return ofFloat(std::sinh(o[0]->f)); }; })
      .Case<math::CoshOp>([](auto) { return [](Operands o, unsigned) { return ofFloat(std::cosh(o[0]->f)); }; })
      .Case<math::AsinhOp>([](auto) { return [](Operands o, unsigned) { return ofFloat(std::asinh(o[0]->f)); }; })
      .Case<math::AcoshOp>([](auto) { return [](Operands o, unsigned) { return ofFloat(std::acosh(o[0]->f)); }; })
      .Case<math::AtanhOp>([](auto) { return [](Operands o, unsigned) { return ofFloat(std::atanh(o[0]->f)); }; })
      .Case<math::PowFOp>([](auto) { return [](Operands o, unsigned) { return ofFloat(std::pow(o[0]->f, o[1]->f)); }; })
      .Case<arith::RemFOp>(
          [](auto) { return [](Operands o, unsigned) { return ofFloat(std::fmod(o[0]->f, o[1]->f)); }; })
      .Default([](auto) { return Apply(nullptr); });
}

static Apply floatApply(Operation *op) {
  return llvm::TypeSwitch<Operation *, Apply>(op)
      .Case<arith::AddFOp>([](auto) { return [](Operands o, unsigned) { return ofFloat(o[0]->f + o[1]->f); }; })
      .Case<arith::SubFOp>([](auto) { return [](Operands o, unsigned) { return ofFloat(o[0]->f - o[1]->f); }; })
      .Case<arith::MulFOp>([](auto) { return [](Operands o, unsigned) { return ofFloat(o[0]->f * o[1]->f); }; })
      .Case<arith::DivFOp>([](auto) { return [](Operands o, unsigned) { return ofFloat(o[0]->f / o[1]->f); }; })
      .Case<arith::NegFOp>([](auto) { return [](Operands o, unsigned) { return ofFloat(-o[0]->f); }; })
      .Case<arith::MaximumFOp>(
          [](auto) { return [](Operands o, unsigned) { return ofFloat(pick(o[0]->f, o[1]->f, o[0]->f > o[1]->f)); }; })
      .Case<arith::MinimumFOp>(
          [](auto) { return [](Operands o, unsigned) { return ofFloat(pick(o[0]->f, o[1]->f, o[0]->f < o[1]->f)); }; })
      .Case<math::AbsFOp>([](auto) { return [](Operands o, unsigned) { return ofFloat(std::fabs(o[0]->f)); }; })
      .Case<arith::CmpFOp>([](arith::CmpFOp compare) { return compareFloat(compare.getPredicate()); })
      .Default([](auto) { return Apply(nullptr); });
}

// Division by zero and the one overflow give 0: never undefined behaviour in the compiler; run-time code has its own
// rule.
static Number divide(Operands o, unsigned bits, bool isSigned) {
  if (o[1]->i == 0)
    return {};
  if (!isSigned)
    return ofInteger(static_cast<int64_t>(unsignedOf(*o[0], bits) / unsignedOf(*o[1], bits)), bits);
  if (o[1]->i == -1)
    return ofInteger(static_cast<int64_t>(0 - static_cast<uint64_t>(o[0]->i)), bits);
  return ofInteger(o[0]->i / o[1]->i, bits);
}

// x - y * (x / y), by the same rule: a rest of a division by 0 is x.
static Number remainder(Operands o, unsigned bits, bool isSigned) {
  uint64_t product = static_cast<uint64_t>(divide(o, bits, isSigned).i) * static_cast<uint64_t>(o[1]->i);
  return ofInteger(static_cast<int64_t>(static_cast<uint64_t>(o[0]->i) - product), bits);
}

// As templates/kernels/scalar.hpp shifts: the count is not negative.
static Number shiftLeft(Operands o, unsigned bits) {
  uint64_t count = unsignedOf(*o[1], bits);
  return count < bits ? ofInteger(static_cast<int64_t>(static_cast<uint64_t>(o[0]->i) << count), bits) : Number{};
}
static Number shiftRight(Operands o, unsigned bits, bool isSigned) {
  uint64_t count = unsignedOf(*o[1], bits);
  if (isSigned)
    return ofInteger(o[0]->i >> std::min<uint64_t>(count, bits - 1), bits);
  return count < bits ? ofInteger(static_cast<int64_t>(unsignedOf(*o[0], bits) >> count), bits) : Number{};
}

static Apply bitApply(Operation *op) {
  return llvm::TypeSwitch<Operation *, Apply>(op)
      .Case<arith::ShLIOp>([](auto) { return [](Operands o, unsigned b) { return shiftLeft(o, b); }; })
      .Case<arith::ShRSIOp>([](auto) { return [](Operands o, unsigned b) { return shiftRight(o, b, true); }; })
      .Case<arith::ShRUIOp>([](auto) { return [](Operands o, unsigned b) { return shiftRight(o, b, false); }; })
      .Case<arith::RemSIOp>([](auto) { return [](Operands o, unsigned b) { return remainder(o, b, true); }; })
      .Case<arith::RemUIOp>([](auto) { return [](Operands o, unsigned b) { return remainder(o, b, false); }; })
      .Default([](auto) { return Apply(nullptr); });
}

static Apply integerApply(Operation *op) {
  using U = uint64_t;
  return llvm::TypeSwitch<Operation *, Apply>(op)
      .Case<arith::AddIOp>(
          [](auto) { return [](Operands o, unsigned b) { return ofInteger(U(o[0]->i) + U(o[1]->i), b); }; })
      .Case<arith::SubIOp>(
          [](auto) { return [](Operands o, unsigned b) { return ofInteger(U(o[0]->i) - U(o[1]->i), b); }; })
      .Case<arith::MulIOp>(
          [](auto) { return [](Operands o, unsigned b) { return ofInteger(U(o[0]->i) * U(o[1]->i), b); }; })
      .Case<arith::DivSIOp>([](auto) { return [](Operands o, unsigned b) { return divide(o, b, true); }; })
      .Case<arith::DivUIOp>([](auto) { return [](Operands o, unsigned b) { return divide(o, b, false); }; })
      .Case<arith::MaxSIOp>([](auto) { return [](Operands o, unsigned) { return o[0]->i > o[1]->i ? *o[0] : *o[1]; }; })
      .Case<arith::MinSIOp>([](auto) { return [](Operands o, unsigned) { return o[0]->i < o[1]->i ? *o[0] : *o[1]; }; })
      .Case<arith::MaxUIOp>([](auto) {
        return [](Operands o, unsigned b) { return unsignedOf(*o[0], b) > unsignedOf(*o[1], b) ? *o[0] : *o[1]; };
      })
      .Case<arith::MinUIOp>([](auto) {
        return [](Operands o, unsigned b) { return unsignedOf(*o[0], b) < unsignedOf(*o[1], b) ? *o[0] : *o[1]; };
      })
      .Case<arith::AndIOp>([](auto) { return [](Operands o, unsigned) {
                                        return Number{0, o[0]->i & o[1]->i};
                                      }; })
      .Case<arith::OrIOp>([](auto) { return [](Operands o, unsigned) {
                                       return Number{0, o[0]->i | o[1]->i};
                                     }; })
      .Case<arith::XOrIOp>([](auto) { return [](Operands o, unsigned) {
                                        return Number{0, o[0]->i ^ o[1]->i};
                                      }; })
      .Case<math::AbsIOp>([](auto) {
        return [](Operands o, unsigned b) {
          return o[0]->i < 0 ? ofInteger(static_cast<int64_t>(0 - U(o[0]->i)), b) : *o[0];
        };
      })
      .Case<arith::CmpIOp>([](arith::CmpIOp compare) { return compareInteger(compare.getPredicate()); })
      .Default([](auto) { return Apply(nullptr); });
}

// Floats to integers by the rule of templates/kernels/scalar.hpp: through 32 or 64 bits, whose least integer stands for
// what they cannot hold. The bounds are powers of two, exact as doubles.
static int64_t throughSigned(double value, unsigned bits) {
  double limit = std::ldexp(1.0, static_cast<int>(bits) - 1);
  return value > -limit && value < limit ? static_cast<int64_t>(value) : llvm::minIntN(bits);
}
static Number toSigned(double value, unsigned bits) {
  return ofInteger(throughSigned(value, bits <= 32 ? 32 : 64), bits);
}
static Number toUnsigned(double value, unsigned bits) {
  if (bits == 64 && value >= std::ldexp(1.0, 63))
    return {0, value < std::ldexp(1.0, 64) ? static_cast<int64_t>(static_cast<uint64_t>(value)) : 0};
  return ofInteger(throughSigned(value, bits < 32 ? 32 : 64), bits);
}

static Apply conversionApply(Operation *op) {
  return llvm::TypeSwitch<Operation *, Apply>(op)
      .Case<arith::SelectOp>([](auto) { return [](Operands o, unsigned) { return o[0]->i ? *o[1] : *o[2]; }; })
      .Case<arith::ExtFOp, arith::TruncFOp>([](auto) { return [](Operands o, unsigned) { return *o[0]; }; })
      .Case<arith::ExtSIOp, arith::TruncIOp>(
          [](auto) { return [](Operands o, unsigned b) { return ofInteger(o[0]->i, b); }; })
      .Case<arith::SIToFPOp>(
          [](auto) { return [](Operands o, unsigned) { return ofFloat(static_cast<double>(o[0]->i)); }; })
      .Case<arith::FPToSIOp>([](auto) { return [](Operands o, unsigned b) { return toSigned(o[0]->f, b); }; })
      .Case<arith::FPToUIOp>([](auto) { return [](Operands o, unsigned b) { return toUnsigned(o[0]->f, b); }; })
      .Default([](auto) { return Apply(nullptr); });
}

// The unsigned conversions read the operand's width, not the result's.
static Apply unsignedApply(Operation *op) {
  return llvm::TypeSwitch<Operation *, Apply>(op)
      .Case<arith::ExtUIOp>([](auto) {
        return [](Operands o, unsigned b) { return Number{0, static_cast<int64_t>(unsignedOf(*o[0], b))}; };
      })
      .Case<arith::UIToFPOp>([](auto) {
        return [](Operands o, unsigned b) { return ofFloat(static_cast<double>(unsignedOf(*o[0], b))); };
      })
      .Default([](auto) { return Apply(nullptr); });
}

static Apply applyOf(Operation *op) {
  for (auto find : {floatApply, functionApply, integerApply, bitApply, conversionApply, unsignedApply})
    if (Apply apply = find(op))
      return apply;
  return nullptr;
}

static Number numberOf(Attribute value) {
  if (auto f = dyn_cast<FloatAttr>(value))
    return ofFloat(f.getValueAsDouble());
  auto integer = cast<IntegerAttr>(value);
  return integer.getType().isInteger(1) ? ofBool(integer.getValue().getBoolValue()) : Number{0, integer.getInt()};
}

static const llvm::fltSemantics *formatOf(Type type) {
  auto format = dyn_cast<FloatType>(type);
  return format && !format.isF64() ? &format.getFloatSemantics() : nullptr;
}

static double roundTo(double value, const llvm::fltSemantics &format) {
  if (&format == &llvm::APFloat::IEEEsingle())
    return static_cast<float>(value);
  llvm::APFloat rounded(value);
  bool losesInfo;
  rounded.convert(format, llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  rounded.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return rounded.convertToDouble();
}

std::optional<Interpreter> Interpreter::decode(Block &block, Value result) {
  Interpreter interpreter;
  llvm::DenseMap<Value, int> registerOf;
  auto define = [&](Value value) {
    registerOf[value] = static_cast<int>(interpreter.registers.size());
    interpreter.registers.emplace_back();
    return registerOf[value];
  };
  for (BlockArgument arg : block.getArguments())
    define(arg);
  interpreter.argCount = block.getNumArguments();
  for (Operation &op : block) { // there is no terminator
    int target = define(op.getResult(0));
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      interpreter.registers[target] = numberOf(constant.getValue());
      continue;
    }
    bool readsOperandWidth = isa<arith::CmpIOp, arith::ExtUIOp, arith::UIToFPOp>(op);
    Type width = readsOperandWidth ? op.getOperand(0).getType() : op.getResult(0).getType();
    Instruction instruction{
        applyOf(&op), target, {}, width.getIntOrFloatBitWidth(), formatOf(op.getResult(0).getType())};
    if (!instruction.apply || op.getNumOperands() > 3)
      return std::nullopt;
    for (auto [i, operand] : llvm::enumerate(op.getOperands()))
      instruction.operands[i] = registerOf.lookup(operand);
    interpreter.code.push_back(instruction);
  }
  interpreter.resultRegister = registerOf.lookup(result);
  return interpreter;
}

Number Interpreter::run(ArrayRef<Number> args) {
  assert(args.size() == argCount && "one number per argument");
  llvm::copy(args, registers.begin());
  for (const Instruction &instruction : code) {
    const Number *operands[3];
    for (int i = 0; i < 3; ++i)
      operands[i] = &registers[instruction.operands[i]];
    Number value = instruction.apply(operands, instruction.bits);
    if (instruction.rounded)
      value.f = roundTo(value.f, *instruction.rounded);
    registers[instruction.target] = value;
  }
  return registers[resultRegister];
}

} // namespace aotc::scalar
