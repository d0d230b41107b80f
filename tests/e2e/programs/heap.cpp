// Runs a session of the model `subject` while every call to the heap ends the program: from the end of the construction
// to the end of the destruction nothing may be allocated, and until the destructor nothing freed either. Says "quiet"
// at its end.
#include "subject/subject.hpp"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <unistd.h>

// The allocator behind glibc's public names.
extern "C" void *__libc_malloc(std::size_t);
extern "C" void *__libc_calloc(std::size_t, std::size_t);
extern "C" void *__libc_realloc(void *, std::size_t);
extern "C" void *__libc_memalign(std::size_t, std::size_t);
extern "C" void __libc_free(void *);

static std::atomic<bool> mayAllocate{true}, mayFree{true};

static void expect(const std::atomic<bool> &allowed, const char *call) {
  if (allowed)
    return;
  mayAllocate = mayFree = true;
  (void)!write(STDERR_FILENO, call, std::strlen(call));
  (void)!write(STDERR_FILENO, " was called\n", 12);
  std::abort();
}

// operator new and its like end in one of these.
extern "C" void *malloc(std::size_t bytes) {
  expect(mayAllocate, "error: malloc");
  return __libc_malloc(bytes);
}
extern "C" void *calloc(std::size_t count, std::size_t bytes) {
  expect(mayAllocate, "error: calloc");
  return __libc_calloc(count, bytes);
}
extern "C" void *realloc(void *memory, std::size_t bytes) {
  expect(mayAllocate, "error: realloc");
  return __libc_realloc(memory, bytes);
}
extern "C" void *memalign(std::size_t alignment, std::size_t bytes) {
  expect(mayAllocate, "error: memalign");
  return __libc_memalign(alignment, bytes);
}
extern "C" void *aligned_alloc(std::size_t alignment, std::size_t bytes) {
  expect(mayAllocate, "error: aligned_alloc");
  return __libc_memalign(alignment, bytes);
}
extern "C" int posix_memalign(void **result, std::size_t alignment, std::size_t bytes) {
  expect(mayAllocate, "error: posix_memalign");
  *result = __libc_memalign(alignment, bytes);
  return *result ? 0 : 12; // ENOMEM
}
extern "C" void free(void *memory) {
  if (memory)
    expect(mayFree, "error: free");
  __libc_free(memory);
}

static void zeroInputs(subject::Session &session) {
  for (int i = 0; i < subject::info().input_count; ++i)
    if (session.input(i))
      std::memset(session.input(i), 0, subject::info().inputs[i].bytes());
}

// True if all three runs succeed.
static bool runs(const subject::Model &model, int threads) {
  subject::SessionOptions options;
  options.threads = threads;
  std::optional<subject::Session> session;
  session.emplace(model, options);
  mayAllocate = mayFree = false;
  zeroInputs(*session);
  bool good = true;
  for (int i = 0; i < 3; ++i)
    good = session->run() == aotc::Status::ok && good;
  mayFree = true; // the arena
  session.reset();
  mayAllocate = true;
  return good;
}

int main(int argc, char **) {
  const subject::Model model;
  if (!runs(model, 1) || !runs(model, 3))
    return 1;
  if (argc > 1) { // a test of the test
    mayAllocate = false;
    ::operator delete(::operator new(1));
  }
  return write(STDOUT_FILENO, "quiet\n", 6) == 6 ? 0 : 1;
}
