// Runs one session of a model with states several times: states RUNS INPUTS OUTPUTS. INPUTS holds the inputs of all
// runs in order; the outputs of all runs go to OUTPUTS, then the states. All of it must come out again after a reset,
// and through the C interface.
#include "subject/subject.h"
#include "subject/subject.hpp"

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <vector>

using Bytes = std::vector<char>;

static void append(Bytes &all, const void *memory, std::size_t size) {
  const char *begin = static_cast<const char *>(memory);
  all.insert(all.end(), begin, begin + size);
}

// `session` is of C++ or C; the functions do for it what their names say.
template <class Input, class Output, class State, class Run>
static Bytes runs(int count, const Bytes &inputs, Input input, Output output, State state, Run run) {
  const aotc::ModelInfo &info = subject::info();
  Bytes all;
  const char *next = inputs.data();
  for (int r = 0; r < count; ++r) {
    for (int i = 0; i < info.input_count; next += info.inputs[i++].bytes())
      std::memcpy(input(i), next, info.inputs[i].bytes());
    if (!run())
      return {};
    for (int i = 0; i < info.output_count; ++i)
      append(all, output(i), info.outputs[i].bytes());
  }
  for (int i = 0; i < info.state_count; ++i)
    append(all, state(i), info.states[i].bytes());
  return all;
}

static Bytes runsInC(int count, const Bytes &inputs) {
  subject_model *model = nullptr;
  subject_session *session = nullptr;
  Bytes all;
  if (subject_model_create(SUBJECT_ABI, &model) == SUBJECT_OK &&
      subject_session_create(model, 1, &session) == SUBJECT_OK)
    for (int twice = 0; twice < 2; ++twice) {
      subject_reset(session);
      all = runs(
          count, inputs, [&](int i) { return subject_input(session, i); },
          [&](int i) { return subject_output(session, i); }, [&](int i) { return subject_state(session, i); },
          [&] { return subject_run(session) == SUBJECT_OK; });
    }
  subject_session_destroy(session);
  subject_model_destroy(model);
  return all;
}

int main(int, char **arguments) {
  const int count = std::atoi(arguments[1]);
  std::ifstream file(arguments[2], std::ios::binary);
  const Bytes inputs{std::istreambuf_iterator<char>(file), {}};
  const subject::Model model;
  subject::Session session{model};
  auto all = [&] {
    return runs(
        count, inputs, [&](int i) { return session.input(i); }, [&](int i) { return session.output(i); },
        [&](int i) { return session.state(i); }, [&] { return session.run() == aotc::Status::ok; });
  };
  const Bytes first = all();
  session.reset();
  if (first.empty() || all() != first || runsInC(count, inputs) != first)
    return 1;
  std::ofstream(arguments[3], std::ios::binary).write(first.data(), static_cast<std::streamsize>(first.size()));
  return 0;
}
