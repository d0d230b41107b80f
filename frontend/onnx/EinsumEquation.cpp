#include "frontend/onnx/EinsumEquation.h"

#include "frontend/onnx/Diagnostics.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <map>

using namespace aotc::frontend;
using llvm::StringRef;

namespace {

/// The letters of a term, one label each, and where its ellipsis stands.
struct Term {
  Labels labels;
  bool hasEllipsis = false;
  size_t ellipsisAt = 0;

  bool parse(StringRef text);
  Labels withEllipsis(int64_t first, int64_t count) const;
};

bool Term::parse(StringRef text) {
  while (!text.empty()) {
    if (text.consume_front("...")) {
      if (hasEllipsis)
        return false;
      hasEllipsis = true;
      ellipsisAt = labels.size();
    } else if (llvm::isAlpha(text.front())) {
      labels.push_back(text.front());
      text = text.drop_front();
    } else {
      return false;
    }
  }
  return true;
}

/// Dimensions `first` … of all that ellipses stand for, in the ellipsis' place.
Labels Term::withEllipsis(int64_t first, int64_t count) const {
  Labels result(labels.begin(), labels.begin() + ellipsisAt);
  for (int64_t i = 0; i < count; ++i)
    result.push_back(ellipsisLabel + first + i);
  result.append(labels.begin() + ellipsisAt, labels.end());
  return result;
}

/// What comes once, in alphabetical order.
Labels impliedResult(llvm::ArrayRef<Term> terms) {
  std::map<int64_t, int> counts;
  for (const Term &term : terms)
    for (int64_t label : term.labels)
      ++counts[label];
  Labels result;
  for (auto [label, count] : counts)
    if (count == 1)
      result.push_back(label);
  return result;
}

} // namespace

std::string aotc::frontend::labelText(int64_t label) {
  return label >= ellipsisLabel ? std::string("...") : std::string(1, static_cast<char>(label));
}

std::string EinsumEquation::parse(StringRef text, llvm::ArrayRef<int64_t> ranks) {
  std::string dense;
  llvm::copy_if(text, std::back_inserter(dense), [](char c) { return !llvm::isSpace(c); });
  auto [left, right] = StringRef(dense).split("->");
  bool isExplicit = StringRef(dense).contains("->");
  llvm::SmallVector<StringRef> parts;
  left.split(parts, ',');
  if (parts.size() != ranks.size())
    return "the equation " + quoted(text) + " must have " + std::to_string(ranks.size()) + " terms, found " +
           std::to_string(parts.size());
  llvm::SmallVector<Term, 2> terms(parts.size());
  llvm::SmallVector<int64_t> hidden; // behind the ellipsis of each term
  Term result;
  for (auto [part, term, rank] : llvm::zip(parts, terms, ranks)) {
    if (!term.parse(part))
      return "a term of the equation must consist of letters and at most one ellipsis, found " + quoted(part);
    hidden.push_back(rank - static_cast<int64_t>(term.labels.size()));
    if (hidden.back() < 0 || (hidden.back() > 0 && !term.hasEllipsis))
      return "the term " + quoted(part) + " must name " + std::to_string(rank) + " dimensions";
  }
  if (!result.parse(right))
    return "the result of the equation must consist of letters and at most one ellipsis, found " + quoted(right);
  int64_t most = *std::max_element(hidden.begin(), hidden.end());
  for (auto [term, count] : llvm::zip(terms, hidden))
    operands.push_back(term.withEllipsis(most - count, count));
  if (!isExplicit) {
    result.labels = impliedResult(terms);
    result.hasEllipsis = true;
  }
  if (most > 0 && !result.hasEllipsis)
    return "the result of the equation must have an ellipsis, since a term has one";
  this->result = result.withEllipsis(0, result.hasEllipsis ? most : 0);
  for (int64_t label : this->result)
    if (llvm::count(this->result, label) != 1 ||
        llvm::none_of(operands, [&](const Labels &labels) { return llvm::is_contained(labels, label); }))
      return "the result of the equation must name dimensions of the terms, each once, found " + quoted(right);
  return "";
}
