// The generated folder as a set of files, written in one atomic step with its MANIFEST.json. Decides nothing about what
// the files say; how a folder is replaced is OutputFolder's.
#ifndef AOTC_CODEGEN_BUNDLE_BUNDLE_H
#define AOTC_CODEGEN_BUNDLE_BUNDLE_H

#include "codegen/bundle/FileIo.h"
#include "codegen/bundle/Manifest.h"

#include <map>
#include <string>
#include <variant>
#include <vector>

namespace aotc::codegen {

class Bundle {
public:
  /// `path` is relative, with '/', without '..', and new to the bundle; anything else is a broken invariant.
  void addText(llvm::StringRef path, std::string text);
  /// The bytes of all pieces, one after the other. They belong to the caller and must outlive write(). `sha256` is that
  /// of all bytes, empty where the caller does not know it.
  void addBytes(llvm::StringRef path, std::vector<llvm::ArrayRef<char>> pieces, std::string sha256 = "");
  /// A copy of the file `source`, which is read by write().
  void addFile(llvm::StringRef path, std::string source);

  bool contains(llvm::StringRef path) const { return entries.count(path.str()) != 0; }
  /// The files that addFile() was given, sorted: what the output depends on besides the model.
  std::vector<std::string> sourceFiles() const;

  /// Makes `folder` hold these files and MANIFEST.json (`manifest` with the hash of each file filled in). Files that
  /// did not change keep their time stamps, files of an earlier output that are not in this one disappear, files of the
  /// user's own stay. On failure the folder is as it was and the error is a FileError.
  llvm::Error write(llvm::StringRef folder, Manifest manifest) const;

private:
  struct Pieces {
    std::vector<llvm::ArrayRef<char>> pieces;
    std::string sha256; ///< empty: not known
  };
  struct SourceFile {
    std::string path;
  };
  using Entry = std::variant<std::string, Pieces, SourceFile>;

  void add(llvm::StringRef path, Entry entry);
  static llvm::Error stream(const Entry &entry, ByteSink sink);

  std::map<std::string, Entry> entries;
};

/// Text of a dependency file for Make and Ninja: `target: dependency…`, with blanks, '#', '$' and '\' escaped.
std::string renderDepfile(llvm::StringRef target, llvm::ArrayRef<std::string> dependencies);

} // namespace aotc::codegen

#endif // AOTC_CODEGEN_BUNDLE_BUNDLE_H
