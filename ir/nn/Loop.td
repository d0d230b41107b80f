// Loops whose iterations only the run counts.
#ifndef AOTC_IR_NN_LOOP
#define AOTC_IR_NN_LOOP

include "ir/nn/Base.td"

// Not dead where nobody reads its results: extents may follow from the dims that it finds.
def NN_LoopOp : Op<NN_Dialect, "loop", [SingleBlock, NN_MovesElements, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "goes round while the condition holds, `trip_count` times at most";
  let description = [{
    The body's arguments are the number of the iteration (i64, from 0) and the carried values, which are `initial` in the first
    one. It yields whether there is a next one, the carried values for that, and values that are collected. Results are the
    carried values after the last iteration and each collected value of all iterations, along a new first dimension.

        %last, %all = nn.loop %most, %goes_on, %x {
        ^bb0(%number: tensor<i64>, %carried: tensor<4xf32>):
          …
          nn.yield %condition, %next, %collected
        }

    Extents of carried values that differ from one iteration to the next are dims of the run (`carried`), each all of an
    argument's extent. During an iteration they are those of its arguments; behind the loop those of the results. `iterations`
    is the extent that collected values have along the first dimension: with `counts` a dim that the loop finds, else the number
    of iterations that there are in any case. A run fails where a dim passes its bound.
  }];
  let arguments = (ins NN_Tensor:$trip_count, NN_Tensor:$condition, Variadic<NN_Tensor>:$initial,
                   OptionalAttr<AffineMapAttr>:$carried, OptionalAttr<AffineMapAttr>:$iterations, UnitAttr:$counts);
  let results = (outs Variadic<NN_Tensor>:$results);
  let regions = (region SizedRegion<1>:$region);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results) $region";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    static constexpr ::llvm::StringLiteral onnxName{""};
    /// The dims in `carried`.
    ::llvm::ArrayRef<::mlir::AffineExpr> getCarriedDims();
    /// What a carried dim is in the first iteration and in the next one.
    struct CarriedDim {
      ::mlir::AffineExpr dim, initial, next;
    };
    /// All of them in an order in which each may be replaced by its next one: none is needed by those behind it. Empty
    /// where they change places, or where carried values disagree.
    ::llvm::SmallVector<CarriedDim> getCarriedDimsInOrder();
    ::mlir::BlockArgument getNumber() { return getBody()->getArgument(0); }
    ::llvm::ArrayRef<::mlir::BlockArgument> getCarriedArguments() { return getBody()->getArguments().drop_front(); }
    /// What the body yields: the condition, carried values, collected ones.
    ::mlir::OperandRange getYielded() { return getBody()->getTerminator()->getOperands(); }
    ::mlir::OperandRange getNext() { return getYielded().drop_front().take_front(getInitial().size()); }
    ::mlir::OperandRange getCollected() { return getYielded().drop_front(1 + getInitial().size()); }
  }];
}

#endif
