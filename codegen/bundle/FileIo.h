// Reading and writing files with errors that name the file: the system calls that the bundle writer is made of. Knows
// nothing of models or manifests, prints nothing, and leaves no open descriptor behind.
#ifndef AOTC_CODEGEN_BUNDLE_FILEIO_H
#define AOTC_CODEGEN_BUNDLE_FILEIO_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>
#include <system_error>

namespace aotc::codegen {

/// What goes wrong with files and folders. The text names the file and is complete: `out/a.bin: cannot write: no space
/// left on device`. The driver ends with exit code 3.
class FileError : public llvm::ErrorInfo<FileError> {
public:
  static char ID;
  enum class Kind {
    system,   ///< the system refused to open, read or write
    occupied, ///< the output folder holds files that are not ours to replace
  };

  FileError(Kind kind, std::string text) : kind(kind), text(std::move(text)) {}
  Kind getKind() const { return kind; }
  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override;

private:
  Kind kind;
  std::string text;
};

/// `path: action: reason of errorNumber`, as Kind::system.
llvm::Error systemError(llvm::StringRef path, llvm::StringRef action, int errorNumber);

/// An owned file descriptor; -1 is none.
class Descriptor {
public:
  explicit Descriptor(int value = -1) : value(value) {}
  Descriptor(Descriptor &&other) : value(other.release()) {}
  Descriptor &operator=(Descriptor &&other);
  ~Descriptor() { reset(); }

  int get() const { return value; }
  explicit operator bool() const { return value >= 0; }
  /// Closes; false with errno set where the system reports a failed write only now.
  bool reset();
  int release();

private:
  int value;
};

/// Takes the bytes of a file piece by piece, in order.
using ByteSink = llvm::function_ref<llvm::Error(llvm::ArrayRef<char>)>;

/// Hands all bytes of the file to the sink, in pieces of at most 256 KiB.
llvm::Error readInPieces(llvm::StringRef path, ByteSink sink);
/// The whole file; for small text files.
llvm::Expected<std::string> readText(llvm::StringRef path);
/// Writes all bytes; `shownPath` is the name that an error shows.
llvm::Error writeAll(int descriptor, llvm::ArrayRef<char> bytes, llvm::StringRef shownPath);

/// 64 lower-case hexadecimal digits.
std::string sha256Hex(llvm::ArrayRef<char> bytes);
llvm::Expected<std::string> sha256OfFile(llvm::StringRef path);

/// Replaces a single file atomically: temporary sibling, then rename. For stamps and depfiles.
llvm::Error writeFileAtomically(llvm::StringRef path, llvm::StringRef text);

} // namespace aotc::codegen

#endif // AOTC_CODEGEN_BUNDLE_FILEIO_H
