// The nn dialect: what a model computes, on ranked tensors with value semantics. One op per concept, not per ONNX version:
// the importer (frontend/onnx) removes the differences between opsets before an op is built.
//
// The importer derives its table from the op list. An op that corresponds one-to-one to an ONNX operator names it in
// `onnxName`: then ONNX input k is operand k (an absent optional input is an absent Optional operand; ops with more
// than one carry AttrSizedOperandSegments), and ODS attributes have the names and values of the ONNX attributes of the
// newest opset. Everything else is built by a rule in frontend/onnx/expand/.
#ifndef AOTC_IR_NN_BASE
#define AOTC_IR_NN_BASE

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "ir/nn/Interfaces.td"

def NN_Dialect : Dialect {
  let name = "nn";
  let cppNamespace = "::aotc::nn";
  let summary = "what a model computes, on tensors with value semantics";
  let hasConstantMaterializer = 1;
  let useDefaultAttributePrinterParser = 1;
}

// Where an op comes from: carried as the metadata of a FusedLoc, so that passes keep it and diagnostics and the
// generated comments can name the ONNX node.
def NN_NodeAttr : AttrDef<NN_Dialect, "Node"> {
  let mnemonic = "node";
  let summary = "an ONNX node: its name (or first output where it has none), operator and opset";
  let parameters = (ins StringRefParameter<"node name">:$name, StringRefParameter<"ONNX operator">:$op, "int64_t":$opset);
  let assemblyFormat = "`<` $name `,` $op `,` $opset `>`";
}

// Element types are ONNX's: f32, f64, f16, bf16, f8…, i1 (bool), i8 … i64 (signless, meaning signed), ui8 … ui64.
def NN_Tensor : Type<CPred<"::llvm::isa<::mlir::RankedTensorType>($_self)">, "ranked tensor", "::mlir::RankedTensorType">;

// An op that passes elements on as they are: it works on element types that generated code cannot compute with.
def NN_MovesElements : NativeOpTrait<"MovesElements"> {
  let cppNamespace = "::aotc::nn";
}

// Base of all ops. `onnxName` is empty where the importer needs a rule of its own.
class NN_Op<string mnemonic, string onnxOperator = "", list<Trait> traits = []>
    : Op<NN_Dialect, mnemonic, !listconcat([Pure], traits)> {
  string onnxName = onnxOperator;
  code moreClassDeclaration = "";
  let extraClassDeclaration =
      "static constexpr ::llvm::StringLiteral onnxName{\"" # onnxName # "\"};\n" # moreClassDeclaration;
}

// An op whose result types follow from its operands and attributes; the family's .cpp defines
// `LogicalResult <Op>::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor, SmallVectorImpl<Type> &)`.
class NN_InferredOp<string mnemonic, string onnxOperator = "", list<Trait> traits = []>
    : NN_Op<mnemonic, onnxOperator, !listconcat([InferTypeOpAdaptor], traits)>;

#endif
