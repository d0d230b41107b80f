// Prints the files that hold the steps: src/<name>_layers.hpp, src/<name>_checked.hpp and the four
// src/<name>_kernels_K.cpp. What they say has been decided elsewhere.
#ifndef AOTC_CODEGEN_CPP_SOURCEFILES_H
#define AOTC_CODEGEN_CPP_SOURCEFILES_H

#include "codegen/cpp/Steps.h"

namespace aotc::codegen {

/// How many files the steps are spread over, whatever their number: builds know the list beforehand.
constexpr int shardCount = 4;

/// Offsets of weights and buffers with their lifetimes, layouts, declarations of the steps.
void printLayers(llvm::raw_ostream &os, const ModelDescription &model, BufferTable &buffers, const LayoutTable &layouts,
                 const std::vector<PrintedStep> &steps);

/// What of the arena each step uses, for the checked build.
void printArenaUses(llvm::raw_ostream &os, const ModelDescription &model, BufferTable &buffers);

/// The steps [begin, end); with `withTable`, the table of all steps behind them.
void printShard(llvm::raw_ostream &os, const ModelDescription &model, const std::vector<PrintedStep> &steps,
                size_t begin, size_t end, bool withTable);

/// src/<name>_host.cpp of a model whose other steps have shaders: layouts, the printed ones of `steps`, and the table,
/// where those that are not printed are null.
void printHostSteps(llvm::raw_ostream &os, const ModelDescription &model, const LayoutTable &layouts,
                    const std::vector<PrintedStep> &steps);

/// The names that layouts may not have.
std::vector<llvm::StringRef> takenNames(const ModelDescription &model);

/// Where each shard begins, and the number of steps: consecutive steps, so that the costliest shard costs least.
std::vector<size_t> splitIntoShards(llvm::ArrayRef<int> costs);

/// The shipped headers that the functions of `step` need: "aotc/kernels/conv2d.hpp".
std::set<std::string> headersOf(const PrintedStep &step);

} // namespace aotc::codegen

#endif // AOTC_CODEGEN_CPP_SOURCEFILES_H
