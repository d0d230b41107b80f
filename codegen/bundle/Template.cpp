// One pass over the text, from one '@' to the next.
#include "codegen/bundle/Template.h"

#include "llvm/ADT/StringExtras.h"

#include <set>

namespace aotc::codegen {

static bool isKey(llvm::StringRef text) {
  const auto isKeyLetter = [](char c) { return (c >= 'A' && c <= 'Z') || llvm::isDigit(c) || c == '_'; };
  return !text.empty() && text.front() >= 'A' && text.front() <= 'Z' && llvm::all_of(text, isKeyLetter);
}

static llvm::Error misfit(llvm::StringRef templateName, const llvm::Twine &what) {
  return llvm::createStringError(std::make_error_code(std::errc::invalid_argument), templateName + ": " + what);
}

llvm::Expected<std::string> fillTemplate(llvm::StringRef templateName, llvm::StringRef text,
                                         const std::map<std::string, std::string> &values) {
  std::string result;
  std::set<std::string> used;
  while (true) {
    const size_t start = text.find('@');
    result += text.take_front(start);
    if (start == llvm::StringRef::npos)
      break;
    text = text.drop_front(start + 1);
    const size_t end = text.find('@');
    const llvm::StringRef key = text.take_front(end);
    if (end == llvm::StringRef::npos || !isKey(key)) {
      result += '@';
      continue;
    }
    const auto value = values.find(key.str());
    if (value == values.end())
      return misfit(templateName, "placeholder '@" + key + "@' has no value");
    result += value->second;
    used.insert(value->first);
    text = text.drop_front(end + 1);
  }
  for (const auto &[key, value] : values)
    if (!used.count(key))
      return misfit(templateName, "has no placeholder '@" + key + "@'");
  return result;
}

} // namespace aotc::codegen
