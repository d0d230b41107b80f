// Integers of 8 and 16 bits, which Vulkan need not have, as such of 32 bits.
#ifndef AOTC_CODEGEN_SPIRV_NARROWINTEGERS_H
#define AOTC_CODEGEN_SPIRV_NARROWINTEGERS_H

#include "mlir/IR/PatternMatch.h"

namespace mlir {
class SPIRVTypeConverter;
}

namespace aotc::codegen {

/// The integer as one of 32 bits, extended by zeros or by its sign.
mlir::Value widened(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, bool isSigned);

/// Upstream's conversion keeps narrow integers in 32 bits, of which the upper ones are anything. These patterns have
/// ops whose results depend on all bits compute on 32 of them, extended by the op's own sign rule. To be the last before
/// the conversion: canonicalization takes extensions away again.
void populateNarrowIntegerPatterns(mlir::RewritePatternSet &patterns);

/// Conversions to wider types, in upstream's place: it converts upper bits as they are.
void populateNarrowIntegerConversions(mlir::SPIRVTypeConverter &types, mlir::RewritePatternSet &patterns);

} // namespace aotc::codegen

#endif // AOTC_CODEGEN_SPIRV_NARROWINTEGERS_H
