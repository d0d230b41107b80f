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

/// The sources that were printed, the block of weights, and the reports about both.
static void addGenerated(const GeneratedCode &code, const Report &report, Bundle &bundle) {
  for (const auto &[path, text] : code.files)
    bundle.addText(path, text);
  for (const auto &[path, bytes] : code.binaries)
    bundle.addText(path, bytes);
  std::vector<llvm::ArrayRef<char>> pieces = code.weights.pieces();
  std::string hash = code.model.weightsHash;
  if (!code.weightsHeader.empty()) {
    pieces.insert(pieces.begin(), llvm::ArrayRef<char>(code.weightsHeader.data(), code.weightsHeader.size()));
    hash.clear();
  }
  bundle.addBytes("src/" + code.model.name + "_weights.bin", std::move(pieces), std::move(hash));
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
  values.threads = target.hasThreads || target.isGpu; // which has a lock for its queue
  values.weightsInFile = options.weightsInFile;
  return addProject(sources, values, bundle);
}

std::vector<std::string> inputFiles(const Options &options, const std::set<std::string> &externalFiles) {
  std::vector<std::string> files = {options.model};
  files.insert(files.end(), externalFiles.begin(), externalFiles.end());
  for (const std::string &value : options.import.graph.inputValues)
    files.push_back(frontend::splitInputValue(value).second.str());
  return files;
}

static llvm::Expected<Manifest> makeManifest(const Options &options, InputHashes &inputHashes) {
  Manifest manifest;
  manifest.version = version().str();
  manifest.flags = options.canonicalFlags();
  auto inputs = inputHashes.take();
  if (!inputs)
    return inputs.takeError();
  manifest.inputs = std::move(*inputs);
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
  std::vector<std::string> dependencies = {absolute(executable)};
  for (const std::string &path : inputFiles(options, externalFiles))
    dependencies.push_back(absolute(path));
  for (const std::string &path : options.import.shapes.likes)
    dependencies.push_back(absolute(path));
  for (const std::string &path : bundle.sourceFiles())
    dependencies.push_back(absolute(path));
  StringRef target = options.depfile;
  target.consume_back(".d");
  return writeFileAtomically(options.depfile, renderDepfile(absolute(target), dependencies));
}

Error writeOutput(const Options &options, StringRef executable, const GeneratedCode &code, const Report &report,
                  const std::set<std::string> &externalFiles, InputHashes &inputHashes) {
  llvm::Expected<ShippedSources> sources = findShippedSources(executable);
  if (!sources)
    return sources.takeError();
  Bundle bundle;
  addGenerated(code, report, bundle);
  if (Error error = addShipped(*sources, *findTarget(options.target), options, code, bundle))
    return error;
  llvm::Expected<Manifest> manifest = makeManifest(options, inputHashes);
  if (!manifest)
    return manifest.takeError();
  if (Error error = bundle.write(options.output, std::move(*manifest)))
    return error;
  return options.depfile.empty() ? Error::success() : writeDepfile(options, executable, bundle, externalFiles);
}

} // namespace aotc::driver
