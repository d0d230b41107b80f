// What a template may hold, and what it must not.
#include "codegen/bundle/Template.h"

#include <gtest/gtest.h>

using namespace aotc::codegen;

namespace {

std::string fill(llvm::StringRef text, const std::map<std::string, std::string> &values) {
  llvm::Expected<std::string> result = fillTemplate("t.in", text, values);
  return result ? *result : "error: " + llvm::toString(result.takeError());
}

TEST(Template, ReplacesEveryPlaceholder) {
  EXPECT_EQ(fill("a @NAME@@NAME@ @K_2@", {{"NAME", "x"}, {"K_2", "@NAME@"}}), "a xx @NAME@");
}

TEST(Template, LeavesOtherAtSignsAlone) {
  const std::string text = "me@home.org @ @lower@ @@ @1A@ end@";
  EXPECT_EQ(fill(text, {}), text);
  EXPECT_EQ(fill("@a@B@c@", {{"B", "-"}}), "@a-c@");
}

TEST(Template, RefusesMissingAndUnknownValues) {
  EXPECT_EQ(fill("@NAME@", {}), "error: t.in: placeholder '@NAME@' has no value");
  EXPECT_EQ(fill("text", {{"NAME", "x"}}), "error: t.in: has no placeholder '@NAME@'");
}

} // namespace
