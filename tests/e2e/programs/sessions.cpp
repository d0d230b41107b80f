// Two sessions of one model at the same time, each with threads of its own. Compiled once per model of a program, with
// the model's name as MODEL and its header as HEADER: models of two versions of aotc share no header, and no source
// file.
#include HEADER

#include <cstring>
#include <fstream>
#include <thread>
#include <vector>

#define JOIN_NAMES(a, b) a##b
#define RUN_OF(name) JOIN_NAMES(run_, name)

using Bytes = std::vector<char>;

static constexpr int repetitions = 20;

// The output, or nothing if a run fails or two runs differ.
static Bytes repeated(const MODEL::Model &model, const Bytes &input) {
  MODEL::SessionOptions options;
  options.threads = 2;
  MODEL::Session session{model, options};
  Bytes result(MODEL::info().outputs[0].bytes());
  for (int i = 0; i < repetitions; ++i) {
    std::memcpy(session.input(0), input.data(), input.size());
    if (session.run() != aotc::Status::ok ||
        (i > 0 && std::memcmp(result.data(), session.output(0), result.size()) != 0))
      return {};
    std::memcpy(result.data(), session.output(0), result.size());
  }
  return result;
}

// Reads the bytes of the one input from a file and writes those of the one output; false if anything is wrong.
bool RUN_OF(MODEL)(const char *inputPath, const char *outputPath) {
  Bytes input(MODEL::info().inputs[0].bytes());
  if (!std::ifstream(inputPath, std::ios::binary).read(input.data(), static_cast<std::streamsize>(input.size())))
    return false;
  const MODEL::Model model;
  Bytes results[2];
  std::thread other([&] { results[1] = repeated(model, input); });
  results[0] = repeated(model, input);
  other.join();
  if (results[0].empty() || results[0] != results[1])
    return false;
  return bool(std::ofstream(outputPath, std::ios::binary)
                  .write(results[0].data(), static_cast<std::streamsize>(results[0].size())));
}
