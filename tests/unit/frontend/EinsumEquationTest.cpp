// Which dimensions an Einsum's equation makes one.
#include "frontend/onnx/EinsumEquation.h"

#include "ModelText.h"

using namespace aotc::frontend;

namespace {

/// The labels, those of ellipses as digits: "bij,bjk->bik".
std::string read(const std::string &text, const std::vector<int64_t> &ranks) {
  EinsumEquation equation;
  std::string error = equation.parse(text, ranks);
  if (!error.empty())
    return error;
  auto append = [](std::string &to, const Labels &labels) {
    for (int64_t label : labels)
      to += static_cast<char>(label < ellipsisLabel ? label : '0' + label - ellipsisLabel);
  };
  std::string result;
  for (const Labels &labels : equation.operands) {
    result += result.empty() ? "" : ",";
    append(result, labels);
  }
  append(result += "->", equation.result);
  return result;
}

TEST(EinsumEquationTest, NamesEveryDimension) {
  EXPECT_EQ(read("bij, bjk -> bik", {3, 3}), "bij,bjk->bik");
  EXPECT_EQ(read("ii->i", {2}), "ii->i");
  EXPECT_EQ(read("ij->", {2}), "ij->");
}

TEST(EinsumEquationTest, ImpliesWhatComesOnceInAlphabeticalOrder) {
  EXPECT_EQ(read("kj,ji", {2, 2}), "kj,ji->ik");
  EXPECT_EQ(read("ii", {2}), "ii->");
  EXPECT_EQ(read("b...a", {4}), "b01a->01ab");
}

TEST(EinsumEquationTest, EllipsesAreAlignedAtTheirEnds) {
  EXPECT_EQ(read("...ij,...jk->...ik", {4, 3}), "01ij,1jk->01ik");
  EXPECT_EQ(read("i...,...j->...ij", {1, 3}), "i,01j->01ij");
}

TEST(EinsumEquationTest, SaysWhatIsWrong) {
  EXPECT_CONTAINS(read("ij->i", {3}), "the term 'ij' must name 3 dimensions");
  EXPECT_CONTAINS(read("ijk->i", {2}), "the term 'ijk' must name 2 dimensions");
  EXPECT_CONTAINS(read("ij,jk->ik", {2}), "must have 1 terms, found 2");
  EXPECT_CONTAINS(read("i1->i", {2}), "letters and at most one ellipsis, found 'i1'");
  EXPECT_CONTAINS(read("......->", {2}), "letters and at most one ellipsis");
  EXPECT_CONTAINS(read("ij->ik", {2}), "must name dimensions of the terms, each once, found 'ik'");
  EXPECT_CONTAINS(read("ij->ii", {2}), "each once, found 'ii'");
  EXPECT_CONTAINS(read("...i->i", {2}), "must have an ellipsis");
}

} // namespace
