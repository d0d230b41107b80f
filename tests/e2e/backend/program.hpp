// A model of the test program as its main() sees it: opened by name, tensors by number. Each translation unit registers
// the models that it includes. Must not know any model, nor what a right result is.
#pragma once
#include <memory>
#include <vector>

#include "aotc/session.hpp"

namespace backend {

class AnySession {
public:
  virtual ~AnySession() = default;
  virtual aotc::Status status() const = 0;
  virtual aotc::Status set_dim(int index, std::int64_t extent) = 0;
  virtual void *input(int index) const = 0;
  virtual aotc::Status bind_input(int index, const void *buffer) = 0;
  virtual std::int64_t input_extent(int index, int d) const = 0;
  virtual const void *output(int index) const = 0;
  virtual aotc::Status bind_output(int index, void *buffer) = 0;
  virtual std::int64_t output_extent(int index, int d) const = 0;
  virtual aotc::Status run() = 0;
};

template <class Session>
auto set_dim_of(Session &session, int index, std::int64_t extent) -> decltype(session.set_dim(index, extent)) {
  return session.set_dim(index, extent);
}
// Models without bounded dimensions have no such function.
template <class... Rest> aotc::Status set_dim_of(Rest &&...) { return aotc::Status::index_out_of_range; }

template <class Model, class Session> class SessionOf final : public AnySession {
public:
  explicit SessionOf(int threads) : session_{model_, aotc::SessionOptions{threads}} {}

  aotc::Status status() const override { return session_.status(); }
  aotc::Status set_dim(int index, std::int64_t extent) override { return set_dim_of(session_, index, extent); }
  void *input(int index) const override { return session_.input(index); }
  aotc::Status bind_input(int index, const void *buffer) override { return session_.bind_input(index, buffer); }
  std::int64_t input_extent(int index, int d) const override { return session_.input_extent(index, d); }
  const void *output(int index) const override { return session_.output(index); }
  aotc::Status bind_output(int index, void *buffer) override { return session_.bind_output(index, buffer); }
  std::int64_t output_extent(int index, int d) const override { return session_.output_extent(index, d); }
  aotc::Status run() override { return session_.run(); }

private:
  Model model_;
  Session session_;
};

struct Entry {
  const char *name;
  const aotc::ModelInfo &info;
  std::unique_ptr<AnySession> (*open)(int threads);
  std::vector<int> files; // the K of input_K.npy for each input: some inputs of a case may be constants of the model
};

inline std::vector<Entry> &entries() {
  static std::vector<Entry> all;
  return all;
}

template <class Model, class Session> bool add(const char *name, const aotc::ModelInfo &info, std::vector<int> files) {
  const auto open = [](int threads) -> std::unique_ptr<AnySession> {
    return std::make_unique<SessionOf<Model, Session>>(threads);
  };
  entries().push_back({name, info, open, std::move(files)});
  return true;
}

} // namespace backend
