// Two models in one program, both at work at the same time: side_by_side INPUT OUTPUT INPUT OUTPUT, those of `digits`
// first.
#include <thread>

bool run_digits(const char *inputPath, const char *outputPath);
bool run_anomaly(const char *inputPath, const char *outputPath);

int main(int argc, char **argv) {
  if (argc != 5)
    return 2;
  bool isRight[2] = {false, false};
  std::thread other([&] { isRight[1] = run_anomaly(argv[3], argv[4]); });
  isRight[0] = run_digits(argv[1], argv[2]);
  other.join();
  return isRight[0] && isRight[1] ? 0 : 1;
}
