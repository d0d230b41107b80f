// Fills the *.in files of templates/project and copies the others.
#include "codegen/bundle/Project.h"

#include "codegen/bundle/Template.h"

namespace aotc::codegen {

/// Adds templates/project/`path`.in, filled, as `path`.
static llvm::Error addFilled(const ShippedSources &sources, llvm::StringRef path,
                             const std::map<std::string, std::string> &values, Bundle &bundle) {
  const std::string name = (path + ".in").str();
  llvm::Expected<std::string> text = readProjectTemplate(sources, name);
  if (!text)
    return text.takeError();
  llvm::Expected<std::string> filled = fillTemplate(name, *text, values);
  if (!filled)
    return filled.takeError();
  bundle.addText(path, std::move(*filled));
  return llvm::Error::success();
}

llvm::Error addProject(const ShippedSources &sources, const ProjectValues &values, Bundle &bundle) {
  if (llvm::Error error = addFilled(sources, "CMakeLists.txt",
                                    {{"NAME", values.name},
                                     {"VERSION", values.version},
                                     {"TARGET", values.target},
                                     {"THREADS", values.threads ? "ON" : "OFF"},
                                     {"WEIGHTS", values.weightsInFile ? "file" : "embed"}},
                                    bundle))
    return error;
  for (const char *tool : {"tools/session.hpp", "tools/run.cpp", "tools/bench.cpp"})
    if (llvm::Error error = addFilled(sources, tool, {{"NAME", values.name}, {"CAPS", values.capsName}}, bundle))
      return error;
  bundle.addFile("cmake/aotc_model.cmake", sources.project + "/aotc_model.cmake");
  bundle.addFile("tools/npy.hpp", sources.project + "/tools/npy.hpp");
  return llvm::Error::success();
}

} // namespace aotc::codegen
