// Runs the checks of c_interface.c.
#include <gtest/gtest.h>

extern "C" {
int c_use_heap(void);
int c_use_arena(void);
int c_use_no_heap(void);
int c_ask(void);
}

namespace {

TEST(GeneratedCTest, ObjectsOnTheHeap) { EXPECT_EQ(c_use_heap(), 0) << "the line in c_interface.c"; }
TEST(GeneratedCTest, ArenaOfTheCaller) { EXPECT_EQ(c_use_arena(), 0) << "the line in c_interface.c"; }
TEST(GeneratedCTest, NoHeapAtAll) { EXPECT_EQ(c_use_no_heap(), 0) << "the line in c_interface.c"; }
TEST(GeneratedCTest, AnswersQuestions) { EXPECT_EQ(c_ask(), 0) << "the line in c_interface.c"; }

} // namespace
