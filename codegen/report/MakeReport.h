// From a printed program to the report about it. Computes nothing but sums.
#ifndef AOTC_CODEGEN_REPORT_MAKEREPORT_H
#define AOTC_CODEGEN_REPORT_MAKEREPORT_H

#include "codegen/report/Report.h"

#include "codegen/cpp/Program.h"

namespace aotc::codegen {

/// `target` is the one that was asked for, such as "x86-64". Buffers outside the arena are left out.
Report makeReport(const GeneratedCode &code, llvm::StringRef target);

} // namespace aotc::codegen

#endif // AOTC_CODEGEN_REPORT_MAKEREPORT_H
