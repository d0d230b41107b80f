#include "frontend/onnx/IoTypes.h"

#include "ir/nn/Dialect.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringSwitch.h"

using namespace aotc::frontend;
using llvm::StringRef;
using llvm::Twine;

std::optional<std::pair<std::string, std::string>> aotc::frontend::splitIoType(StringRef flag) {
  auto [name, type] = flag.rsplit('=');
  if (name.empty() || (type != "fp32" && type != "fp16" && type != "bf16"))
    return std::nullopt;
  return std::pair(name.str(), type.str());
}

IoTypes::IoTypes(llvm::ArrayRef<std::string> flags) {
  for (const std::string &flag : flags)
    if (auto split = splitIoType(flag))
      types[split->first] = {split->second};
}

mlir::Type IoTypes::find(const std::string &name, mlir::Type declared, Diagnostics &diagnostics) const {
  auto place = types.find(name);
  if (place == types.end() || !declared)
    return declared;
  place->second.isUsed = true;
  if (!declared.isF32() && !declared.isF16() && !declared.isBF16()) {
    std::string found;
    llvm::raw_string_ostream(found) << declared;
    diagnostics.error("'--io-type': " + quoted(name) + " must be of floats of 16 or 32 bits, found " + found,
                      ErrorClass::usage);
    return declared;
  }
  mlir::Builder builder(declared.getContext());
  return llvm::StringSwitch<mlir::Type>(place->second.type)
      .Case("fp16", builder.getF16Type())
      .Case("bf16", builder.getBF16Type())
      .Default(builder.getF32Type());
}

mlir::Value IoTypes::convert(mlir::OpBuilder &builder, mlir::Value value, mlir::Type element) {
  mlir::Type from = mlir::cast<mlir::RankedTensorType>(value.getType()).getElementType();
  if (from == element)
    return value;
  if (!from.isF32() && !element.isF32())
    value = convert(builder, value, builder.getF32Type());
  return builder.createOrFold<nn::CastOp>(value.getLoc(), value, element);
}

bool IoTypes::checkAllUsed(Diagnostics &diagnostics) const {
  bool good = true;
  for (const auto &[name, wanted] : types)
    if (!wanted.isUsed) {
      diagnostics.error("'--io-type': the model has no input or output " + quoted(name), ErrorClass::usage);
      good = false;
    }
  return good;
}
