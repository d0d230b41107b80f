// Prints what is recorded for a session, and where the host has steps, how a run goes.
#ifndef AOTC_CODEGEN_SPIRV_RECORDS_H
#define AOTC_CODEGEN_SPIRV_RECORDS_H

#include "codegen/spirv/Submissions.h"

namespace aotc::codegen {

/// The dispatches of a step: first, and one behind the last.
std::pair<size_t, size_t> dispatchesOf(const GpuProgram &program, size_t step);

/// `record`, or `record_0` and so on with `run_steps` and `host_steps` behind them.
void printRecords(llvm::raw_ostream &os, const ModelDescription &model, const GpuProgram &program, const HostFlow &flow,
                  BufferTable &buffers);

} // namespace aotc::codegen

#endif // AOTC_CODEGEN_SPIRV_RECORDS_H
