// Reading of the model file. It is read and not mapped: a file that shrinks while it is read is then an error instead
// of a signal, and the bytes of the weights exist once, in the parsed strings.
#include "frontend/onnx/OnnxFile.h"
#include "frontend/onnx/FileDescriptor.h"

#include "llvm/Support/Path.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>

#include <climits>
#include <fcntl.h>
#include <sys/stat.h>

using namespace aotc::frontend;

namespace {

constexpr int readBlockBytes = 1 << 20;
// A model holds subgraphs in attributes of nodes: three messages per level. Deeper ones would need as much stack.
constexpr int deepestMessage = 100;

FileDescriptor openModel(const std::string &path, Diagnostics &diagnostics) {
  FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status {};
  if (!file.isOpen() || ::fstat(file.get(), &status) != 0) {
    diagnostics.error("cannot open: " + systemReason(errno), ErrorClass::file);
    return FileDescriptor();
  }
  if (S_ISDIR(status.st_mode)) {
    diagnostics.error("cannot read: it is a folder", ErrorClass::file);
    return FileDescriptor();
  }
  if (status.st_size > INT_MAX) {
    diagnostics.error("cannot parse: larger than 2 GiB, the most that protobuf can hold");
    diagnostics.note("keep the weights beside the model, as external data");
    return FileDescriptor();
  }
  return file;
}

bool parse(int descriptor, onnx::ModelProto &model, Diagnostics &diagnostics) {
  google::protobuf::io::FileInputStream stream(descriptor, readBlockBytes);
  google::protobuf::io::CodedInputStream coded(&stream);
  coded.SetTotalBytesLimit(INT_MAX);
  coded.SetRecursionLimit(deepestMessage);
  bool parsed = model.MergePartialFromCodedStream(&coded) && coded.ConsumedEntireMessage();
  if (stream.GetErrno() != 0) {
    diagnostics.error("cannot read: " + systemReason(stream.GetErrno()), ErrorClass::file);
    return false;
  }
  if (!parsed) {
    diagnostics.error("cannot parse: not an ONNX model, or cut short after " + llvm::Twine(coded.CurrentPosition()) +
                      " bytes");
    return false;
  }
  if (!model.has_graph()) {
    diagnostics.error("cannot parse: not an ONNX model, there is no graph in it");
    return false;
  }
  return true;
}

} // namespace

std::unique_ptr<OnnxFile> OnnxFile::read(llvm::StringRef path, Diagnostics &diagnostics) {
  auto result = std::make_unique<OnnxFile>();
  llvm::StringRef parent = llvm::sys::path::parent_path(path);
  result->folder = parent.empty() ? "." : parent.str();
  FileDescriptor file = openModel(path.str(), diagnostics);
  if (!file.isOpen() || !parse(file.get(), result->model, diagnostics))
    return nullptr;
  return result;
}
