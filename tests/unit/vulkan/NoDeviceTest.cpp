// Run where no driver is: VK_ICD_FILENAMES points nowhere.
#include "Sample.h"

#include <gtest/gtest.h>

namespace {

using aotc::Status;
using namespace sample;

TEST(NoDeviceTest, SaysSo) {
  EXPECT_EQ(Device().status(), Status::device_missing);
  Sample sample;
  const ModelState model = sample.make(DeviceOptions());
  EXPECT_EQ(model.status(), Status::device_missing);
  EXPECT_EQ(model.missing(), nullptr);
  Session session(model, {});
  EXPECT_EQ(session.run(), Status::device_missing);
  EXPECT_STREQ(aotc::status_text(session.status()), "no suitable device was found");
}

} // namespace
