# What `cmake --install` puts where: bin/aotc, the sources that it copies into outputs in share/aotc, the package in
# lib/cmake/aotc. These places are fixed relative to each other: aotc finds its sources from its own path.
include(CMakePackageConfigHelpers)

set(made "${PROJECT_BINARY_DIR}/package")
configure_file("${PROJECT_SOURCE_DIR}/runtime_stub/cmake/aotcConfig.cmake.in" "${made}/aotcConfig.cmake" @ONLY)
write_basic_package_version_file("${made}/aotcConfigVersion.cmake" COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)

set_target_properties(aotc PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
install(TARGETS aotc RUNTIME DESTINATION bin)
install(FILES "${made}/aotcConfig.cmake" "${made}/aotcConfigVersion.cmake"
              "${PROJECT_SOURCE_DIR}/runtime_stub/cmake/aotc_add_model.cmake" DESTINATION lib/cmake/aotc)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/runtime_stub/cmake/model" DESTINATION lib/cmake/aotc)

install(DIRECTORY "${PROJECT_SOURCE_DIR}/templates/kernels/" DESTINATION share/aotc/kernels
        FILES_MATCHING PATTERN "*.hpp")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/runtime_stub/core/" DESTINATION share/aotc/runtime
        FILES_MATCHING PATTERN "*.hpp" PATTERN "*.cpp")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/runtime_stub/vulkan/" DESTINATION share/aotc/runtime/vulkan
        FILES_MATCHING PATTERN "*.hpp" PATTERN "*.cpp")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/templates/project/" DESTINATION share/aotc/project
        PATTERN ".clang-format" EXCLUDE)
get_property(xsimd_include GLOBAL PROPERTY AOTC_XSIMD_INCLUDE_DIR)
install(DIRECTORY "${xsimd_include}/xsimd" DESTINATION share/aotc/third_party/xsimd)
install(FILES "${PROJECT_SOURCE_DIR}/templates/third_party/xsimd/LICENSE" DESTINATION share/aotc/third_party/xsimd)
if(EXISTS "${PROJECT_SOURCE_DIR}/LICENSE")
  install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION share/aotc)
endif()
