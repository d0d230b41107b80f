// Knows brackets, literals, commas and comments; of C++ beyond that, only blocks and conditions on one line.
#include "codegen/cpp/Lines.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

namespace aotc::codegen {

using llvm::SmallVector;
using llvm::StringRef;

static constexpr size_t continuationIndent = 4;

static std::string blanks(size_t count) { return std::string(count, ' '); }

static size_t indentOf(StringRef line) { return line.size() - line.ltrim(' ').size(); }

std::string rulerLine(StringRef title) {
  const size_t used = title.size() + 4;
  return "// " + std::string(used < pageWidth ? pageWidth - used : 0, '-') + " " + title.str() + "\n";
}

//===-- brackets --------------------------------------------------------------------------------------------------===//

// Behind a literal that begins at `at`.
static size_t skipLiteral(StringRef text, size_t at) {
  const char quote = text[at++];
  while (at < text.size() && text[at] != quote)
    at += text[at] == '\\' ? 2 : 1;
  return std::min(at + 1, text.size());
}

// `<` opens a list of template arguments where a name is in front of it and no blank behind it.
static bool opens(StringRef text, size_t at) {
  if (text[at] != '<')
    return StringRef("([{").contains(text[at]);
  return at > 0 && (llvm::isAlnum(text[at - 1]) || text[at - 1] == '_') && at + 1 < text.size() && text[at + 1] != ' ';
}

static bool closes(char bracket, char open) {
  return (open == '(' && bracket == ')') || (open == '[' && bracket == ']') || (open == '{' && bracket == '}') ||
         (open == '<' && bracket == '>');
}

// Calls visit(at, depth) for what is outside of literals; brackets themselves have the depth around them.
static void scan(StringRef text, llvm::function_ref<void(size_t at, size_t depth)> visit) {
  SmallVector<char> open;
  for (size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '"' || (c == '\'' && (at == 0 || !llvm::isAlnum(text[at - 1])))) {
      at = skipLiteral(text, at);
      continue;
    }
    const bool isArrow = c == '>' && at > 0 && text[at - 1] == '-';
    if (!open.empty() && closes(c, open.back()) && !isArrow)
      open.pop_back();
    visit(at, open.size());
    if (opens(text, at))
      open.push_back(c);
    ++at;
  }
}

//===-- code ------------------------------------------------------------------------------------------------------===//

// What stands between blanks behind one of `ends`, each part with what it ends with: "a," "b," "c".
static SmallVector<StringRef> splitBehind(StringRef text, llvm::ArrayRef<StringRef> ends) {
  SmallVector<StringRef> parts;
  size_t begin = 0;
  scan(text, [&](size_t at, size_t depth) {
    if (depth > 0 || text[at] != ' ' || at == begin)
      return;
    const StringRef before = text.slice(begin, at);
    if (llvm::none_of(ends, [&](StringRef end) { return before.ends_with(end); }))
      return;
    parts.push_back(before);
    begin = at + 1;
  });
  if (begin < text.size())
    parts.push_back(text.drop_front(begin));
  return parts;
}

// What may stand on lines of its own: statements or arguments, else what is assigned or joined, else operands.
static SmallVector<StringRef> partsOf(StringRef text) {
  SmallVector<StringRef> parts = splitBehind(text, {",", ";"});
  if (parts.size() < 2)
    parts = splitBehind(text, {" =", " &&", " ||"});
  return parts.size() < 2 ? splitBehind(text, {" <=", " ==", " ?", " :", " %", " +", " -", " *"}) : parts;
}

// The longest text within brackets: where it begins and ends. Empty where there is none.
static std::pair<size_t, size_t> longestGroup(StringRef text) {
  std::pair<size_t, size_t> longest = {0, 0};
  size_t begin = 0;
  bool isOpen = false;
  scan(text, [&](size_t at, size_t depth) {
    if (depth > 0)
      return;
    if (isOpen && at - begin > longest.second - longest.first)
      longest = {begin, at};
    isOpen = opens(text, at);
    begin = at + 1;
  });
  return longest;
}

namespace {

// One statement as it is laid out.
class StatementFolder {
public:
  explicit StatementFolder(size_t indent) : text(blanks(indent)), indent(indent), column(indent) {}

  // `behind`: columns that follow on the same line in any case. Further lines of it begin at `start`.
  void place(StringRef code, size_t start, size_t behind) {
    if (column + code.size() + behind <= pageWidth)
      return append(code);
    SmallVector<StringRef> parts = partsOf(code);
    if (parts.size() > 1)
      return placeParts(parts, start, behind);
    auto [begin, end] = longestGroup(code);
    if (begin == end)
      return append(code); // a name that is wider than the page
    placeGroup(code, begin, end, start, behind);
  }

  std::string text;

private:
  void append(StringRef code) {
    text += code;
    column += code.size();
  }
  void breakLine(size_t start) {
    text = StringRef(text).rtrim(' ').str() + "\n" + blanks(start);
    column = start;
  }

  void placeParts(llvm::ArrayRef<StringRef> parts, size_t start, size_t behind) {
    for (const auto &[i, part] : llvm::enumerate(parts)) {
      const size_t needed = part.size() + (i + 1 == parts.size() ? behind : 0);
      const bool fits = column + 1 + needed <= pageWidth;
      const bool canBeBroken = start + needed > pageWidth && longestGroup(part).second > 0;
      if (i > 0 && (fits || canBeBroken))
        append(" ");
      else if (i > 0)
        breakLine(start);
      place(part, start, needed - part.size());
    }
  }

  void placeGroup(StringRef code, size_t begin, size_t end, size_t start, size_t behind) {
    const size_t below = indent + continuationIndent;
    append(code.take_front(begin));
    const StringRef inner = code.slice(begin, end), rest = code.drop_front(end);
    const size_t nextBracket = rest.find_first_of("([{");
    const size_t closing = nextBracket == StringRef::npos ? rest.size() + behind : nextBracket + 1;
    size_t inside = column, longest = 0;
    for (StringRef part : partsOf(inner))
      longest = std::max(longest, part.size());
    const auto fitsAt = [&](size_t from, size_t size) { return from + size + closing <= pageWidth; };
    // Few columns are left of the page, and the whole would fit on a line of its own.
    const bool isFarRight = column > pageWidth / 2 && !fitsAt(column, inner.size()) && fitsAt(below, inner.size());
    if ((!fitsAt(column, longest) || isFarRight) && below < column) {
      inside = below;
      breakLine(inside);
    }
    place(inner, inside, closing);
    place(rest, start, behind);
  }

  size_t indent, column;
};

} // namespace

// `head { statement; statement; }` as a block; false where the line is no such thing.
static bool splitBlock(StringRef line, SmallVector<std::string> &lines) {
  if (!line.ends_with("; }"))
    return false;
  size_t open = StringRef::npos;
  scan(line, [&](size_t at, size_t depth) {
    if (depth == 0 && line[at] == '{' && line.substr(at).starts_with("{ "))
      open = at;
  });
  if (open == StringRef::npos || open == 0)
    return false;
  const std::string indent = blanks(indentOf(line));
  lines.push_back(line.take_front(open + 1).str());
  const StringRef body = line.slice(open + 2, line.size() - 2);
  for (StringRef statement : splitBehind(body, {";"}))
    lines.push_back(indent + "  " + statement.str());
  lines.push_back(indent + "}");
  return true;
}

// `if (condition) statement;` as two lines.
static bool splitCondition(StringRef line, SmallVector<std::string> &lines) {
  if (!line.ltrim(' ').starts_with("if (") || !line.ends_with(";"))
    return false;
  size_t close = StringRef::npos;
  scan(line, [&](size_t at, size_t depth) {
    if (depth == 0 && line[at] == ')' && close == StringRef::npos)
      close = at;
  });
  if (close == StringRef::npos || close + 2 >= line.size())
    return false;
  lines.push_back(line.take_front(close + 1).str());
  lines.push_back(blanks(indentOf(line) + 2) + line.drop_front(close + 2).str());
  return true;
}

static std::string foldCode(StringRef line) {
  if (line.size() <= pageWidth)
    return line.str();
  SmallVector<std::string> lines;
  if (splitBlock(line, lines) || splitCondition(line, lines))
    return llvm::join(llvm::map_range(lines, [](const std::string &part) { return foldCode(part); }), "\n");
  const size_t indent = indentOf(line);
  StatementFolder folder(indent);
  folder.place(line.drop_front(indent), indent + continuationIndent, 0);
  return folder.text;
}

static std::string foldMacro(StringRef line) {
  std::string text, rest = line.str();
  while (rest.size() > pageWidth) {
    const size_t at = StringRef(rest).rfind(' ', pageWidth - 1); // a blank and a backslash follow
    if (at == StringRef::npos || at < continuationIndent)
      break;
    text += rest.substr(0, at) + " \\\n";
    rest = blanks(continuationIndent) + rest.substr(at + 1);
  }
  return text + rest;
}

//===-- comments --------------------------------------------------------------------------------------------------===//

std::string foldComment(StringRef line, StringRef prefix) {
  std::string text, rest = line.str();
  while (rest.size() > pageWidth) {
    size_t at = StringRef(rest).rfind(' ', pageWidth + 1);
    if (at == StringRef::npos || at <= prefix.size())
      at = StringRef(rest).find(' ', std::max(pageWidth, prefix.size() + 1));
    if (at == StringRef::npos)
      break;
    text += StringRef(rest).take_front(at).rtrim(' ').str() + "\n";
    rest = prefix.str() + StringRef(rest).drop_front(at).ltrim(' ').str();
  }
  return text + rest;
}

static std::string foldWholeComment(StringRef line) {
  const size_t marker = line.find_first_of("/*"), text = line.find_first_not_of("/* ");
  std::string prefix = line.take_front(std::min(text, line.size())).str();
  if (line.substr(marker).starts_with("/*"))
    prefix.assign(prefix.size(), ' ');
  return foldComment(line, prefix);
}

// Where a comment behind code begins; npos where there is none.
static size_t commentBehind(StringRef line) {
  size_t found = StringRef::npos;
  scan(line, [&](size_t at, size_t) {
    const StringRef rest = line.drop_front(at);
    if (found == StringRef::npos && at > 0 && line[at - 1] == ' ' &&
        (rest.starts_with("// ") || (rest.starts_with("/* ") && rest.ends_with("*/"))))
      found = at;
  });
  return found;
}

//===-- lines -----------------------------------------------------------------------------------------------------===//

static std::string foldLine(StringRef line) {
  const StringRef start = line.ltrim(' ');
  if (start.starts_with("//") || start.starts_with("/*") || start.starts_with("* "))
    return foldWholeComment(line);
  if (start.starts_with("#"))
    return start.starts_with("#define") ? foldMacro(line) : line.str();
  const size_t comment = commentBehind(line);
  if (comment == StringRef::npos)
    return foldCode(line);
  return foldWholeComment((blanks(indentOf(line)) + line.drop_front(comment)).str()) + "\n" +
         foldCode(line.take_front(comment).rtrim(' '));
}

std::string foldLines(StringRef text) {
  std::string result;
  while (!text.empty()) {
    auto [first, rest] = text.split('\n');
    std::string line = first.str();
    while (StringRef(line).ends_with("\\") && !StringRef(line).ltrim().starts_with("//") && !rest.empty()) {
      auto [next, more] = rest.split('\n');
      line = line.substr(0, line.size() - 1) + next.ltrim(' ').str();
      rest = more;
    }
    result += (line.size() <= pageWidth ? line : foldLine(line)) + (text.size() > first.size() ? "\n" : "");
    text = rest;
  }
  return result;
}

void printAligned(llvm::raw_ostream &os, const std::vector<std::string> &lines,
                  const std::vector<std::string> &comments) {
  size_t longest = 0, column = 0;
  for (const std::string &comment : comments)
    longest = std::max(longest, comment.size() + 5);
  for (const std::string &line : lines)
    if (line.size() + longest <= pageWidth)
      column = std::max(column, line.size());
  for (const auto &[line, comment] : llvm::zip(lines, comments)) {
    os << line;
    if (!comment.empty())
      os << std::string(std::max(column, line.size()) - line.size() + 2, ' ') << "// " << comment;
    os << "\n";
  }
}

} // namespace aotc::codegen
