// The sources that go into every output as copies: kernels, runtime, xsimd. Finds them, follows their includes, and
// adds what is used to a bundle. Does not know what a model needs: the caller names the headers that its code includes.
#ifndef AOTC_CODEGEN_BUNDLE_SHIPPED_H
#define AOTC_CODEGEN_BUNDLE_SHIPPED_H

#include "codegen/bundle/Bundle.h"

#include <string>
#include <vector>

namespace aotc::codegen {

/// Folders and files of the shipped sources; all absolute.
///
///   included as              read from              copied to
///   "aotc/kernels/x.hpp"     kernels/x.hpp          kernels/aotc/kernels/x.hpp
///   "aotc/x.hpp"             runtime/x.hpp          runtime/aotc/x.hpp, and x.cpp where there is one
///   "aotc/vulkan/x.hpp"      vulkan/x.hpp           runtime/aotc/vulkan/x.hpp, likewise
///   <xsimd/xsimd.hpp>        xsimd/xsimd/...        third_party/xsimd/xsimd/..., with LICENSE and README
struct ShippedSources {
  std::string kernels;
  std::string runtime;
  std::string project; ///< templates of the generated project
  std::string xsimd;   ///< holds xsimd/xsimd.hpp
  std::string xsimdLicense;
  std::string vulkan; ///< the runtime of --target vulkan
};

/// The vector unit that the output is compiled for: which part of xsimd goes along.
enum class VectorUnit {
  none, ///< the one-lane stand-in: no xsimd at all
  x86,
  arm,
};

/// Beside the executable where aotc is installed (../share/aotc), else in the source tree that it was built from. Fails
/// where neither is there, with the name of the first.
llvm::Expected<ShippedSources> findShippedSources(llvm::StringRef executable);

/// Adds the named headers (such as "aotc/kernels/conv2d.hpp", in any order) and all that they include. Fails where one
/// of them cannot be read. A name that is none of ours is a broken invariant.
llvm::Error addShippedSources(const ShippedSources &sources, llvm::ArrayRef<std::string> headers, VectorUnit unit,
                              Bundle &bundle);

/// A template of the project, such as "CMakeLists.txt.in".
llvm::Expected<std::string> readProjectTemplate(const ShippedSources &sources, llvm::StringRef name);

} // namespace aotc::codegen

#endif // AOTC_CODEGEN_BUNDLE_SHIPPED_H
