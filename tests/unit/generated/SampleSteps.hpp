// Hand-written steps for the made-up model of PrintSample.cpp, included once per model. `scale` multiplies the input by
// the scale; `count` writes how many elements of the result are positive, and their positions.
extern const aotc::Step steps_test[];

namespace {

using aotc::Frame;
using aotc::Part;

void scale(const Frame &frame, Part part) {
  const float *x = frame.input<float>(0);
  const float *factors = frame.input<float>(3);
  float *y = frame.output<float>(0);
  for (int row = part.begin; row < part.end; ++row)
    for (int i = 0; i < 4; ++i)
      y[4 * row + i] = x[4 * row + i] * factors[i];
}

int scaleUnits(const Frame &frame) { return static_cast<int>(frame.extents[0]); }

void count(const Frame &frame, Part) {
  std::int64_t &found = frame.extents[2];
  found = 0;
  for (int i = 0; i < 4 * frame.extents[0]; ++i)
    if (frame.output<float>(0)[i] > 0)
      frame.output<std::int32_t>(2)[found++] = i;
  *frame.output<std::int64_t>(1) = found;
  if (*frame.input<bool>(1))
    frame.fail(aotc::Status::bound_exceeded);
}

} // namespace

const aotc::Step steps_test[] = {{scale, 8, scaleUnits}, {count, 1}};
