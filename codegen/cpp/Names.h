// C++ identifiers for things that a model names. Does not know what they are used for beyond the words it must avoid.
#ifndef AOTC_CODEGEN_CPP_NAMES_H
#define AOTC_CODEGEN_CPP_NAMES_H

#include "codegen/cpp/Description.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"

#include <string>

namespace aotc::codegen {

/// The snake_case identifier nearest to a name of the model: a trailing `:0` is dropped, whatever is no ASCII letter or
/// digit becomes one `_`, words are lower-cased. `kind` (an identifier, such as "input") stands in for a name of which
/// nothing is left, and in front of one that starts with a digit. Keywords of C and C++, macros of the standard
/// headers and the like get a `_` at the end. Never reserved: no leading and no double underscore. Of a name longer
/// than 80 characters its end is kept, which is what tells paths apart.
///
///     "conv2d_2/Relu:0" -> conv2d_2_relu     "StatefulPartitionedCall" -> stateful_partitioned_call
///     "int"             -> int_              "1st.out/0:0" (output)    -> output_1st_out_0
std::string cleanIdentifier(llvm::StringRef name, llvm::StringRef kind);

/// CamelCase of a snake_case identifier, for types: conv2d_2_relu -> Conv2d2Relu.
std::string typeIdentifier(llvm::StringRef identifier);

/// CAPITALS of an identifier, for macros: resnet8 -> RESNET8.
std::string macroIdentifier(llvm::StringRef identifier);

/// The name of a model for namespace, folder and prefix, from the stem of its file. Avoids functions of the C library
/// too, since a namespace cannot share their names, and targets that CMake reserves.
std::string cleanModelName(llvm::StringRef fileStem);

/// The names of one scope.
class NameTable {
public:
  NameTable() = default;
  explicit NameTable(llvm::ArrayRef<llvm::StringRef> taken) {
    for (llvm::StringRef name : taken)
      names.insert(name);
  }

  /// cleanIdentifier(name, kind), made unique: a second `x` becomes `x_<kind>` and then `x_2`, `x_3` and so on. With
  /// prefixes, the identifier behind each of them is taken too.
  std::string add(llvm::StringRef name, llvm::StringRef kind, llvm::ArrayRef<llvm::StringRef> prefixes = {});

  /// An identifier that is fine as it is, made unique by a number.
  std::string addIdentifier(llvm::StringRef identifier);

private:
  bool take(const std::string &identifier, llvm::ArrayRef<llvm::StringRef> prefixes);
  std::string takeNumbered(const std::string &base, llvm::ArrayRef<llvm::StringRef> prefixes);

  llvm::StringSet<> names;
  llvm::StringMap<unsigned> lastNumber; // of each base, so that ten thousand equal names stay linear
};

/// Fills in the identifiers of inputs, outputs and bounded dims, unique among each other and different from the members
/// that every Session has.
void assignNames(ModelDescription &model);

} // namespace aotc::codegen

#endif // AOTC_CODEGEN_CPP_NAMES_H
