// Puts the parts of an output folder together: generated sources, weights, shipped sources, project, manifest.
#include "driver/Output.h"

#include "codegen/bundle/Project.h"
#include "codegen/bundle/Shipped.h"
#include "codegen/cpp/Names.h"
#include "codegen/target/Target.h"
#include "frontend/onnx/InputValues.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using llvm::Error;
using llvm::StringRef;
using namespace aotc::codegen;

namespace aotc::driver {

StringRef version() { return AOTC_VERSION; }

/// The sources that printCpp() made, the block of weights, and the reports about both.
static void addGenerated(const GeneratedCode &code, const Report &report, Bundle &bundle) {
  for (const auto &[path, text] : code.files)
    bundle.addText(path, text);
  std::vector<llvm::ArrayRef<char>> pieces = code.weights.pieces();
  if (!code.weightsHeader.empty())
    pieces.insert(pieces.begin(), llvm::ArrayRef<char>(code.weightsHeader.data(), code.weightsHeader.size()));
  bundle.addBytes("src/" + code.model.name + "_weights.bin", std::move(pieces));
  bundle.addText("report.json", printReportJson(report));
  bundle.addText("report.html", printReportHtml(report));
}

static Error addShipped(const ShippedSources &sources, const Target &target, const Options &options,
                        const GeneratedCode &code, Bundle &bundle) {
  if (Error error = addShippedSources(sources, code.shippedHeaders, target.unit, bundle))
    return error;
  ProjectValues values;
  values.name = code.model.name;
  values.capsName = macroIdentifier(code.model.name);
  values.version = version().str();
  values.target = target.name.str();
  values.threads = target.hasThreads;
  values.weightsInFile = options.weightsInFile;
  return addProject(sources, values, bundle);
}

static llvm::Expected<Manifest> makeManifest(const Options &options, const std::set<std::string> &externalFiles) {
  Manifest manifest;
  manifest.version = version().str();
  manifest.flags = options.canonicalFlags();
  std::vector<std::string> inputs = {options.model};
  inputs.insert(inputs.end(), externalFiles.begin(), externalFiles.end());
  for (const std::string &value : options.import.graph.inputValues)
    inputs.push_back(frontend::splitInputValue(value).second.str());
  for (const std::string &path : inputs) {
    llvm::Expected<std::string> hash = sha256OfFile(path);
    if (!hash)
      return hash.takeError();
    manifest.inputs.emplace_back(llvm::sys::path::filename(path).str(), std::move(*hash));
  }
  return manifest;
}

static std::string absolute(StringRef path) {
  llvm::SmallString<256> result(path);
  if (llvm::sys::fs::make_absolute(result))
    return path.str();
  llvm::sys::path::remove_dots(result);
  return result.str().str();
}

/// The output depends on the model, on aotc itself and on what aotc copies.
static Error writeDepfile(const Options &options, StringRef executable, const Bundle &bundle,
                          const std::set<std::string> &externalFiles) {
  std::vector<std::string> dependencies = {absolute(options.model), absolute(executable)};
  for (const std::string &path : externalFiles)
    dependencies.push_back(absolute(path));
  for (const std::string &value : options.import.graph.inputValues)
    dependencies.push_back(absolute(frontend::splitInputValue(value).second));
  for (const std::string &path : options.import.shapes.likes)
    dependencies.push_back(absolute(path));
  for (const std::string &path : bundle.sourceFiles())
    dependencies.push_back(absolute(path));
  StringRef target = options.depfile;
  target.consume_back(".d");
  return writeFileAtomically(options.depfile, renderDepfile(absolute(target), dependencies));
}

Error writeOutput(const Options &options, StringRef executable, const GeneratedCode &code, const Report &report,
                  const std::set<std::string> &externalFiles) {
  llvm::Expected<ShippedSources> sources = findShippedSources(executable);
  if (!sources)
    return sources.takeError();
  Bundle bundle;
  addGenerated(code, report, bundle);
  if (Error error = addShipped(*sources, *findTarget(options.target), options, code, bundle))
    return error;
  llvm::Expected<Manifest> manifest = makeManifest(options, externalFiles);
  if (!manifest)
    return manifest.takeError();
  if (Error error = bundle.write(options.output, std::move(*manifest)))
    return error;
  return options.depfile.empty() ? Error::success() : writeDepfile(options, executable, bundle, externalFiles);
}

} // namespace aotc::driver
