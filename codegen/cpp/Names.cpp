// Cleaning in one pass over the characters, uniqueness by sets. The word lists hold lower-case words only: everything
// is lower-cased before it is looked up, so NULL, EOF or INT_MAX cannot come out of here at all.
#include "codegen/cpp/Names.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

namespace aotc::codegen {

using llvm::StringRef;

static constexpr size_t longestName = 80;

// Of C up to C23 and C++ up to C++23, alternative tokens and the common GNU words included.
static constexpr const char *keywords[] = {"alignas",
                                           "alignof",
                                           "and",
                                           "and_eq",
                                           "asm",
                                           "auto",
                                           "bitand",
                                           "bitor",
                                           "bool",
                                           "break",
                                           "case",
                                           "catch",
                                           "char",
                                           "char16_t",
                                           "char32_t",
                                           "char8_t",
                                           "class",
                                           "co_await",
                                           "co_return",
                                           "co_yield",
                                           "compl",
                                           "concept",
                                           "const",
                                           "const_cast",
                                           "consteval",
                                           "constexpr",
                                           "constinit",
                                           "continue",
                                           "decltype",
                                           "default",
                                           "delete",
                                           "do",
                                           "double",
                                           "dynamic_cast",
                                           "else",
                                           "enum",
                                           "explicit",
                                           "export",
                                           "extern",
                                           "false",
                                           "final",
                                           "float",
                                           "for",
                                           "friend",
                                           "goto",
                                           "if",
                                           "import",
                                           "inline",
                                           "int",
                                           "long",
                                           "module",
                                           "mutable",
                                           "namespace",
                                           "new",
                                           "noexcept",
                                           "not",
                                           "not_eq",
                                           "nullptr",
                                           "operator",
                                           "or",
                                           "or_eq",
                                           "override",
                                           "private",
                                           "protected",
                                           "public",
                                           "register",
                                           "requires",
                                           "restrict",
                                           "return",
                                           "short",
                                           "signed",
                                           "sizeof",
                                           "static",
                                           "static_cast",
                                           "struct",
                                           "switch",
                                           "template",
                                           "static_assert",
                                           "this",
                                           "throw",
                                           "thread_local",
                                           "true",
                                           "try",
                                           "typedef",
                                           "typeid",
                                           "typename",
                                           "typeof",
                                           "union",
                                           "unsigned",
                                           "using",
                                           "virtual",
                                           "void",
                                           "volatile",
                                           "wchar_t",
                                           "while",
                                           "xor",
                                           "xor_eq",
                                           "typeof_unqual",
                                           "reinterpret_cast"};

// Macros of the standard headers, of compilers, and of libraries that an application is likely to include before ours.
static constexpr const char *macros[] = {
    "alloca",      "arm",        "assert",   "cdecl",    "complex",  "emit",      "errno",     "far",      "foreach",
    "forever",     "fpclassify", "hpux",     "huge",     "i386",     "imaginary", "interface", "isfinite", "isinf",
    "isnan",       "isnormal",   "linux",    "major",    "makedev",  "max",       "min",       "minor",    "mips",
    "near",        "nil",        "noreturn", "offsetof", "pascal",   "powerpc",   "setjmp",    "signals",  "signbit",
    "sigmask",     "slots",      "small",    "sparc",    "stderr",   "stdin",     "stdout",    "sun",      "unix",
    "unreachable", "va_arg",     "va_copy",  "va_end",   "va_start", "vax",       "verify"};

// What a namespace cannot be called because the C library has a function or an object of that name.
static constexpr const char *libraryNames[] = {
    "abort",   "abs",      "accept", "access",  "acos",    "alarm",  "asin",   "atan",     "atexit",  "atof",
    "atoi",    "basename", "bind",   "bsearch", "calloc",  "ceil",   "clock",  "close",    "connect", "cos",
    "cosh",    "daemon",   "div",    "dup",     "environ", "erf",    "exit",   "exp",      "fabs",    "floor",
    "fmax",    "fmin",     "fork",   "free",    "frexp",   "gamma",  "getenv", "getline",  "index",   "isalpha",
    "j0",      "j1",       "jn",     "kill",    "labs",    "ldexp",  "lgamma", "link",     "listen",  "log",
    "longjmp", "lrint",    "main",   "malloc",  "memcpy",  "mktime", "modf",   "nice",     "open",    "pause",
    "pipe",    "poll",     "pow",    "printf",  "putchar", "puts",   "qsort",  "raise",    "rand",    "random",
    "read",    "realloc",  "recv",   "remove",  "rename",  "rindex", "rint",   "round",    "scanf",   "select",
    "send",    "shutdown", "signal", "sin",     "sinh",    "sleep",  "socket", "sqrt",     "stat",    "strlen",
    "swab",    "symlink",  "sync",   "system",  "tan",     "tanh",   "time",   "timezone", "trunc",   "truncate",
    "unlink",  "wait",     "write",  "y0",      "y1",      "yn",     "aotc",   "std",      "posix",   "xsimd"};

template <size_t N> static bool isOneOf(StringRef word, const char *const (&list)[N]) {
  return llvm::any_of(list, [&](const char *entry) { return word == entry; });
}

static StringRef dropOutputNumber(StringRef name) {
  const auto [stem, number] = name.rsplit(':');
  return !stem.empty() && !number.empty() && llvm::all_of(number, llvm::isDigit) ? stem : name;
}

// Lower-cases; one '_' for every run of other characters and between "camel" and "Case".
static std::string toSnakeCase(StringRef name) {
  std::string result;
  bool separate = false;
  char previous = 0;
  for (char c : name) {
    if (!llvm::isAlnum(c)) {
      separate = true;
    } else {
      separate |= llvm::isUpper(c) && llvm::isLower(previous);
      if (separate && !result.empty())
        result += '_';
      result += llvm::toLower(c);
      separate = false;
    }
    previous = c;
  }
  return result;
}

// The end of a long name, from the start of a word where there is one.
static std::string keepEnd(std::string name) {
  if (name.size() <= longestName)
    return name;
  const StringRef end = StringRef(name).take_back(longestName);
  const StringRef words = end.split('_').second;
  return (words.empty() ? end : words).str();
}

std::string cleanIdentifier(StringRef name, StringRef kind) {
  std::string result = keepEnd(toSnakeCase(dropOutputNumber(name)));
  if (result.empty())
    result = kind.str();
  else if (llvm::isDigit(result.front()))
    result = (kind + "_" + result).str();
  if (isOneOf(result, keywords) || isOneOf(result, macros))
    result += '_';
  return result;
}

std::string typeIdentifier(StringRef identifier) {
  std::string result;
  bool atStart = true;
  for (char c : identifier) {
    if (c != '_')
      result += atStart ? llvm::toUpper(c) : c;
    atStart = c == '_';
  }
  return result == "I" ? "I_" : result; // <complex.h> defines I
}

std::string macroIdentifier(StringRef identifier) { return identifier.rtrim('_').upper(); }

std::string cleanModelName(StringRef fileStem) {
  std::string result = cleanIdentifier(fileStem, "model");
  return isOneOf(result, libraryNames) ? result + "_model" : result;
}

bool NameTable::take(const std::string &identifier, llvm::ArrayRef<StringRef> prefixes) {
  if (names.contains(identifier) ||
      llvm::any_of(prefixes, [&](StringRef prefix) { return names.contains((prefix + identifier).str()); }))
    return false;
  names.insert(identifier);
  for (StringRef prefix : prefixes)
    names.insert((prefix + identifier).str());
  return true;
}

std::string NameTable::takeNumbered(const std::string &base, llvm::ArrayRef<StringRef> prefixes) {
  for (unsigned &number = lastNumber.try_emplace(base, 1).first->second;;) {
    std::string identifier = base + "_" + std::to_string(++number);
    if (take(identifier, prefixes))
      return identifier;
  }
}

std::string NameTable::add(StringRef name, StringRef kind, llvm::ArrayRef<StringRef> prefixes) {
  const std::string clean = cleanIdentifier(name, kind);
  if (take(clean, prefixes))
    return clean;
  const std::string stem = StringRef(clean).rtrim('_').str();
  const std::string withKind = (stem + "_" + kind).str();
  return stem != kind && take(withKind, prefixes) ? withKind : takeNumbered(stem, prefixes);
}

std::string NameTable::addIdentifier(StringRef identifier) {
  return take(identifier.str(), {}) ? identifier.str() : takeNumbered(identifier.str(), {});
}

// Members of every Session, and the parameters of its constructors. Not taken: what has arguments where a tensor's
// accessor has none (input, output, and so on), since these are overloads.
static constexpr StringRef sessionNames[] = {"run",        "status", "threads", "state",   "model",
                                             "model_info", "arena",  "bytes",   "options", "reset"};
static constexpr StringRef namespaceTypes[] = {"Model", "Session", "SessionOptions", "Frame",
                                               "Part",  "Step",    "Status",         "Tensor"};

void assignNames(ModelDescription &model) {
  NameTable members(sessionNames), types(namespaceTypes);
  for (TensorDescription &input : model.inputs)
    input.identifier = members.add(input.onnxName, "input", {"bind_"});
  for (TensorDescription &output : model.outputs)
    output.identifier = members.add(output.onnxName, "output", {"bind_"});
  for (TensorDescription &state : model.states)
    state.identifier = members.add(state.onnxName, "state");
  for (std::vector<TensorDescription> *tensors : {&model.inputs, &model.outputs, &model.states})
    for (TensorDescription &tensor : *tensors)
      tensor.typeIdentifier = types.addIdentifier(typeIdentifier(tensor.identifier));
  for (BoundedDim &dim : model.boundedDims)
    dim.identifier = members.add(dim.onnxName, "dim", {"set_"});
}

} // namespace aotc::codegen
