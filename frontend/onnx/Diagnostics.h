// What the front end says to the user: errors, warnings and notes in the house form, each with the model's name in
// front, and the exit code that follows from them. It decides nothing about a model and never exits.
//
//   model.onnx: node 'conv1' (Conv, opset 17): 'dilations' must have 2 values, found 3
//   note: the value is given by the attribute of the node
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

namespace aotc::frontend {

/// Why something was refused. The numbers are the exit codes of the `aotc` program.
enum class ErrorClass {
  content = 1,  ///< what a file says, well-formed or not
  usage = 2,    ///< what the command line says
  file = 3,     ///< the system refuses to open, read or map a file
  internal = 70 ///< a broken invariant of the compiler
};

/// Text from a file, made safe to print: control bytes are escaped, very long text is cut in the middle.
std::string printable(llvm::StringRef text);
/// The same in single quotes.
std::string quoted(llvm::StringRef text);

/// What the system says about an errno, beginning in lower case: "no such file or directory".
std::string systemReason(int errorNumber);

/// Prints messages in order and remembers the first error. Not thread-safe: one per compilation.
class Diagnostics {
public:
  /// `fileName` is put in front of each message; `out` must outlive this object.
  Diagnostics(llvm::StringRef fileName, llvm::raw_ostream &out) : fileName(fileName.str()), out(out) {}

  void error(const llvm::Twine &message, ErrorClass errorClass = ErrorClass::content);
  void warning(const llvm::Twine &message);
  /// Good to know, nothing to worry about. A line of its own.
  void remark(const llvm::Twine &message);
  /// Belongs to the message before it and shows the way out.
  void note(const llvm::Twine &message);

  bool hasErrors() const { return errorCount != 0; }
  unsigned getErrorCount() const { return errorCount; }
  /// 0 while there was no error, else the code of the first error's class.
  int exitCode() const { return firstError; }
  /// Warnings, their notes and remarks are dropped (`-q`).
  void setQuiet(bool value) { quiet = value; }

private:
  void print(llvm::StringRef kind, const llvm::Twine &message);

  std::string fileName;
  llvm::raw_ostream &out;
  unsigned errorCount = 0;
  int firstError = 0;
  bool quiet = false;
  bool skipNotes = false;
};

} // namespace aotc::frontend
