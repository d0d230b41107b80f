// The part of a generated folder that is the same for every model but for its name: the CMake project and the two
// tools.
#ifndef AOTC_CODEGEN_BUNDLE_PROJECT_H
#define AOTC_CODEGEN_BUNDLE_PROJECT_H

#include "codegen/bundle/Bundle.h"
#include "codegen/bundle/Shipped.h"

#include <string>

namespace aotc::codegen {

struct ProjectValues {
  std::string name;     ///< of the model, an identifier
  std::string capsName; ///< the same as prefix of macros
  std::string version;  ///< of aotc, such as 0.1.0
  std::string target;   ///< as given to --target; templates/project/aotc_model.cmake knows its levels
  bool threads = true;  ///< false on targets that have none
  bool weightsInFile = false;
};

/// Adds CMakeLists.txt, cmake/aotc_model.cmake and tools/ to the bundle. Fails where the installed templates cannot be
/// read (FileError) or do not fit this aotc.
llvm::Error addProject(const ShippedSources &sources, const ProjectValues &values, Bundle &bundle);

} // namespace aotc::codegen

#endif // AOTC_CODEGEN_BUNDLE_PROJECT_H
