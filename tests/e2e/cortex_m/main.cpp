// Runs a compiled model on a bare Cortex-M7: start-up code, and files of the host by semihosting. Reads input.bin, runs
// the session in an arena of its own and writes output.bin, both raw elements, in QEMU's current folder. Knows the
// model by the macros MODEL and MODEL_HEADER; uses no heap and no C library but what the compiler itself calls.
#include <cstddef>
#include <cstdint>

#include MODEL_HEADER

extern "C" std::uint32_t stack_top;
extern "C" [[noreturn]] void reset();

namespace {

// Operations of Arm's semihosting, see "Semihosting for AArch32 and AArch64".
enum Operation : int { sys_open = 0x01, sys_close = 0x02, sys_write = 0x05, sys_read = 0x06, sys_exit_extended = 0x20 };
constexpr std::uintptr_t open_to_read = 1, open_to_write = 5; // "rb" and "wb"

int call_host(Operation operation, const std::uintptr_t *block) {
  register int r0 asm("r0") = operation;
  register const std::uintptr_t *r1 asm("r1") = block;
  asm volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
  return r0;
}

// Ends QEMU with that exit code.
[[noreturn]] void leave(std::uintptr_t code) {
  constexpr std::uintptr_t application_exit = 0x20026;
  const std::uintptr_t block[] = {application_exit, code};
  for (;;)
    call_host(sys_exit_extended, block);
}

// The whole of a file to or from memory; false where it is shorter or cannot be opened.
bool transfer(Operation operation, const char *path, std::size_t path_length, const void *memory, std::size_t bytes) {
  const std::uintptr_t name[] = {reinterpret_cast<std::uintptr_t>(path),
                                 operation == sys_read ? open_to_read : open_to_write, path_length};
  const int file = call_host(sys_open, name);
  if (file < 0)
    return false;
  const std::uintptr_t handle = static_cast<std::uintptr_t>(file);
  const std::uintptr_t block[] = {handle, reinterpret_cast<std::uintptr_t>(memory), bytes};
  const bool complete = call_host(operation, block) == 0; // the number of bytes left over
  return call_host(sys_close, &handle) == 0 && complete;
}

enum Failure : std::uintptr_t { no_input = 2, bad_session = 3, bad_run = 4, no_output = 5, fault = 6 };

alignas(MODEL::arena_alignment) unsigned char arena[MODEL::arena_bytes()];

std::uintptr_t run_model() {
  const MODEL::Model model;
  MODEL::Session session{model, arena, sizeof arena};
  if (session.status() != aotc::Status::ok)
    return bad_session;
  const aotc::ModelInfo &info = MODEL::info();
  if (!transfer(sys_read, "input.bin", 9, session.input(0), info.inputs[0].bytes()))
    return no_input;
  if (session.run() != aotc::Status::ok)
    return bad_run;
  if (!transfer(sys_write, "output.bin", 10, session.output(0), info.outputs[0].bytes()))
    return no_output;
  return 0;
}

[[noreturn]] void stop_at_fault() { leave(fault); }

struct Vectors {
  std::uint32_t *stack;
  void (*handlers[15])();
};

[[gnu::section(".vectors"), gnu::used]] const Vectors vectors = {
    &stack_top, {reset, stop_at_fault, stop_at_fault, stop_at_fault, stop_at_fault, stop_at_fault}};

} // namespace

// Memory is zero when QEMU starts, so .bss needs no loop.
extern "C" void reset() {
  volatile std::uint32_t &coprocessor_access = *reinterpret_cast<std::uint32_t *>(0xe000ed88);
  coprocessor_access = coprocessor_access | 0xfu << 20; // the floating-point unit is off after reset
  asm volatile("dsb\n isb" ::: "memory");
  leave(run_model());
}
