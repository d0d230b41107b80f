// What the planner and the printer may ask of a kern op.
#ifndef AOTC_IR_KERN_INTERFACES
#define AOTC_IR_KERN_INTERFACES

include "mlir/IR/OpBase.td"

def KERN_KernelInterface : OpInterface<"KernelOp"> {
  let description = [{
    An op that one call of a shipped template computes: templates/kernels/<header>.hpp, function `aotc::<function>`,

        function(Layout{}, inputs..., outputs... [, scratch], part [, attribute arguments...] [, epilogue])

    where Layout is a struct of the members listed by `getLayout`. The op's operands are ordered as the call's pointers, epilogue
    operands excepted.
  }];
  let cppNamespace = "::aotc::kern";
  let methods = [
    InterfaceMethod<"The header in templates/kernels/, without folder and extension.", "::llvm::StringRef", "getKernelHeader">,
    InterfaceMethod<"The template function; `<function>_units(layout)` gives its number of independent pieces.",
                    "::llvm::StringRef", "getKernelFunction">,
    InterfaceMethod<"Appends the layout's members. Valid on memrefs, whose strides it reads.", "void", "getLayout",
                    (ins "::llvm::SmallVectorImpl<::aotc::kern::LayoutMember> &":$members)>,
    InterfaceMethod<"The operands that become the call's input pointers, in order (the outputs are the destinations).",
                    "::llvm::SmallVector<::mlir::Value>", "getKernelInputs">,
    InterfaceMethod<"Whether ONNX's element type of the operand is unsigned, which memrefs do not tell.", "bool", "isUnsigned",
                    (ins "::mlir::Value":$operand), "", [{
      auto operands = $_op->template getAttrOfType<::mlir::DenseI64ArrayAttr>("unsigned_operands");
      return operands && ::llvm::any_of(operands.asArrayRef(), [&](int64_t i) { return $_op->getOperand(i) == operand; });
    }]>,
    InterfaceMethod<"C++ text of further arguments after `part`, such as a border value; an empty text is one that C++ has no literal for.",
                    "::llvm::SmallVector<std::string>", "getKernelArguments", (ins), "", "return {};">,
    InterfaceMethod<"Whether images and rows may lie further apart than dense (the innermost stride is 1 in any case).",
                    "bool", "acceptsStrides", (ins), "", "return false;">,
    InterfaceMethod<"Whether columns of this operand may be adjacent in memory instead of its rows.",
                    "bool", "acceptsColumns", (ins "unsigned":$operand), "", "return false;">,
    InterfaceMethod<"Whether this operand, where it is a constant of f32, may be one of f16 or bf16 instead: the kernel reads either.",
                    "bool", "acceptsHalves", (ins "unsigned":$operand), "", "(void)operand;\nreturn false;">,
    InterfaceMethod<"Whether the first input may be bytes, which the kernel then dequantizes as it loads them (Dequantization.h).",
                    "bool", "acceptsBytes", (ins), "", "return false;">,
    InterfaceMethod<"Multiply-accumulates of one run, from the extents of operands; a kern.call has them from its builder, at the bound of every bounded dim.",
                    "int64_t", "getMacs", (ins "::aotc::kern::ExtentOf":$extentOf), "", "(void)extentOf;\nreturn 0;">,
    InterfaceMethod<"Bytes of scratch memory that each thread needs, a pointer to which follows the output's in the call. The planner leaves its place in the arena in the attribute `aotc.scratch_offset`.",
                    "int64_t", "getScratchBytesPerThread", (ins), "", "return 0;">,
    InterfaceMethod<"The aotc::Status that a run ends with where a call of the kernel returns false, such as index_out_of_range; empty where no call can fail.",
                    "::llvm::StringRef", "getKernelFailure", (ins), "", "return {};">,
    InterfaceMethod<"What the kernel input of that position is to the kernel, for names: weights, offsets; empty where nobody says.",
                    "::llvm::StringRef", "getInputRole", (ins "unsigned":$position), "", "(void)position;\nreturn {};">
  ];
}

def KERN_EpilogueInterface : OpInterface<"EpilogueOp"> {
  let description = [{
    A kernel whose results pass through a region before they are stored. The region's arguments are the kernel's own result
    and one element of each extra operand, found by the operand's map from the indices of the destination. An empty region
    stores results as they are; one that ends in kern.quantize stores bytes. The destination may be the same buffer as an extra operand read by the identity map.
    Where `storesEpilogue` is false, all this holds for a result in between, which has indices of its own.
  }];
  let cppNamespace = "::aotc::kern";
  let methods = [
    InterfaceMethod<"", "::mlir::OperandRange", "getExtras">,
    InterfaceMethod<"", "::mlir::MutableOperandRange", "getExtrasMutable">,
    InterfaceMethod<"", "::mlir::ArrayAttr", "getExtraMaps">,
    InterfaceMethod<"", "void", "setExtraMaps", (ins "::mlir::ArrayAttr":$maps)>,
    InterfaceMethod<"", "::mlir::Region &", "getEpilogue">,
    InterfaceMethod<"The names of the destination's indices in the epilogue lambda, such as n, h, w, c. Where the kernel hands over vectors, they run along the last.",
                    "::llvm::SmallVector<::llvm::StringRef>", "getEpilogueIndices">,
    InterfaceMethod<"Whether what the region yields is what the destination gets.", "bool", "storesEpilogue", (ins), "", "return true;">
  ];
}

#endif
