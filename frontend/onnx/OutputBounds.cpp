#include "frontend/onnx/OutputBounds.h"

using namespace aotc::frontend;
using llvm::StringRef;

std::optional<std::pair<std::string, int64_t>> aotc::frontend::splitOutputBound(StringRef flag) {
  auto [name, number] = flag.rsplit('=');
  int64_t most = 0;
  if (name.empty() || number.getAsInteger(10, most) || most < 0 || most > INT32_MAX)
    return std::nullopt;
  return std::pair(name.str(), most);
}

OutputBounds::OutputBounds(llvm::ArrayRef<std::string> flags) {
  for (const std::string &flag : flags)
    if (auto bound = splitOutputBound(flag))
      bounds[bound->first] = {bound->second};
}

std::optional<int64_t> OutputBounds::find(const std::string &name) const {
  auto place = bounds.find(name);
  if (place == bounds.end())
    return std::nullopt;
  place->second.isUsed = true;
  return place->second.most;
}

bool OutputBounds::checkAllUsed(Diagnostics &diagnostics) const {
  bool good = true;
  for (const auto &[name, bound] : bounds)
    if (!bound.isUsed) {
      diagnostics.error("'--output-bound': no tensor " + quoted(name) + " has an extent that is found at run time",
                        ErrorClass::usage);
      good = false;
    }
  return good;
}
