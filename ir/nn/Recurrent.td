// Recurrent networks behind the product of their input: the importer multiplies all time steps by the input weights and
// adds the biases, the ops do what has to go step by step.
#ifndef AOTC_IR_NN_RECURRENT
#define AOTC_IR_NN_RECURRENT

include "ir/nn/Base.td"

// gates: [steps, batch, directions * gates * hidden], [batch, steps, ...] with `batch_first`. recurrence: ONNX's R,
// [directions, gates * hidden, hidden]. initial_h, initial_c: [directions, batch, hidden], or [batch, directions,
// hidden]; zeros where absent. lengths: [batch], i32, limited to 0 … steps; all steps where absent.
// Results: y [steps, directions, batch, hidden], or [batch, steps, directions, hidden], zeros behind the end of a
// sequence; y_h and y_c like initial_h, the states after the last step of each sequence, zeros for an empty one.
// `activations` name ONNX's functions as it spells them, those of each direction in turn; `alpha` and `beta` have an
// entry for each. `clip` limits what enters them. With `reverse` the first direction runs from the end of each sequence
// to its beginning, which a second one always does.
class NN_Recurrent<string mnemonic, int gateCount, int functionCount, dag moreOperands, dag moreAttributes,
                   dag moreResults = (outs)>
    : NN_InferredOp<mnemonic, "", [AttrSizedOperandSegments]> {
  let arguments = !con((ins NN_Tensor:$gates, NN_Tensor:$recurrence, Optional<NN_Tensor>:$lengths,
                        Optional<NN_Tensor>:$initial_h),
                       moreOperands,
                       (ins BoolAttr:$reverse, BoolAttr:$batch_first, F32Attr:$clip, StrArrayAttr:$activations,
                        DenseF32ArrayAttr:$alpha, DenseF32ArrayAttr:$beta),
                       moreAttributes);
  let results = !con((outs NN_Tensor:$y, NN_Tensor:$y_h), moreResults);
  let moreClassDeclaration = "static constexpr int64_t gateCount = " # gateCount # ", functionCount = " # functionCount # ";";
}

def NN_LstmOp : NN_Recurrent<"lstm", 4, 3, (ins Optional<NN_Tensor>:$initial_c, Optional<NN_Tensor>:$peepholes,
                                                Optional<NN_Tensor>:$scales),
                             (ins BoolAttr:$coupled), (outs NN_Tensor:$y_c)> {
  let summary = "LSTM; gates i, o, f, c; peepholes [directions, 3 * hidden] of i, o, f; coupled: f is 1 - i";
  let description = [{
    With `scales`, f32 [directions, 4 * hidden], `recurrence` is of i8: each number of row i stands for itself times
    the scale i.
  }];
  let assemblyFormat = [{
    $gates `,` $recurrence (`scales` $scales^)? (`lengths` $lengths^)? (`initial_h` $initial_h^)? (`initial_c` $initial_c^)?
    (`peepholes` $peepholes^)? attr-dict `:` functional-type(operands, results)
  }];
}

def NN_GruOp : NN_Recurrent<"gru", 3, 2, (ins Optional<NN_Tensor>:$bias), (ins BoolAttr:$linear_before_reset)> {
  let summary = "GRU; gates z, r, h";
  let description = [{
    With `linear_before_reset` the reset gate scales the product of the state, plus `bias` [directions, hidden], and
    otherwise the state before it is multiplied.
  }];
  let assemblyFormat = [{
    $gates `,` $recurrence (`lengths` $lengths^)? (`initial_h` $initial_h^)? (`bias` $bias^)? attr-dict `:`
    functional-type(operands, results)
  }];
}

def NN_RnnOp : NN_Recurrent<"rnn", 1, 1, (ins), (ins)> {
  let summary = "h = f(gates + h R')";
  let assemblyFormat = [{
    $gates `,` $recurrence (`lengths` $lengths^)? (`initial_h` $initial_h^)? attr-dict `:`
    functional-type(operands, results)
  }];
}

#endif
