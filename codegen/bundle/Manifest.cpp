// Prints and reads MANIFEST.json through llvm::json.
#include "codegen/bundle/Manifest.h"

#include "codegen/bundle/FileIo.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace aotc::codegen {

static constexpr llvm::StringLiteral toolName = "aotc";

bool FileSet::hasBelow(llvm::StringRef path) const {
  const std::string prefix = (path + "/").str();
  const auto first = lower_bound(prefix);
  return first != end() && llvm::StringRef(*first).starts_with(prefix);
}

FileSet Manifest::fileSet() const {
  FileSet set;
  for (const auto &[path, hash] : files)
    set.insert(path);
  return set;
}

std::string Manifest::render() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::json::OStream json(os, /*IndentSize=*/2);
  json.object([&] {
    json.attribute("tool", toolName);
    json.attribute("version", version);
    json.attributeArray("flags", [&] {
      for (const std::string &flag : flags)
        json.value(llvm::json::fixUTF8(flag));
    });
    json.attributeArray("inputs", [&] {
      for (const auto &[name, hash] : inputs)
        json.object([&] {
          json.attribute("name", llvm::json::fixUTF8(name));
          json.attribute("sha256", hash);
        });
    });
    json.attributeObject("files", [&] {
      for (const auto &[path, hash] : files)
        json.attribute(path, hash);
    });
  });
  os << '\n';
  return text;
}

std::optional<FileSet> readManifestFiles(llvm::StringRef folder) {
  llvm::Expected<std::string> text = readText((folder + "/" + manifestName).str());
  if (!text) {
    llvm::consumeError(text.takeError());
    return std::nullopt;
  }
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(*text);
  if (!value) {
    llvm::consumeError(value.takeError());
    return std::nullopt;
  }
  const llvm::json::Object *object = value->getAsObject();
  if (!object || object->getString("tool") != toolName || !object->getObject("files"))
    return std::nullopt;
  FileSet files{manifestName.str()};
  for (const auto &entry : *object->getObject("files"))
    files.insert(entry.first.str());
  return files;
}

} // namespace aotc::codegen
