// Lines that are too long, folded.
#include "codegen/cpp/Lines.h"

#include <gtest/gtest.h>

namespace {

using namespace aotc::codegen;

std::string name(size_t size) { return std::string(size, 'n'); }

TEST(LinesTest, LeavesAloneWhatFits) {
  const std::string text = "int x = f(a, b);  // c\n\n// " + name(117) + "\n#include <x>";
  EXPECT_EQ(foldLines(text), text);
}

TEST(LinesTest, BreaksBehindCommasAndContinuesBelowTheBracket) {
  EXPECT_EQ(foldLines("  void f(" + name(70) + ", " + name(40) + ", int c);\n"),
            "  void f(" + name(70) + ",\n         " + name(40) + ", int c);\n");
}

TEST(LinesTest, KeepsInnerCallsWholeWhereTheyFit) {
  EXPECT_EQ(foldLines("f(" + name(100) + ", g<int>(a, b), " + name(10) + ");"),
            "f(" + name(100) + ", g<int>(a, b),\n  " + name(10) + ");");
}

TEST(LinesTest, ContinuesByFourColumnsWhereTheBracketIsTooFarRight) {
  EXPECT_EQ(foldLines("    " + name(70) + "(" + name(60) + ", b);"),
            "    " + name(70) + "(\n        " + name(60) + ", b);");
}

TEST(LinesTest, GivesALineOfItsOwnToWhatWouldStandFarRight) {
  EXPECT_EQ(foldLines("      " + name(90) + "{{}, {}, {}, " + name(15) + "});"),
            "      " + name(90) + "{\n          {}, {}, {}, " + name(15) + "});");
}

TEST(LinesTest, BreaksBehindAssignments) {
  EXPECT_EQ(foldLines("  const float* const x = f.at<float>(buffer::" + name(90) + ");"),
            "  const float* const x =\n      f.at<float>(buffer::" + name(90) + ");");
}

TEST(LinesTest, BreaksBehindOperatorsWhereThereIsNothingElse) {
  EXPECT_EQ(foldLines("static_assert(sizeof(" + name(60) + ") <= " + name(60) + ");"),
            "static_assert(sizeof(" + name(60) + ") <=\n              " + name(60) + ");");
}

TEST(LinesTest, PutsBlocksAndConditionsOnLinesOfTheirOwn) {
  EXPECT_EQ(foldLines("int f() { return " + name(110) + "; }"), "int f() {\n  return " + name(110) + ";\n}");
  EXPECT_EQ(foldLines("  if (a < b) return " + name(110) + ";"), "  if (a < b)\n    return " + name(110) + ";");
}

TEST(LinesTest, PutsCommentsBehindCodeAboveIt) {
  EXPECT_EQ(foldLines("  int " + name(50) + " = 1;  // " + name(70)),
            "  // " + name(70) + "\n  int " + name(50) + " = 1;");
}

TEST(LinesTest, BreaksCommentsAtBlanks) {
  EXPECT_EQ(foldLines("  //   " + name(60) + " " + name(70)), "  //   " + name(60) + "\n  //   " + name(70));
  EXPECT_EQ(foldLines("/* " + name(60) + " " + name(70) + " */"), "/* " + name(60) + "\n   " + name(70) + " */");
}

TEST(LinesTest, ContinuesMacrosByBackslashes) {
  EXPECT_EQ(foldLines("#define A(b) (" + name(70) + " + " + name(50) + ")"),
            "#define A(b) (" + name(70) + " + \\\n    " + name(50) + ")");
}

TEST(LinesTest, TakesJoinedLinesAsOne) {
  EXPECT_EQ(foldLines("void f(int a, \\\n       int b);\n"), "void f(int a, int b);\n");
  EXPECT_EQ(foldLines("// c \\\nint x;\n"), "// c \\\nint x;\n");
}

TEST(LinesTest, SeesNoBracketsInLiteralsAndArrows) {
  EXPECT_EQ(foldLines("f(\"(\", a->b, '[', " + name(90) + ", " + name(20) + ");"),
            "f(\"(\", a->b, '[', " + name(90) + ",\n  " + name(20) + ");");
}

} // namespace
