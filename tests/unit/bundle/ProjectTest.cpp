// The templates of this tree fit the values that addProject() has for them.
#include "codegen/bundle/Project.h"

#include "TestFolder.h"

using namespace aotc::codegen;

namespace {

class ProjectTest : public TestFolder {};

TEST_F(ProjectTest, FillsAllTemplates) {
  llvm::Expected<ShippedSources> sources = findShippedSources("/nowhere/bin/aotc");
  ASSERT_TRUE(bool(sources));
  Bundle bundle;
  ASSERT_EQ(textOf(addProject(*sources, {"net_", "NET", "1.2.3", "native", false, true}, bundle)), "");
  ASSERT_EQ(textOf(bundle.write(at("out"), {})), "");
  EXPECT_EQ(list("out"),
            (std::vector<std::string>{"CMakeLists.txt", "MANIFEST.json", "cmake", "cmake/aotc_model.cmake", "tools",
                                      "tools/bench.cpp", "tools/npy.hpp", "tools/run.cpp", "tools/session.hpp"}));
  const std::string project = get("out/CMakeLists.txt");
  EXPECT_NE(project.find("project(net_ VERSION 1.2.3 "), std::string::npos);
  EXPECT_NE(project.find("TARGET native WEIGHTS file"), std::string::npos);
  EXPECT_NE(project.find("set(threads OFF)"), std::string::npos);
  EXPECT_NE(get("out/tools/run.cpp").find("net__run(session.get())"), std::string::npos);
  EXPECT_NE(get("out/tools/session.hpp").find("NET_ABI"), std::string::npos);
}

} // namespace
