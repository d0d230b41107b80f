// Columns are aligned over all rows of a namespace.
#include "codegen/cpp/Places.h"

#include "codegen/cpp/Lines.h"
#include "codegen/cpp/Text.h"

#include "llvm/ADT/STLExtras.h"

namespace aotc::codegen {

using llvm::raw_ostream;
using llvm::StringRef;

// A constant and what is said about it; columns are aligned over all rows.
struct ConstantRow {
  std::string name, value;
  std::string comment[3];
};

// The comments of the rows, each as wide as the columns need.
static std::vector<std::string> alignedComments(const std::vector<ConstantRow> &rows) {
  size_t columns[2] = {0, 0};
  for (const ConstantRow &row : rows)
    for (int i : {0, 1})
      columns[i] = std::max(columns[i], row.comment[i].size());
  std::vector<std::string> comments;
  for (const ConstantRow &row : rows) {
    std::string text;
    for (int i : {0, 1})
      text += row.comment[i] + std::string(columns[i] - row.comment[i].size() + 2, ' ');
    comments.push_back(StringRef(text + row.comment[2]).rtrim().str());
  }
  return comments;
}

static void printConstants(raw_ostream &os, StringRef scope, StringRef type, const std::vector<ConstantRow> &rows) {
  if (rows.empty())
    return;
  std::vector<std::string> lines;
  for (const ConstantRow &row : rows)
    lines.push_back(("constexpr " + type + " " + row.name + " = " + row.value + ";").str());
  os << "namespace " << scope << " {\n";
  printAligned(os, lines, alignedComments(rows));
  os << "}  // namespace " << scope << "\n\n";
}

static std::string lifetimeText(const Buffer &buffer) {
  const std::string first = std::to_string(buffer.firstStep), last = std::to_string(buffer.lastStep);
  return first == last ? first : first + "-" + last;
}

// The buffer that the last reader of `buffer` writes to the same place.
static const Buffer *successorInPlace(const Buffer &buffer, const llvm::DenseMap<int, const Buffer *> &byWriter) {
  const Buffer *next = byWriter.lookup(buffer.lastStep);
  const bool inPlace =
      next && next != &buffer && next->offsetBytes == buffer.offsetBytes && buffer.writer < next->writer;
  return inPlace ? next : nullptr;
}

// What becomes of a buffer's memory without another buffer taking its place in between.
static std::string reuseText(const Buffer &buffer, const llvm::DenseMap<int, const Buffer *> &byWriter) {
  if (const Buffer *next = successorInPlace(buffer, byWriter))
    return next->identifier + " is computed in its place";
  if (buffer.rewriter >= 0)
    return "step " + std::to_string(buffer.rewriter) + " computes in place";
  return "";
}

static void printBuffers(raw_ostream &os, BufferTable &buffers) {
  llvm::DenseMap<int, const Buffer *> byWriter;
  for (const Buffer &buffer : buffers.all())
    if (buffer.writer >= 0)
      byWriter[buffer.writer] = &buffer;
  std::vector<ConstantRow> rows;
  for (const Buffer &buffer : buffers.all()) {
    if ((buffer.kind != Buffer::Kind::Arena && buffer.kind != Buffer::Kind::Scratch) || buffer.firstStep < 0)
      continue;
    rows.push_back({buffer.identifier,
                    std::to_string(buffer.offsetBytes),
                    {buffer.shape, lifetimeText(buffer), reuseText(buffer, byWriter)}});
  }
  if (rows.empty())
    return;
  os << rulerLine("buffers (bytes from the start of the arena; live steps)");
  printConstants(os, "buffer", "std::size_t", rows);
}

static void printWeights(raw_ostream &os, BufferTable &buffers) {
  std::vector<ConstantRow> rows;
  for (const Buffer &buffer : buffers.all())
    if (buffer.kind == Buffer::Kind::Weight)
      rows.push_back({buffer.identifier, std::to_string(buffer.offsetBytes), {buffer.shape, "", ""}});
  if (rows.empty())
    return;
  os << rulerLine("weights (bytes from the start)");
  printConstants(os, "weight", "std::size_t", rows);
}

static void printNumbers(raw_ostream &os, const ModelDescription &model) {
  for (bool isInput : {true, false}) {
    std::vector<ConstantRow> rows;
    for (const TensorDescription &tensor : isInput ? model.inputs : model.outputs)
      rows.push_back({tensor.identifier, std::to_string(rows.size()), {shapeText(model, tensor), "", ""}});
    printConstants(os, isInput ? "input" : "output", "int", rows);
  }
}

void printPlaces(raw_ostream &os, const ModelDescription &model, BufferTable &buffers) {
  printNumbers(os, model);
  printWeights(os, buffers);
  printBuffers(os, buffers);
}

} // namespace aotc::codegen
