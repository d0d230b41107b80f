// MANIFEST.json: what an output folder holds and what it was made from, and by its presence the sign that the folder is
// ours to replace. Holds no date and no absolute path, so that equal inputs give equal bytes.
#ifndef AOTC_CODEGEN_BUNDLE_MANIFEST_H
#define AOTC_CODEGEN_BUNDLE_MANIFEST_H

#include "llvm/ADT/StringRef.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace aotc::codegen {

inline constexpr llvm::StringLiteral manifestName = "MANIFEST.json";

/// Relative paths with '/', sorted.
class FileSet : public std::set<std::string, std::less<>> {
public:
  using set::set;
  /// Whether a file lies in the folder `path` or deeper.
  bool hasBelow(llvm::StringRef path) const;
};

struct Manifest {
  std::string version;            ///< of aotc, such as 0.1.0
  std::vector<std::string> flags; ///< as given, without the output folder and without absolute paths
  /// File name (no folder) and sha256 of the model and of what belongs to it, such as external data; in the order
  /// given.
  std::vector<std::pair<std::string, std::string>> inputs;
  std::map<std::string, std::string> files; ///< relative path -> sha256, without MANIFEST.json itself

  /// Without the manifest itself.
  FileSet fileSet() const;
  /// JSON text with a fixed order of keys.
  std::string render() const;
};

/// The files (MANIFEST.json among them) that the manifest of `folder` lists; nothing where there is no manifest of
/// ours.
std::optional<FileSet> readManifestFiles(llvm::StringRef folder);

} // namespace aotc::codegen

#endif // AOTC_CODEGEN_BUNDLE_MANIFEST_H
