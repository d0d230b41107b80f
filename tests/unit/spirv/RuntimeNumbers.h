// What the Vulkan runtime says in numbers that the compiler states again: it cannot include what it ships, its tests can.
// AOTC_HAS_RUNTIME_NUMBERS is 0 where the headers of Vulkan are missing.
#pragma once

#if __has_include(<vulkan/vulkan_core.h>)
#define AOTC_HAS_RUNTIME_NUMBERS 1
#include "aotc/vulkan/model_shared.hpp"
#include "aotc/vulkan/requirements.hpp"
#else
#define AOTC_HAS_RUNTIME_NUMBERS 0
#endif

#include <cstdint>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>

namespace aotc::test {

/// What every range of a session's memory begins at a multiple of, which session.cpp keeps to itself; 0: not found.
inline uint64_t sessionAlignment() {
  std::ifstream file(AOTC_VULKAN_RUNTIME "/session.cpp");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::smatch found;
  const bool isThere = std::regex_search(text, found, std::regex(R"(constexpr VkDeviceSize alignment = (\d+);)"));
  return isThere ? std::strtoull(found[1].str().c_str(), nullptr, 10) : 0;
}

} // namespace aotc::test
