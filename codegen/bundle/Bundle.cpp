// Collects the files of an output and hands them to OutputFolder in the order of their names.
#include "codegen/bundle/Bundle.h"

#include "codegen/bundle/OutputFolder.h"

#include <cassert>

namespace aotc::codegen {

[[maybe_unused]] static bool isPlainRelative(llvm::StringRef path) {
  llvm::SmallVector<llvm::StringRef> parts;
  path.split(parts, '/');
  return llvm::none_of(parts, [](llvm::StringRef part) { return part.empty() || part == "." || part == ".."; });
}

void Bundle::add(llvm::StringRef path, Entry entry) {
  assert(isPlainRelative(path) && "a file of the bundle needs a relative path without '.' and '..'");
  [[maybe_unused]] const bool isNew = entries.emplace(path.str(), std::move(entry)).second;
  assert(isNew && path != manifestName && "a file of the bundle was given twice");
}

void Bundle::addText(llvm::StringRef path, std::string text) { add(path, std::move(text)); }

void Bundle::addBytes(llvm::StringRef path, std::vector<llvm::ArrayRef<char>> pieces, std::string sha256) {
  add(path, Pieces{std::move(pieces), std::move(sha256)});
}

void Bundle::addFile(llvm::StringRef path, std::string source) { add(path, SourceFile{std::move(source)}); }

std::vector<std::string> Bundle::sourceFiles() const {
  std::set<std::string> sources;
  for (const auto &[path, entry] : entries)
    if (const auto *source = std::get_if<SourceFile>(&entry))
      sources.insert(source->path);
  return {sources.begin(), sources.end()};
}

llvm::Error Bundle::stream(const Entry &entry, ByteSink sink) {
  if (const auto *text = std::get_if<std::string>(&entry))
    return sink({text->data(), text->size()});
  if (const auto *source = std::get_if<SourceFile>(&entry))
    return readInPieces(source->path, sink);
  for (const llvm::ArrayRef<char> piece : std::get<Pieces>(entry).pieces)
    if (llvm::Error error = sink(piece))
      return error;
  return llvm::Error::success();
}

llvm::Error Bundle::write(llvm::StringRef folder, Manifest manifest) const {
  OutputFolder output;
  if (llvm::Error error = output.open(folder))
    return error;
  for (const auto &[path, entry] : entries) {
    const auto *pieces = std::get_if<Pieces>(&entry);
    const llvm::StringRef known = pieces ? llvm::StringRef(pieces->sha256) : "";
    llvm::Expected<std::string> hash = output.place(
        path, [&](ByteSink sink) { return stream(entry, sink); }, known);
    if (!hash)
      return hash.takeError();
    manifest.files[path] = std::move(*hash);
  }
  return output.commit(manifest);
}

static std::string escaped(llvm::StringRef path) {
  std::string text;
  for (const char c : path) {
    if (c == ' ' || c == '#' || c == '\\')
      text += '\\';
    else if (c == '$')
      text += '$';
    text += c;
  }
  return text;
}

std::string renderDepfile(llvm::StringRef target, llvm::ArrayRef<std::string> dependencies) {
  std::string text = escaped(target) + ":";
  for (const std::string &dependency : dependencies)
    text += " \\\n  " + escaped(dependency);
  return text + "\n";
}

} // namespace aotc::codegen
