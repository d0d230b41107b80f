// A driver is unloaded with its last instance, and Mesa's software driver then leaves a few bytes behind that a
// sanitizer takes for ours. So the first device of the program stays.
#include "Sample.h"

#include <gtest/gtest.h>

namespace sample {

extern Device *const keptDevice; // seen from elsewhere, so that no compiler drops it
Device *const keptDevice = new Device(software());

} // namespace sample
