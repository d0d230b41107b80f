// Small models for the tests of the front end, written as protobuf text.
#pragma once

#include "frontend/onnx/Diagnostics.h"
#include "frontend/onnx/Graph.h"

#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <string>

namespace aotc::frontend {

/// `graph { … }` with IR version 8 and one operator set in front.
inline onnx::ModelProto modelFromText(const std::string &graph, int opset = 17, int irVersion = 8) {
  onnx::ModelProto model;
  std::string text =
      "ir_version: " + std::to_string(irVersion) + " opset_import { version: " + std::to_string(opset) + " } " + graph;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &model)) << text;
  return model;
}

/// `input { … }`: a float32 tensor, each dim a number or a symbol.
inline std::string valueText(const std::string &field, const std::string &name, const std::vector<std::string> &dims,
                             int elementType = 1) {
  std::string text =
      field + " { name: \"" + name + "\" type { tensor_type { elem_type: " + std::to_string(elementType) + " shape {";
  for (const std::string &dim : dims) {
    bool isNumber = !dim.empty() && dim.find_first_not_of("-0123456789") == std::string::npos;
    text += isNumber ? " dim { dim_value: " + dim + " }" : " dim { dim_param: \"" + dim + "\" }";
  }
  return text + " } } } } ";
}

/// `node { … }` in the default domain. `more` holds attributes.
inline std::string nodeText(const std::string &op, const std::vector<std::string> &inputs,
                            const std::vector<std::string> &outputs, const std::string &more = "") {
  std::string text = "node { op_type: \"" + op + "\" name: \"" + op + "_node\"";
  for (const std::string &name : inputs)
    text += " input: \"" + name + "\"";
  for (const std::string &name : outputs)
    text += " output: \"" + name + "\"";
  return text + " " + more + " } ";
}

/// Collects what is printed.
struct Messages {
  Messages() : stream(text), diagnostics("model.onnx", stream) {}

  std::string text;
  llvm::raw_string_ostream stream;
  Diagnostics diagnostics;
};

/// `text` holds `part`; gtest prints both otherwise.
#define EXPECT_CONTAINS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

} // namespace aotc::frontend
