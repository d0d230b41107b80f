// Runs every model that is linked into this program on the data sets of its case, and writes its outputs:
//
//   program CASES OUTPUTS      reads CASES/<name>/<set>/input_K.npy, writes OUTPUTS/<name>/<set>/output_K.npy
//
// Each case runs in a process of its own, twice: inputs copied into the arena on one thread, everything bound to
// buffers on three; the bits must be the same. Prints "= <name>", what the case had to say, and "@ <name> <exit code or
// -signal>".
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "npy.hpp"
#include "program.hpp"

namespace {

constexpr unsigned case_seconds = 60;

[[noreturn]] void fail(const std::string &text) {
  std::printf("%s\n", text.c_str());
  std::fflush(stdout);
  _exit(1);
}

void check(aotc::Status status, const char *what) {
  if (status != aotc::Status::ok)
    fail(std::string(what) + ": " + aotc::status_text(status));
}

void make_folder(const std::string &path) {
  if (mkdir(path.c_str(), 0777) != 0 && errno != EEXIST)
    fail(path + ": " + npy::reason());
}

bool is_folder(const std::string &path) {
  struct stat found;
  return stat(path.c_str(), &found) == 0 && S_ISDIR(found.st_mode);
}

std::vector<npy::Array> read_inputs(const backend::Entry &entry, const std::string &folder) {
  std::vector<npy::Array> inputs;
  if (static_cast<int>(entry.files.size()) != entry.info.input_count)
    fail("expected " + std::to_string(entry.files.size()) + " inputs, found " + std::to_string(entry.info.input_count));
  for (int i = 0; i < entry.info.input_count; ++i) {
    const std::string path = folder + "/input_" + std::to_string(entry.files[static_cast<std::size_t>(i)]) + ".npy";
    bool refused = false;
    inputs.emplace_back();
    const std::string error = npy::read(path, inputs.back(), refused);
    if (!error.empty())
      fail(path + ": " + error);
    const aotc::TensorInfo &info = entry.info.inputs[i];
    if (!npy::fits(inputs.back(), static_cast<int>(info.element)))
      fail(std::string("input '") + info.onnx_name + "': the case gives another element type");
    if (static_cast<int>(inputs.back().shape.size()) != info.rank)
      fail(std::string("input '") + info.onnx_name + "': the case gives another rank");
  }
  return inputs;
}

// Bounded dimensions take the extents of the inputs.
void set_dims(const backend::Entry &entry, backend::AnySession &session, const std::vector<npy::Array> &inputs) {
  for (int i = 0; i < entry.info.input_count; ++i)
    for (int d = 0; d < entry.info.inputs[i].rank; ++d) {
      const std::int64_t extent = inputs[static_cast<std::size_t>(i)].shape[static_cast<std::size_t>(d)];
      const int dim = entry.info.inputs[i].shape[d].dim;
      if (dim >= 0 && entry.info.dims[dim].settable)
        check(session.set_dim(dim, extent), entry.info.dims[dim].name);
      if (session.input_extent(i, d) != extent)
        fail(std::string("input '") + entry.info.inputs[i].onnx_name + "': the case gives another shape");
    }
}

struct Outputs {
  std::vector<npy::Buffer> buffers; // those that were bound
  std::vector<std::string> bits;
  std::vector<std::vector<std::int64_t>> shapes;
};

void give_inputs(const backend::Entry &entry, backend::AnySession &session, const std::vector<npy::Array> &inputs,
                 bool bind_all) {
  for (int i = 0; i < entry.info.input_count; ++i) {
    const npy::Buffer &buffer = inputs[static_cast<std::size_t>(i)].buffer;
    void *const place = session.input(i);
    if (place && !bind_all)
      std::memcpy(place, buffer.data(), buffer.size());
    else
      check(session.bind_input(i, buffer.data()), "input");
  }
}

void give_output_buffers(const backend::Entry &entry, backend::AnySession &session, bool bind_all, Outputs &outputs) {
  for (int i = 0; i < entry.info.output_count; ++i) {
    if (session.output(i) && !bind_all)
      continue;
    outputs.buffers.emplace_back(entry.info.outputs[i].bytes());
    check(session.bind_output(i, outputs.buffers.back().data()), "output");
  }
}

void take_outputs(const backend::Entry &entry, const backend::AnySession &session, Outputs &outputs) {
  for (int i = 0; i < entry.info.output_count; ++i) {
    std::vector<std::int64_t> shape;
    for (int d = 0; d < entry.info.outputs[i].rank; ++d)
      shape.push_back(session.output_extent(i, d));
    const std::size_t bytes =
        static_cast<std::size_t>(npy::count(shape)) * aotc::element_bytes(entry.info.outputs[i].element);
    if (npy::count(shape) < 0 || bytes > entry.info.outputs[i].bytes())
      fail("an output is larger than its bound");
    outputs.bits.emplace_back(static_cast<const char *>(session.output(i)), bytes);
    outputs.shapes.push_back(std::move(shape));
  }
}

Outputs run(const backend::Entry &entry, const std::vector<npy::Array> &inputs, int threads, bool bind_all) {
  Outputs outputs;
  const std::unique_ptr<backend::AnySession> session = entry.open(threads);
  check(session->status(), "session");
  set_dims(entry, *session, inputs);
  give_inputs(entry, *session, inputs, bind_all);
  give_output_buffers(entry, *session, bind_all, outputs);
  check(session->run(), "run");
  take_outputs(entry, *session, outputs);
  return outputs;
}

void run_data_set(const backend::Entry &entry, const std::string &data, const std::string &results) {
  const std::vector<npy::Array> inputs = read_inputs(entry, data);
  const Outputs first = run(entry, inputs, 1, false);
  const Outputs second = run(entry, inputs, 3, true);
  if (first.bits != second.bits || first.shapes != second.shapes)
    fail("other bits on three threads and bound buffers than on one thread and the arena");
  make_folder(results);
  for (int i = 0; i < entry.info.output_count; ++i) {
    const std::string path = results + "/output_" + std::to_string(i) + ".npy";
    const auto index = static_cast<std::size_t>(i);
    const std::string error = npy::write(path, static_cast<int>(entry.info.outputs[i].element), first.shapes[index],
                                         first.bits[index].data());
    if (!error.empty())
      fail(path + ": " + error);
  }
}

void run_case(const backend::Entry &entry, const std::string &cases, const std::string &outputs) {
  make_folder(outputs + "/" + entry.name);
  for (int set = 0;; ++set) {
    const std::string folder = "/" + std::string(entry.name) + "/" + std::to_string(set);
    if (!is_folder(cases + folder))
      break;
    run_data_set(entry, cases + folder, outputs + folder);
  }
}

// In a child, so that a crash is that of one case.
void run_apart(const backend::Entry &entry, const std::string &cases, const std::string &outputs) {
  std::printf("= %s\n", entry.name);
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    alarm(case_seconds);
    run_case(entry, cases, outputs);
    std::fflush(stdout);
    _exit(0);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child)
    fail("cannot start a process: " + npy::reason());
  std::printf("@ %s %d\n", entry.name, WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status));
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 3) {
    std::fputs("usage: program CASES OUTPUTS\n", stderr);
    return 2;
  }
  dup2(STDOUT_FILENO, STDERR_FILENO); // what sanitizers write belongs to the case
  for (const backend::Entry &entry : backend::entries())
    run_apart(entry, argv[1], argv[2]);
  return 0;
}
