#include "codegen/cpp/StepFunction.h"

#include "codegen/cpp/Elements.h"
#include "codegen/cpp/Lines.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace aotc::codegen {

using llvm::StringRef;

bool mentions(StringRef text, StringRef name) {
  const auto isWord = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  for (size_t at = text.find(name); at != StringRef::npos; at = text.find(name, at + 1)) {
    const size_t end = at + name.size();
    const bool isWhole = (at == 0 || !isWord(text[at - 1])) && (end == text.size() || !isWord(text[end]));
    if (isWhole && !text.take_front(at).ends_with("::")) // a buffer may have the name of a dim: buffer::m
      return true;
  }
  return false;
}

//===-- the function ----------------------------------------------------------------------------------------------===//

StepFunction::StepFunction(const BufferTable &buffers) : buffers(buffers) {
  for (const auto &[value, dim] : buffers.dims())
    locals.addIdentifier(dim.first);
}

std::string StepFunction::pointer(const Place &place, StringRef wanted, bool isConst) {
  for (const Pointer &known : pointers)
    if (known.place == place)
      return known.name;
  const std::string name = locals.addIdentifier(wanted);
  if (place.element.isF16() || place.element.isBF16()) // loads of halves have a header of their own
    uses.insert(place.element.isF16() ? "Float16" : "BFloat16");
  pointers.push_back(
      {place, name,
       (isConst ? "const " : "") + cppType(place.element) + "* const " + name + " = " + pointerText(place) + ";"});
  return name;
}

std::string extentDeclarations(const BufferTable &buffers, StringRef text, StringRef indent, StringRef end) {
  std::string declarations;
  for (const auto &[value, dim] : buffers.dims())
    if (mentions(text, dim.first))
      declarations += (indent + "const int " + dim.first + " = static_cast<int>(f.extents[" +
                       std::to_string(dim.second) + "]);" + end)
                          .str();
  return declarations;
}

static void appendIndented(std::string &text, StringRef block) {
  llvm::SmallVector<StringRef> lines;
  block.split(lines, '\n');
  for (StringRef line : lines)
    text += line.empty() ? "\n" : ("  " + line + "\n").str();
}

std::string StepFunction::text(StringRef identifier) const {
  std::string body;
  for (const Pointer &pointer : pointers)
    appendIndented(body, pointer.declaration);
  for (const std::string &statement : statements)
    appendIndented(body, statement);
  body = extentDeclarations(buffers, body, "  ", "\n") + body;
  const std::string frame = mentions(body, "f") ? "const Frame& f" : "const Frame&";
  const std::string part = mentions(body, "part") ? "Part part" : "Part";
  return ("void " + identifier + "(" + frame + ", " + part + ") {\n" + body + "}\n").str();
}

//===-- calls and lambdas -----------------------------------------------------------------------------------------===//

// Further lines of `argument` go below its first one.
static std::string indentTail(StringRef argument, size_t column) {
  std::string text;
  for (char c : argument) {
    text += c;
    if (c == '\n')
      text += std::string(column, ' ');
  }
  return text;
}

// `[=](int i) { return x; }` with its body on a line of its own; anything else as it is.
static std::string asBlock(StringRef argument) {
  const size_t open = argument.find(") { ");
  if (!argument.starts_with("[=]") || open == StringRef::npos || !argument.ends_with(" }") || argument.contains('\n'))
    return argument.str();
  const StringRef body = argument.drop_front(open + 4).drop_back(2);
  return (argument.take_front(open + 3) + "\n  " + body + "\n}").str();
}

// Where arguments begin that do not fit behind those in front of them: below the first one, or where one is too long
// for that, all of them a little to the right of the call.
static size_t continuationColumn(StringRef function, llvm::ArrayRef<std::string> arguments, size_t endLength,
                                 unsigned indent) {
  const size_t below = function.size() + 1;
  const auto fits = [&](const std::string &argument) {
    const StringRef line = StringRef(argument).split('\n').first;
    return indent + below + line.size() + endLength <= pageWidth || asBlock(argument) != argument;
  };
  return llvm::all_of(arguments, fits) ? below : 4;
}

std::string callText(StringRef function, llvm::ArrayRef<std::string> arguments, StringRef end, unsigned indent) {
  const size_t column = continuationColumn(function, arguments, end.size(), indent);
  std::string text = (function + "(").str();
  size_t at = indent + text.size();
  for (const auto &[i, whole] : llvm::enumerate(arguments)) {
    const bool isLast = i + 1 == arguments.size();
    const StringRef separator = isLast ? end : StringRef(",");
    const bool fitsBelow = indent + column + whole.size() + separator.size() <= pageWidth;
    const std::string argument = fitsBelow ? whole : asBlock(whole);
    const StringRef firstLine = StringRef(argument).split('\n').first;
    const bool isBlock = firstLine.size() < argument.size();
    const size_t length = isBlock ? firstLine.size() : argument.size() + separator.size();
    // A lambda opens on the line of the argument before it; its body is indented from the start of that line.
    if (isBlock && isLast && i > 0 && at + 1 + length <= pageWidth) {
      const size_t lineStart = text.find('\n') == std::string::npos ? 0 : column;
      return text + " " + indentTail(argument, lineStart) + separator.str();
    }
    const bool fits = i > 0 ? at + 1 + length <= pageWidth : column == function.size() + 1;
    if (!fits) {
      text += "\n" + std::string(column, ' ');
      at = indent + column;
    } else if (i > 0) {
      text += ' ';
      ++at;
    }
    text += indentTail(argument, column) + separator.str();
    at += length;
  }
  return arguments.empty() ? text + end.str() : text;
}

std::string lambdaText(llvm::ArrayRef<std::pair<std::string, std::string>> parameters, const ExpressionBody &body) {
  const std::string result = "return " + body.results.front().text + ";";
  std::string inner = llvm::join(body.statements, "\n") + "\n" + result;
  std::string head;
  for (const auto &[type, name] : parameters)
    head += (head.empty() ? "" : ", ") + type + (mentions(inner, name) ? " " + name : "");
  // What a body without captures calls itself: nothing is pointed to, so nothing is captured.
  head = "[=](" + head + ") {";
  if (body.statements.empty() && head.size() + result.size() < pageWidth - 16)
    return head + " " + result + " }";
  std::string text = head;
  for (const std::string &statement : body.statements)
    text += "\n  " + statement;
  return text + "\n  " + result + "\n}";
}

} // namespace aotc::codegen
