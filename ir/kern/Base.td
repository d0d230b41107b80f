// The kern dialect: the hot families, each op one call of a shipped C++ template (templates/kernels/).
//
// Ops are destination-passing: operands are tensors before bufferization, memrefs after it, the last operand is the
// destination. Images are channels-last, [batch, height, width, channels]. Strides are those of the memref types.
#ifndef AOTC_IR_KERN_BASE
#define AOTC_IR_KERN_BASE

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/EnumAttr.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "ir/kern/Interfaces.td"

def KERN_Dialect : Dialect {
  let name = "kern";
  let cppNamespace = "::aotc::kern";
  let summary = "calls of the shipped kernel templates";
}

def KERN_Shaped : AnyTypeOf<[AnyRankedTensor, AnyStridedMemRef], "ranked tensor or memref", "::mlir::ShapedType">;

// A kernel call from templates/kernels/<header>.hpp (empty: the op tells which, by its algorithm). `results` holds the destination's new value on tensors and nothing on memrefs.
class KERN_Op<string mnemonic, string kernelHeader, list<Trait> traits = []>
    : Op<KERN_Dialect, mnemonic,
         !listconcat([DestinationStyleOpInterface, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
                      DeclareOpInterfaceMethods<KERN_KernelInterface>], traits)> {
  string header = kernelHeader;
  // Inputs are the first arguments: a position among them finds its name.
  string argumentNames = !foldl("", !range(!size(arguments)), text, i, text # "\"" # !getdagname(arguments, i) # "\", ");
  code moreClassDeclaration = "";
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getOutMutable(); }
    ::llvm::StringRef getInputRole(unsigned position) {
      static constexpr ::llvm::StringLiteral names[] = {}] # argumentNames # [{};
      return names[position];
    }
  }] # moreClassDeclaration;
  code moreClassDefinition = "";
  let extraClassDefinition = !if(!empty(header), "", "::llvm::StringRef $cppClass::getKernelHeader() { return \"" # header # "\"; }") # [{
    void $cppClass::getEffects(
        ::llvm::SmallVectorImpl<::mlir::SideEffects::EffectInstance<::mlir::MemoryEffects::Effect>> &effects) {
      destinationEffects(*this, effects);
    }
  }] # moreClassDefinition;
}

// A kernel call with an epilogue; its operands are: inputs, extras, out. `indices` are the names of the epilogue's, quoted
// and with commas between; empty, where the op's getEpilogueIndices() works them out.
class KERN_EpilogueOp<string mnemonic, string kernelHeader, string indices, list<Trait> traits = []>
    : KERN_Op<mnemonic, kernelHeader,
              !listconcat([DeclareOpInterfaceMethods<KERN_EpilogueInterface, ["getEpilogueIndices"]>], traits)> {
  let regions = (region AnyRegion:$epilogue);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let moreClassDefinition = [{
    void $cppClass::setExtraMaps(::mlir::ArrayAttr maps) { setExtraMapsAttr(maps); }
  }] # !if(!empty(indices), "", "::llvm::SmallVector<::llvm::StringRef> $cppClass::getEpilogueIndices() { return {" # indices # "}; }");
}

#endif
