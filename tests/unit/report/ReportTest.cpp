// What the reports say about a small model.
#include "codegen/report/Report.h"

#include "llvm/Support/JSON.h"

#include <gtest/gtest.h>

#include <limits>

using namespace aotc::codegen;

namespace {

Report small() {
  Report report;
  report.toolVersion = "0.1.0";
  report.model = "net";
  report.summary = "a <small> net";
  report.target = "x86-64";
  report.levels = {"v4", "v3"};
  report.maxThreads = 8;
  report.macs = 1500;
  report.weightsBytes = 2048;
  report.arenaBytes = 306;
  report.peakBytes = 300;
  report.lowerBoundBytes = 240;
  report.inputs = {{"image", "in\xff:0", "f32", {"batch", "8"}}};
  report.outputs = {{"result", "out", "f32", {"batch"}}};
  report.dims = {{"batch", 1, 4}};
  report.steps = {{"conv", {{"c\"1", "Conv"}, {"", "Relu"}}, "conv2d", "[8] -> [8]", 1500, "f16"},
                  {"sum", {}, "loops", "", 0}};
  report.buffers = {{"image", "[4,8]", 0, 128, -1, 0}, {"relu", "[4,8]", 128, 172, 0, 1}};
  return report;
}

TEST(Report, JsonHasFixedOrderAndRatios) {
  const std::string text = printReportJson(small());
  EXPECT_EQ(text.find("{\n  \"tool\": \"aotc\",\n  \"version\": \"0.1.0\",\n  \"model\": \"net\",\n"), 0u);
  EXPECT_LT(text.find("\"totals\""), text.find("\"inputs\""));
  EXPECT_LT(text.find("\"steps\": ["), text.find("\"buffers\": ["));
  EXPECT_NE(text.find("\"arena_over_peak\": 1.0200,\n    \"peak_over_lower_bound\": 1.2500"), std::string::npos);
  EXPECT_NE(text.find("\"gap_bytes\": 6"), std::string::npos);
}

TEST(Report, JsonIsValidWhateverTheNames) {
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(printReportJson(small()));
  ASSERT_TRUE(bool(value));
  const llvm::json::Object &object = *value->getAsObject();
  EXPECT_EQ(object.getObject("totals")->getInteger("macs"), 1500);
  const llvm::json::Object &input = *object.getArray("inputs")->front().getAsObject();
  EXPECT_EQ((*input.getArray("shape"))[0].getAsString(), "batch");
  EXPECT_EQ((*input.getArray("shape"))[1].getAsInteger(), 8);
  EXPECT_EQ(object.getArray("buffers")->size(), 2u);
  EXPECT_EQ(object.getArray("steps")->front().getAsObject()->getString("weights"), "f16");
}

TEST(Report, QuantizationIsThereWhereThereIsOne) {
  Report report = small();
  EXPECT_EQ(printReportJson(report).find("\"quantization\""), std::string::npos);
  EXPECT_EQ(printReportHtml(report).find("<h2>Quantization</h2>"), std::string::npos);
  report.quantization = {"int8", "mse", 100, {{{"c<1", "Conv"}, "i8", "u8", -0.5, 4.6, 0.02, 25, 31.256}}, {}};
  report.quantization.layers.push_back(
      {{"exact", "Conv"}, "f32", "f32", 0, 0, 0, 0, std::numeric_limits<double>::infinity()});
  const std::string text = printReportJson(report), page = printReportHtml(report);
  EXPECT_NE(text.find("\"method\": \"mse\",\n    \"samples\": 100,"), std::string::npos);
  EXPECT_NE(text.find("\"scale\": 0.02,\n        \"zero_point\": 25,\n        \"signal_to_noise_db\": 31.26"),
            std::string::npos);
  EXPECT_NE(text.find("\"type\": \"f32\",\n        \"signal_to_noise_db\": \"exact\""), std::string::npos);
  EXPECT_TRUE(bool(llvm::json::parse(text)));
  EXPECT_NE(page.find("c&lt;1"), std::string::npos);
  EXPECT_NE(page.find("-0.5 to 4.6"), std::string::npos);
}

TEST(Report, CountsWhatADeviceIsGiven) {
  Report report = small();
  EXPECT_EQ(printReportJson(report).find("\"gpu\""), std::string::npos);
  report.target = "vulkan";
  report.levels.clear();
  report.gpu = {2, 5, 3, {"shaderInt64"}};
  EXPECT_NE(printReportJson(report).find("\"shaders\": 2,\n    \"dispatches\": 5,\n    \"barriers\": 3,\n"
                                         "    \"features\": [\n      \"shaderInt64\"\n    ]\n"),
            std::string::npos);
  EXPECT_NE(printReportHtml(report).find(" for vulkan.</p>"), std::string::npos);
}

TEST(Report, RatiosOfNothingAreNull) {
  EXPECT_NE(printReportJson({}).find("\"arena_over_peak\": null"), std::string::npos);
  EXPECT_NE(printReportHtml({}).find("</html>"), std::string::npos);
}

TEST(Report, PeakCountsSharedBytesOnce) {
  EXPECT_EQ(peakOf({}), 0u);
  EXPECT_EQ(peakOf({{"a", "", 0, 100, 0, 1}, {"b", "", 100, 50, 1, 2}, {"c", "", 0, 120, 2, 2}}), 150u);
  EXPECT_EQ(peakOf({{"a", "", 0, 100, 0, 3}, {"in_place", "", 0, 100, 3, 4}, {"slice", "", 50, 60, 3, 3}}), 110u);
}

TEST(Report, HtmlEscapesAndNeedsNothingElse) {
  const std::string text = printReportHtml(small());
  EXPECT_NE(text.find("a &lt;small&gt; net"), std::string::npos);
  EXPECT_NE(text.find("Conv &quot;c&quot;1&quot; + Relu"), std::string::npos);
  for (const char *outside : {"http:", "https:", "src=", "href=", "url(", "<script"})
    EXPECT_EQ(text.find(outside), std::string::npos) << outside;
}

TEST(Report, PictureHasARectanglePerBuffer) {
  const std::string text = printArenaPicture(small());
  size_t rectangles = 0;
  for (size_t at = 0; (at = text.find("<rect", at)) != std::string::npos; ++at)
    ++rectangles;
  EXPECT_EQ(rectangles, 2u);
  EXPECT_NE(text.find("<title>image [4,8]\n128 B at 0, steps -1 to 0</title>"), std::string::npos);
}

TEST(Report, SizesAreReadable) {
  EXPECT_EQ(bytesText(0), "0 B");
  EXPECT_EQ(bytesText(1023), "1023 B");
  EXPECT_EQ(bytesText(152448), "149 KiB");
  EXPECT_EQ(bytesText(1536), "1.50 KiB");
  EXPECT_EQ(bytesText(46800000), "44.6 MiB");
}

} // namespace
