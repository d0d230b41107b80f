#include "codegen/cpp/Layouts.h"

#include "codegen/cpp/Lines.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace aotc::codegen {

using llvm::StringRef;

static bool isConstant(const LayoutField &field) {
  return llvm::all_of(field.values, [](const Count &value) { return value.isConstant(); });
}

static const LayoutField *find(const std::vector<LayoutField> &fields, StringRef name) {
  auto field = llvm::find_if(fields, [&](const LayoutField &entry) { return entry.name == name; });
  return field == fields.end() ? nullptr : &*field;
}

//===-- text of members -------------------------------------------------------------------------------------------===//

// A distance as a product of smaller ones, which tells what it is made of: `out_row = 34 * 16` where out_pixel is 16.
static std::string distanceText(const std::vector<LayoutField> &fields, const LayoutField &field) {
  const int64_t value = field.values.front().bound();
  const auto inner = [&](StringRef end, const char *smaller) -> const LayoutField * {
    StringRef name = field.name;
    return name.consume_back(end) ? find(fields, name.str() + smaller) : nullptr;
  };
  const LayoutField *part = inner("image", "row");
  part = part ? part : inner("row", "pixel");
  if (!part || !isConstant(*part))
    return std::to_string(value);
  const int64_t factor = part->values.front().bound();
  if (factor < 2 || value % factor != 0 || value == factor)
    return std::to_string(value);
  return std::to_string(value / factor) + " * " + distanceText(fields, *part);
}

static std::string valuesText(const LayoutField &field) {
  return "{" + llvm::join(llvm::map_range(field.values, [](const Count &value) { return value.text(); }), ", ") + "}";
}

static std::string declarator(const std::vector<LayoutField> &fields, const LayoutField &field) {
  if (!isConstant(field))
    return field.isArray ? field.name + "[" + std::to_string(field.values.size()) + "]" : field.name;
  if (field.isArray)
    return field.name + "[] = " + valuesText(field);
  return field.name + " = " + distanceText(fields, field);
}

// Declarations of one kind, as many to a line as fit.
static void printMembers(llvm::raw_ostream &os, StringRef start, const std::vector<std::string> &declarators) {
  std::string line;
  for (const std::string &text : declarators) {
    if (!line.empty() && line.size() + 2 + text.size() + 1 > pageWidth) {
      os << line << ";\n";
      line.clear();
    }
    line += line.empty() ? ("  " + start + text).str() : ", " + text;
  }
  if (!line.empty())
    os << line << ";\n";
}

//===-- comments --------------------------------------------------------------------------------------------------===//

static std::string valueText(const std::vector<LayoutField> &fields, StringRef name) {
  const LayoutField *field = find(fields, name);
  return field ? field->values.front().text() : "";
}

// "a -> b", or "a" where they are the same.
static std::string change(const std::string &from, const std::string &to) {
  return from == to ? from : from + " -> " + to;
}

// `3x3 / 2, 16 -> 32, 32x32 -> 16x16` for windows, `64 -> 10` for products; empty for others.
static std::string summary(const std::vector<LayoutField> &fields) {
  const auto value = [&](StringRef name) { return valueText(fields, name); };
  if (find(fields, "kernel_h")) {
    const std::string stride =
        value("stride_h") == value("stride_w") ? value("stride_h") : value("stride_h") + "x" + value("stride_w");
    return value("kernel_h") + "x" + value("kernel_w") + (stride == "1" ? "" : " / " + stride) + ", " +
           change(value("in_channels"), value("out_channels")) + ", " +
           change(value("in_h") + "x" + value("in_w"), value("out_h") + "x" + value("out_w"));
  }
  if (find(fields, "k") && find(fields, "n"))
    return (value("m") == "1" ? "" : value("m") + " rows, ") + value("k") + " -> " + value("n");
  return "";
}

// "conv2d_2, conv2d_3 and 4 more", as many names as `room` columns hold, but one in any case.
static std::string list(llvm::ArrayRef<std::string> names, size_t room) {
  constexpr size_t most = 4;
  const auto text = [&](size_t count) {
    const size_t more = names.size() - count;
    return llvm::join(names.take_front(count), ", ") + (more ? " and " + std::to_string(more) + " more" : "");
  };
  size_t count = std::min(names.size(), most);
  while (count > 1 && text(count).size() > room)
    --count;
  return text(count);
}

// What is said behind "struct Conv2d1 {", which is as long as `used`.
static std::string comment(const std::vector<LayoutField> &fields, llvm::ArrayRef<std::string> steps,
                           bool isNamedByStep, size_t used) {
  std::string text = summary(fields);
  if (isNamedByStep)
    steps = steps.drop_front();
  if (steps.empty())
    return text;
  text += (text.empty() ? "" : "; ") + std::string(isNamedByStep ? "also " : "of ");
  used += text.size();
  return text + list(steps, used < pageWidth ? pageWidth - used : 0);
}

//===-- the table -------------------------------------------------------------------------------------------------===//

static std::string key(const std::vector<LayoutField> &fields) {
  std::string text;
  for (const LayoutField &field : fields)
    text +=
        field.name + (isConstant(field) ? "=" + valuesText(field) : "[" + std::to_string(field.values.size()) + "]");
  return text;
}

// "Map48x384": what runs over 48 by 384 elements; an extent that only the run knows is an N.
static std::string nameOf(StringRef kind, const std::vector<LayoutField> &fields) {
  const LayoutField *extent = find(fields, "extent");
  if (!extent)
    return (kind + "1").str();
  const auto text = [](const Count &count) { return count.isConstant() ? std::to_string(count.bound()) : "N"; };
  return kind.str() + llvm::join(llvm::map_range(extent->values, text), "x");
}

LayoutUse LayoutTable::use(std::vector<LayoutField> fields, StringRef step, StringRef kind) {
  const bool constant = llvm::all_of(fields, isConstant);
  std::string object, atBound;
  for (const LayoutField &field : fields) {
    if (isConstant(field))
      continue;
    const auto bound = [](const Count &value) { return std::to_string(value.bound()); };
    const std::string bounds = llvm::join(llvm::map_range(field.values, bound), ", ");
    object += (object.empty() ? "" : ", ") + (field.isArray ? valuesText(field) : field.values.front().text());
    atBound += (atBound.empty() ? "" : ", ") + (field.isArray ? "{" + bounds + "}" : bounds);
  }
  Layout *&layout = byText[key(fields)];
  if (!layout) {
    const std::string name = kind.empty() ? typeIdentifier(step) : nameOf(kind, fields);
    layout = &layouts.emplace_back(Layout{names.addIdentifier(name), std::move(fields), kind.empty(), {}});
  }
  layout->steps.push_back(step.str());
  return {layout->identifier + "{" + object + "}", layout->identifier + "{" + atBound + "}", constant};
}

void LayoutTable::print(llvm::raw_ostream &os) const {
  for (const Layout &layout : layouts) {
    const std::string start = "struct " + layout.identifier + " {";
    const std::string text = comment(layout.fields, layout.steps, layout.isNamedByStep, start.size() + 5);
    os << start << (text.empty() ? "" : "  // " + text) << "\n";
    std::vector<std::string> constants, variables;
    for (const LayoutField &field : layout.fields)
      (isConstant(field) ? constants : variables).push_back(declarator(layout.fields, field));
    printMembers(os, "static constexpr int ", constants);
    printMembers(os, "int ", variables);
    os << "};\n";
  }
}

} // namespace aotc::codegen
