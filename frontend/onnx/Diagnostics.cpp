// Printing of the front end's messages; see the header.
#include "frontend/onnx/Diagnostics.h"

#include "llvm/ADT/StringExtras.h"

#include <cstring>

using namespace aotc::frontend;

namespace {

constexpr size_t longestText = 200;
constexpr unsigned mostErrors = 1000;

/// Bytes below blank, DEL and quotes would let a hostile name forge lines or colours in a terminal.
void appendEscaped(std::string &result, llvm::StringRef text) {
  for (char c : text) {
    auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7f) {
      result += c;
      continue;
    }
    result += "\\x";
    result += llvm::hexdigit(byte >> 4, /*LowerCase=*/true);
    result += llvm::hexdigit(byte & 15, /*LowerCase=*/true);
  }
}

} // namespace

std::string aotc::frontend::printable(llvm::StringRef text) {
  std::string result;
  if (text.size() <= longestText) {
    appendEscaped(result, text);
    return result;
  }
  appendEscaped(result, text.take_front(longestText / 2));
  result += "…";
  appendEscaped(result, text.take_back(longestText / 2));
  return result;
}

std::string aotc::frontend::quoted(llvm::StringRef text) { return "'" + printable(text) + "'"; }

std::string aotc::frontend::systemReason(int errorNumber) {
  std::string reason = std::strerror(errorNumber);
  if (reason.size() > 1 && llvm::isLower(reason[1])) // "I/O error" keeps its capital
    reason.front() = llvm::toLower(reason.front());
  return reason;
}

void Diagnostics::print(llvm::StringRef kind, const llvm::Twine &message) {
  out << fileName << ": " << kind << message << "\n";
}

void Diagnostics::error(const llvm::Twine &message, ErrorClass errorClass) {
  if (errorCount++ == 0)
    firstError = static_cast<int>(errorClass);
  skipNotes = errorCount > mostErrors;
  if (skipNotes)
    return;
  print("", message);
  if (errorCount == mostErrors)
    print("", "too many errors, the rest is not shown");
}

void Diagnostics::warning(const llvm::Twine &message) {
  skipNotes = quiet;
  if (!quiet)
    print("warning: ", message);
}

void Diagnostics::remark(const llvm::Twine &message) {
  if (!quiet)
    print("note: ", message);
}

void Diagnostics::note(const llvm::Twine &message) {
  if (!skipNotes)
    out << "note: " << message << "\n";
}
