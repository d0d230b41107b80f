// Questions and moves on folder trees that know which files are ours (listed) and which are the user's (foreign). Never
// deletes a foreign file.
#ifndef AOTC_CODEGEN_BUNDLE_FOLDERS_H
#define AOTC_CODEGEN_BUNDLE_FOLDERS_H

#include "codegen/bundle/FileIo.h"
#include "codegen/bundle/Manifest.h"

#include <string>
#include <vector>

namespace aotc::codegen {

/// `.aotc-PID-K` after `prefix`: a temporary folder of some run.
bool isStageName(llvm::StringRef name, llvm::StringRef prefix);
/// What a temporary folder inside an output folder is called before `PID-K`.
inline constexpr llvm::StringLiteral insideStagePrefix = ".aotc-";

bool isFolder(llvm::StringRef path);
/// Whether there is nothing in the folder but folders, such as a build tool makes in advance, and temporary ones of
/// ours.
bool holdsNoFiles(llvm::StringRef path);
/// Whether renaming the folder (absolute, links resolved) is impossible or would pull it away under our caller's feet.
bool mustKeepFolder(llvm::StringRef path);

/// The topmost files and folders below `root` that `ours` does not list; relative, sorted. Temporary folders are left
/// out.
std::vector<std::string> listForeign(llvm::StringRef root, const FileSet &ours);
/// Moves all foreign files of `from` to the same place in `to`, where nothing is overwritten; errors name `shownTo`.
llvm::Error adoptForeign(llvm::StringRef from, const FileSet &ours, llvm::StringRef to, llvm::StringRef shownTo);
/// Removes the listed files, then all folders that are empty, `root` too. What cannot be removed stays.
void removeListed(llvm::StringRef root, const FileSet &files);
/// Removes a tree made by us.
void removeTree(llvm::StringRef root);
/// Makes the folders above a file; errors name `shownPath`.
llvm::Error makeFoldersAbove(llvm::StringRef path, llvm::StringRef shownPath);
/// Removes the folders from above `root`/`path` up to below `root`, as far as they are empty.
void removeEmptyAbove(llvm::StringRef root, llvm::StringRef path);

} // namespace aotc::codegen

#endif // AOTC_CODEGEN_BUNDLE_FOLDERS_H
