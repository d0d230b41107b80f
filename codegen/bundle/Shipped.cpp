// Follows `#include` lines without running a preprocessor: a file under an #if counts as included.
#include "codegen/bundle/Shipped.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cassert>
#include <cerrno>
#include <set>

// Both are given by CMake: where a development build finds the shipped sources.
#ifndef AOTC_SOURCE_DIR
#define AOTC_SOURCE_DIR ""
#endif
#ifndef AOTC_XSIMD_INCLUDE_DIR
#define AOTC_XSIMD_INCLUDE_DIR "/usr/include"
#endif

namespace aotc::codegen {

static std::string joined(llvm::StringRef folder, llvm::StringRef name) {
  llvm::SmallString<256> path(folder);
  llvm::sys::path::append(path, name);
  return path.str().str();
}

static std::string normalized(llvm::StringRef path) {
  llvm::SmallString<256> result(path);
  llvm::sys::path::remove_dots(result, /*remove_dot_dot=*/true, llvm::sys::path::Style::posix);
  return result.str().str();
}

static ShippedSources installedUnder(llvm::StringRef share) {
  return {joined(share, "kernels"),
          joined(share, "runtime"),
          joined(share, "project"),
          joined(share, "third_party/xsimd"),
          joined(share, "third_party/xsimd/LICENSE"),
          joined(share, "runtime/vulkan")};
}

static ShippedSources sourceTree(llvm::StringRef root) {
  return {joined(root, "templates/kernels"),
          joined(root, "runtime_stub/core"),
          joined(root, "templates/project"),
          AOTC_XSIMD_INCLUDE_DIR,
          joined(root, "templates/third_party/xsimd/LICENSE"),
          joined(root, "runtime_stub/vulkan")};
}

static bool isComplete(const ShippedSources &sources) {
  return llvm::sys::fs::is_directory(sources.kernels) && llvm::sys::fs::is_directory(sources.runtime) &&
         llvm::sys::fs::is_directory(sources.project);
}

llvm::Expected<ShippedSources> findShippedSources(llvm::StringRef executable) {
  llvm::SmallString<256> real;
  if (llvm::sys::fs::real_path(executable, real))
    real = executable;
  const llvm::StringRef binaries = llvm::sys::path::parent_path(real);
  const std::string share = normalized(joined(binaries, "../share/aotc"));
  if (ShippedSources installed = installedUnder(share); isComplete(installed))
    return installed;
  if (ShippedSources tree = sourceTree(AOTC_SOURCE_DIR); isComplete(tree))
    return tree;
  return systemError(share, "cannot find the sources that go into every output", ENOENT);
}

llvm::Expected<std::string> readProjectTemplate(const ShippedSources &sources, llvm::StringRef name) {
  return readText(joined(sources.project, name));
}

namespace {

/// What an #include line names.
struct Include {
  llvm::StringRef name;
  bool quoted;
};

/// The includes that a set of roots reaches, added to a bundle once each.
class Closure {
public:
  Closure(const ShippedSources &sources, VectorUnit unit, Bundle &bundle)
      : sources(sources), unit(unit), bundle(bundle) {}

  /// `name` as an include of the file `from` (a path in the bundle); names of the standard library are passed over.
  llvm::Error addIncluded(const Include &include, llvm::StringRef from);

private:
  bool locate(const Include &include, llvm::StringRef from, std::string &target) const;
  std::string sourceOf(llvm::StringRef target) const;
  bool isForOtherUnit(llvm::StringRef target) const;
  llvm::Error addFile(const std::string &target);

  const ShippedSources &sources;
  const VectorUnit unit;
  Bundle &bundle;
  std::set<std::string> seen;
};

} // namespace

static std::vector<Include> includesOf(llvm::StringRef text) {
  std::vector<Include> found;
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    text = rest;
    line = line.trim();
    if (!line.consume_front("#"))
      continue;
    line = line.ltrim();
    if (!line.consume_front("include"))
      continue;
    line = line.ltrim();
    if (line.consume_front("\""))
      found.push_back({line.split('"').first, true});
    else if (line.consume_front("<"))
      found.push_back({line.split('>').first, false});
  }
  return found;
}

/// Sets `target` to the path in the bundle; false for a header that is none of ours.
bool Closure::locate(const Include &include, llvm::StringRef from, std::string &target) const {
  if (include.name.starts_with("aotc/kernels/"))
    target = "kernels/" + include.name.str();
  else if (include.name.starts_with("aotc/"))
    target = "runtime/" + include.name.str();
  else if (include.name.starts_with("xsimd/"))
    target = "third_party/xsimd/" + include.name.str();
  else if (include.quoted && !from.empty() && !include.name.starts_with("xtl/")) // xsimd's optional neighbour
    target = normalized(joined(llvm::sys::path::parent_path(from), include.name));
  else
    return false;
  return true;
}

std::string Closure::sourceOf(llvm::StringRef target) const {
  if (target.consume_front("kernels/aotc/kernels/"))
    return joined(sources.kernels, target);
  if (target.consume_front("runtime/aotc/vulkan/"))
    return joined(sources.vulkan, target);
  if (target.consume_front("runtime/aotc/"))
    return joined(sources.runtime, target);
  [[maybe_unused]] const bool isXsimd = target.consume_front("third_party/xsimd/");
  assert(isXsimd && "a shipped header includes a file outside the shipped folders");
  return joined(sources.xsimd, target);
}

/// xsimd guards each instruction set by an #if: headers of another processor are never read and need not go along.
bool Closure::isForOtherUnit(llvm::StringRef target) const {
  if (!target.starts_with("third_party/xsimd/"))
    return false;
  if (unit == VectorUnit::none)
    return true;
  if (!target.consume_front("third_party/xsimd/xsimd/arch/xsimd_"))
    return false;
  const bool isArm = target.starts_with("neon") || target.starts_with("sve");
  const bool isX86 =
      target.starts_with("sse") || target.starts_with("ssse") || target.starts_with("avx") || target.starts_with("fma");
  return unit == VectorUnit::x86 ? isArm : isX86;
}

llvm::Error Closure::addIncluded(const Include &include, llvm::StringRef from) {
  std::string target;
  if (!locate(include, from, target) || isForOtherUnit(target) || !seen.insert(target).second)
    return llvm::Error::success();
  if (llvm::Error error = addFile(target))
    return error;
  // A header of the runtime may have a source file.
  if (!llvm::StringRef(target).starts_with("runtime/"))
    return llvm::Error::success();
  const std::string source = llvm::StringRef(target).drop_back(llvm::StringRef(".hpp").size()).str() + ".cpp";
  if (!llvm::sys::fs::exists(sourceOf(source)))
    return llvm::Error::success();
  seen.insert(source);
  return addFile(source);
}

llvm::Error Closure::addFile(const std::string &target) {
  const std::string source = sourceOf(target);
  llvm::Expected<std::string> text = readText(source);
  if (!text)
    return text.takeError();
  bundle.addFile(target, source);
  for (const Include &include : includesOf(*text))
    if (llvm::Error error = addIncluded(include, target))
      return error;
  return llvm::Error::success();
}

static constexpr llvm::StringLiteral xsimdReadme = "xsimd, unchanged: the headers in use. Copyright of its authors, "
                                                   "see LICENSE and https://github.com/xtensor-stack/xsimd\n";

llvm::Error addShippedSources(const ShippedSources &sources, llvm::ArrayRef<std::string> headers, VectorUnit unit,
                              Bundle &bundle) {
  Closure closure(sources, unit, bundle);
  for (const std::string &header : headers) {
    assert(llvm::StringRef(header).starts_with("aotc/") && "a shipped header is named as it is included");
    if (llvm::Error error = closure.addIncluded({header, true}, ""))
      return error;
  }
  if (bundle.contains("third_party/xsimd/xsimd/xsimd.hpp")) {
    bundle.addFile("third_party/xsimd/LICENSE", sources.xsimdLicense);
    bundle.addText("third_party/xsimd/README", xsimdReadme.str());
  }
  return llvm::Error::success();
}

} // namespace aotc::codegen
