// run_level LEVEL PROGRAM: runs PROGRAM if this machine has the instruction set LEVEL, else exits with 77, which CTest
// takes for "skipped". A program compiled for a level may use it before main() begins, so it cannot ask for itself.
#include <cstdio>
#include <cstring>
#include <unistd.h>

static bool machineHas(const char *level) {
#if defined(__x86_64__)
  if (std::strcmp(level, "x86_v3_avxvnni") == 0)
    return machineHas("x86_v3") && __builtin_cpu_supports("avxvnni");
  if (std::strcmp(level, "x86_v4_vnni") == 0)
    return machineHas("x86_v4") && __builtin_cpu_supports("avx512vnni");
  if (std::strcmp(level, "x86_v4_bf16") == 0)
    return machineHas("x86_v4") && __builtin_cpu_supports("avx512bf16");
  if (std::strcmp(level, "x86_v4_fp16") == 0)
    return machineHas("x86_v4") && __builtin_cpu_supports("avx512fp16");
  if (std::strcmp(level, "x86_v2") == 0)
    return __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt");
  if (std::strcmp(level, "x86_v3") == 0)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
  if (std::strcmp(level, "x86_v4") == 0)
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#endif
  return std::strcmp(level, "scalar") == 0 || std::strcmp(level, "native") == 0;
}

int main(int argc, char **argv) {
  if (argc < 3)
    return std::fprintf(stderr, "usage: run_level LEVEL PROGRAM [ARGUMENTS]\n"), 2;
  if (!machineHas(argv[1]))
    return std::printf("skipped: this machine lacks '%s'\n", argv[1]), 77;
  execv(argv[2], argv + 2);
  return std::perror(argv[2]), 1;
}
