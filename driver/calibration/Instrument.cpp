#include "driver/calibration/Instrument.h"

#include "ir/nn/Extents.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

namespace aotc::driver {

func::FuncOp mainOf(ModuleOp module) { return *module.getOps<func::FuncOp>().begin(); }

static func::ReturnOp returnOf(func::FuncOp function) {
  return cast<func::ReturnOp>(function.getBody().front().getTerminator());
}

/// Results are named by their numbers: nobody but the observing program reads them.
static void setResults(func::FuncOp function, ValueRange results) {
  Builder builder(function.getContext());
  returnOf(function)->setOperands(results);
  function.setFunctionType(builder.getFunctionType(function.getArgumentTypes(), results.getTypes()));
  SmallVector<Attribute> names;
  for (size_t i = 0; i < results.size(); ++i) {
    StringAttr name = builder.getStringAttr("tensor_" + Twine(i));
    names.push_back(builder.getDictionaryAttr(builder.getNamedAttr("nn.name", name)));
  }
  function.setResAttrsAttr(builder.getArrayAttr(names));
}

OwningOpRef<ModuleOp> copyReturning(ModuleOp module, ArrayRef<Value> results, MLIRContext &context) {
  IRMapping mapping;
  OwningOpRef<ModuleOp> clone = cast<ModuleOp>(module->clone(mapping));
  SmallVector<Value> mapped;
  for (Value result : results)
    mapped.push_back(mapping.lookup(result));
  setResults(mainOf(*clone), mapped);
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  LogicalResult written = writeBytecodeToFile(*clone, stream);
  assert(succeeded(written) && "the newest version of bytecode holds every module");
  (void)written;
  stream.flush();
  const llvm::Align ofWeights(64); // at least what weights are aligned to, counted from the start of the text
  auto buffer = llvm::WritableMemoryBuffer::getNewUninitMemBuffer(bytes.size(), "", ofWeights);
  llvm::copy(bytes, buffer->getBufferStart());
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  OwningOpRef<ModuleOp> copy = parseSourceFile<ModuleOp>(sources, ParserConfig(&context));
  assert(copy && "what was written can be read");
  return copy;
}

void joinModules(ModuleOp first, ModuleOp second) {
  func::FuncOp into = mainOf(first), from = mainOf(second);
  Block &body = from.getBody().front();
  nn::joinFoundDims(into, from); // one finds as many boxes as it finds, whatever the other does
  SmallVector<Value> results(returnOf(into).getOperands());
  llvm::append_range(results, returnOf(from).getOperands());
  for (auto [argument, own] : llvm::zip_equal(body.getArguments(), into.getArguments()))
    argument.replaceAllUsesWith(own);
  // A returned argument was replaced too.
  ValueRange replaced = returnOf(from).getOperands();
  std::copy(replaced.begin(), replaced.end(), results.end() - static_cast<std::ptrdiff_t>(replaced.size()));
  returnOf(from).erase();
  Block &target = into.getBody().front();
  target.getOperations().splice(target.getTerminator()->getIterator(), body.getOperations());
  setResults(into, results);
}

} // namespace aotc::driver
