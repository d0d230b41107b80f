// One thread for all files: a model has one large one, if any.
#include "driver/InputHashes.h"

#include "codegen/bundle/FileIo.h"

#include "llvm/Support/Path.h"

namespace aotc::driver {

static std::vector<llvm::Expected<std::string>> hashAll(const std::vector<std::string> &paths) {
  std::vector<llvm::Expected<std::string>> hashes;
  for (const std::string &path : paths)
    hashes.push_back(codegen::sha256OfFile(path));
  return hashes;
}

InputHashes::InputHashes(std::vector<std::string> paths)
    : paths(paths), hashes(std::async(std::launch::async, hashAll, std::move(paths))) {}

InputHashes::~InputHashes() {
  if (!hashes.valid())
    return;
  for (llvm::Expected<std::string> &hash : hashes.get())
    llvm::consumeError(hash.takeError());
}

llvm::Expected<std::vector<std::pair<std::string, std::string>>> InputHashes::take() {
  std::vector<std::pair<std::string, std::string>> result;
  llvm::Error error = llvm::Error::success();
  for (auto &&[path, hash] : llvm::zip(paths, hashes.get())) {
    if (hash)
      result.emplace_back(llvm::sys::path::filename(path).str(), std::move(*hash));
    else
      error = llvm::joinErrors(std::move(error), hash.takeError());
  }
  if (error)
    return std::move(error);
  return result;
}

} // namespace aotc::driver
