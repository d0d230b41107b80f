// Replaces an output folder as a whole: new files are staged in a temporary folder, then put in place in one step, so
// that whoever looks sees the old output or the new one. Knows paths and bytes only; what belongs into the folder is
// Bundle's.
//
//   staged beside, swapped (the rule)     .model_gen.aotc-PID-K  <-- renameat2(EXCHANGE) -->  model_gen
//   staged inside, file by file           model_gen/.aotc-PID-K/src/x.cpp --rename--> model_gen/src/x.cpp
//       where the folder itself cannot be replaced: it is the current folder or holds it, is a mount point, or its
//       parent is not writable. Each file is then complete at any moment, and a failure puts the old files back.
//
// Files of the user's own inside the folder (a build folder, say) survive. A killed run leaves its temporary folder,
// which the next run removes: a lock on it, held while a run lives, tells the two apart.
#ifndef AOTC_CODEGEN_BUNDLE_OUTPUTFOLDER_H
#define AOTC_CODEGEN_BUNDLE_OUTPUTFOLDER_H

#include "codegen/bundle/FileIo.h"
#include "codegen/bundle/Manifest.h"

#include <string>
#include <vector>

namespace aotc::codegen {

class OutputFolder {
public:
  /// Hands the bytes of one file to the sink; may be called twice.
  using ByteSource = llvm::function_ref<llvm::Error(ByteSink)>;

  OutputFolder() = default;
  OutputFolder(const OutputFolder &) = delete;
  OutputFolder &operator=(const OutputFolder &) = delete;
  /// Removes everything staged unless commit() succeeded.
  ~OutputFolder();

  /// Prepares to replace `folder`, which may be missing (missing parents are made), empty, or hold a MANIFEST.json of
  /// ours.
  llvm::Error open(llvm::StringRef folder);
  /// Stages one file (relative path with '/') and returns its sha256, which is worked out where `known` is empty. A
  /// file that did not change keeps its time stamp.
  llvm::Expected<std::string> place(llvm::StringRef path, ByteSource source, llvm::StringRef known = "");
  /// Makes the staged files, and them alone, the output. `manifest` is staged here, last. Then the old output's files
  /// that are not in the new one are gone.
  llvm::Error commit(const Manifest &manifest);

private:
  struct Moved {
    std::string path;
    bool hadOld; ///< the old file lies in the backup folder
  };

  std::string shown(llvm::StringRef path) const;
  llvm::Error makeParents();
  llvm::Error makeStage();
  int tryMakeStage(llvm::StringRef prefix);
  llvm::Expected<std::string> hashIfUnchanged(llvm::StringRef path, ByteSource source, llvm::StringRef known);
  llvm::Error keepOld(llvm::StringRef path);
  llvm::Expected<std::string> stageNew(llvm::StringRef path, ByteSource source, llvm::StringRef known);
  llvm::Error checkCollisions(const FileSet &files);
  llvm::Error commitBySwap();
  llvm::Error commitInPlace(const Manifest &manifest, const FileSet &files);
  llvm::Error moveIntoPlace(llvm::StringRef path, std::vector<Moved> &journal);
  void rollBack(const std::vector<Moved> &journal);
  void removeStale(llvm::StringRef parent, llvm::StringRef prefix);

  std::string shownFolder; ///< as the user gave it, for errors
  std::string folder;      ///< absolute, links resolved
  std::string stage;       ///< the temporary folder; empty once it is gone
  Descriptor stageLock;
  std::vector<std::string> madeParents;
  FileSet previous; ///< files of the old output
  FileSet staged;   ///< in place: those that changed
  bool exists = false;
  bool inPlace = false;
};

} // namespace aotc::codegen

#endif // AOTC_CODEGEN_BUNDLE_OUTPUTFOLDER_H
