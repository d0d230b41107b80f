// Which of the shipped sources a list of headers pulls in.
#include "codegen/bundle/Shipped.h"

#include "TestFolder.h"

using namespace aotc::codegen;

namespace {

class ShippedTest : public TestFolder {
protected:
  ShippedTest() {
    put("share/aotc/kernels/conv.hpp",
        "#pragma once\n#include <cmath>\n#include \"vec.hpp\"\n # include \"aotc/part.hpp\"\n");
    put("share/aotc/kernels/vec.hpp", "#if 1\n#include <xsimd/xsimd.hpp>\n#endif\n");
    put("share/aotc/kernels/unused.hpp", "");
    put("share/aotc/runtime/part.hpp", "#include \"aotc/version.hpp\"\n");
    put("share/aotc/runtime/version.hpp", "// #include \"aotc/part.hpp\" in a comment\n");
    put("share/aotc/runtime/thread_pool.hpp", "");
    put("share/aotc/runtime/thread_pool.cpp", "#include \"aotc/thread_pool.hpp\"\n#include \"aotc/part.hpp\"\n");
    put("share/aotc/project/CMakeLists.txt.in", "project(@NAME@)");
    put("share/aotc/third_party/xsimd/xsimd/xsimd.hpp", "#include \"arch/xsimd_isa.hpp\"\n");
    put("share/aotc/third_party/xsimd/xsimd/arch/xsimd_isa.hpp",
        "#include \"./xsimd_avx2.hpp\"\n#include \"./xsimd_neon.hpp\"\n#include \"../types/all.hpp\"\n");
    put("share/aotc/third_party/xsimd/xsimd/arch/xsimd_avx2.hpp", "");
    put("share/aotc/third_party/xsimd/xsimd/arch/xsimd_neon.hpp", "");
    put("share/aotc/third_party/xsimd/xsimd/types/all.hpp", "");
    put("share/aotc/third_party/xsimd/LICENSE", "BSD");
    put("bin/aotc", "");
  }

  /// The files that the headers need, or the error.
  std::vector<std::string> shipped(const std::vector<std::string> &headers, VectorUnit unit) {
    llvm::Expected<ShippedSources> sources = findShippedSources(at("bin/aotc"));
    if (!sources)
      return {textOf(sources.takeError())};
    Bundle bundle;
    if (llvm::Error error = addShippedSources(*sources, headers, unit, bundle))
      return {textOf(std::move(error))};
    EXPECT_EQ(textOf(bundle.write(at("out"), {})), "");
    std::vector<std::string> files;
    for (const std::string &path : list("out"))
      if (!std::filesystem::is_directory(root / "out" / path))
        files.push_back(path);
    return files;
  }
};

TEST_F(ShippedTest, FollowsIncludes) {
  EXPECT_EQ(shipped({"aotc/kernels/conv.hpp"}, VectorUnit::none),
            (std::vector<std::string>{"MANIFEST.json", "kernels/aotc/kernels/conv.hpp", "kernels/aotc/kernels/vec.hpp",
                                      "runtime/aotc/part.hpp", "runtime/aotc/version.hpp"}));
}

TEST_F(ShippedTest, TakesTheSourceOfAHeader) {
  EXPECT_EQ(shipped({"aotc/thread_pool.hpp"}, VectorUnit::x86),
            (std::vector<std::string>{"MANIFEST.json", "runtime/aotc/part.hpp", "runtime/aotc/thread_pool.cpp",
                                      "runtime/aotc/thread_pool.hpp", "runtime/aotc/version.hpp"}));
}

TEST_F(ShippedTest, TakesThePartOfXsimdForTheProcessor) {
  EXPECT_EQ(shipped({"aotc/kernels/vec.hpp", "aotc/kernels/vec.hpp"}, VectorUnit::arm),
            (std::vector<std::string>{"MANIFEST.json", "kernels/aotc/kernels/vec.hpp", "third_party/xsimd/LICENSE",
                                      "third_party/xsimd/README", "third_party/xsimd/xsimd/arch/xsimd_isa.hpp",
                                      "third_party/xsimd/xsimd/arch/xsimd_neon.hpp",
                                      "third_party/xsimd/xsimd/types/all.hpp", "third_party/xsimd/xsimd/xsimd.hpp"}));
}

TEST_F(ShippedTest, NamesAMissingHeader) {
  EXPECT_EQ(shipped({"aotc/kernels/none.hpp"}, VectorUnit::none),
            std::vector<std::string>{at("share/aotc/kernels/none.hpp") + ": cannot open: no such file or directory"});
}

TEST_F(ShippedTest, ReadsTemplates) {
  EXPECT_EQ(*readProjectTemplate(*findShippedSources(at("bin/aotc")), "CMakeLists.txt.in"), "project(@NAME@)");
}

TEST_F(ShippedTest, TakesThePartForDevicesFromItsOwnFolder) {
  put("share/aotc/runtime/vulkan/device.hpp", "#include \"aotc/version.hpp\"\n#include <vulkan/vulkan_core.h>\n");
  put("share/aotc/runtime/vulkan/device.cpp", "#include \"aotc/vulkan/device.hpp\"\n");
  EXPECT_EQ(shipped({"aotc/vulkan/device.hpp"}, VectorUnit::none),
            (std::vector<std::string>{"MANIFEST.json", "runtime/aotc/version.hpp", "runtime/aotc/vulkan/device.cpp",
                                      "runtime/aotc/vulkan/device.hpp"}));
}

// The headers of this very tree: every include must be found, for each processor.
TEST_F(ShippedTest, SourceTreeIsComplete) {
  llvm::Expected<ShippedSources> sources = findShippedSources("/nowhere/bin/aotc");
  ASSERT_TRUE(bool(sources));
  std::vector<std::string> headers;
  for (const auto &[folder, prefix] :
       {std::pair(sources->kernels, "aotc/kernels/"), {sources->runtime, "aotc/"}, {sources->vulkan, "aotc/vulkan/"}})
    for (const auto &entry : std::filesystem::directory_iterator(folder))
      if (entry.path().extension() == ".hpp")
        headers.push_back(prefix + entry.path().filename().string());
  ASSERT_FALSE(headers.empty());
  for (const VectorUnit unit : {VectorUnit::none, VectorUnit::x86, VectorUnit::arm}) {
    Bundle bundle;
    EXPECT_EQ(textOf(addShippedSources(*sources, headers, unit, bundle)), "");
    EXPECT_EQ(bundle.contains("third_party/xsimd/LICENSE"), unit != VectorUnit::none);
  }
}

} // namespace
