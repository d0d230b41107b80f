# Finds what the compiler is built from and declares how its parts become libraries:
#   aotc_library(<name> [MLIR] [EXCLUDE regex] [LINK libs…])   every .cpp below the current folder, headers found from
#                                                              the tree's root
#   aotc_family_list(<file> <folder>)          the sources of a folder as a list for the preprocessor
#   aotc_unit_test(<name> [MLIR] [LINK libs…]) every *Test.cpp of the current folder as one GoogleTest program
include_guard()

find_package(LLVM 19.1 REQUIRED CONFIG HINTS /usr/lib/llvm-19/lib/cmake/llvm)
find_package(MLIR 19.1 REQUIRED CONFIG HINTS /usr/lib/llvm-19/lib/cmake/mlir)
list(APPEND CMAKE_MODULE_PATH ${LLVM_CMAKE_DIR} ${MLIR_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)

add_library(aotc_options INTERFACE)
target_include_directories(aotc_options INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
# Code that TableGen generates leaves parameters unused.
target_compile_options(aotc_options INTERFACE -Wall -Wextra -Wno-unused-parameter -fno-rtti -fno-exceptions)
if(AOTC_SANITIZE)
  target_compile_options(aotc_options INTERFACE -fsanitize=address,undefined -fno-sanitize=vptr -fno-omit-frame-pointer -O1 -g)
  target_link_options(aotc_options INTERFACE -fsanitize=address,undefined)
endif()

# Headers of MLIR, with its warnings silenced, and the two shared libraries.
add_library(aotc_mlir INTERFACE)
target_include_directories(aotc_mlir SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
target_link_libraries(aotc_mlir INTERFACE MLIR LLVM)
# aotc's time goes into LLVM's libraries and into copying weights: -O3 makes it no faster, and takes twice as long to build.
target_compile_options(aotc_mlir INTERFACE $<$<CONFIG:Release>:-O1>)

# The headers of MLIR and of the two dialects take most of the time of compiling a source, so they are parsed once for all
# libraries and their tests. Sources still include what they need: the list only says what is at hand faster.
file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/aotc_mlir_headers.cpp CONTENT "")
add_library(aotc_mlir_headers OBJECT ${CMAKE_BINARY_DIR}/aotc_mlir_headers.cpp)
target_link_libraries(aotc_mlir_headers PRIVATE aotc_options aotc_mlir)
set_target_properties(aotc_mlir_headers PROPERTIES CXX_COMPILER_LAUNCHER "")
target_precompile_headers(aotc_mlir_headers PRIVATE
  <mlir/Dialect/Arith/IR/Arith.h> <mlir/Dialect/Bufferization/IR/Bufferization.h> <mlir/Dialect/Func/IR/FuncOps.h>
  <mlir/Dialect/Linalg/IR/Linalg.h> <mlir/Dialect/Math/IR/Math.h> <mlir/Dialect/MemRef/IR/MemRef.h>
  <mlir/Dialect/SCF/IR/SCF.h> <mlir/Dialect/Tensor/IR/Tensor.h> <mlir/Transforms/DialectConversion.h>
  <ir/nn/Dialect.h> <ir/kern/Dialect.h>)

function(aotc_reuse_mlir_headers name)
  target_precompile_headers(${name} REUSE_FROM aotc_mlir_headers)
  set_target_properties(${name} PROPERTIES CXX_COMPILER_LAUNCHER "") # ccache would read the precompiled header each time
endfunction()

function(aotc_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "MLIR" "EXCLUDE" "LINK")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  if(arg_EXCLUDE)
    list(FILTER sources EXCLUDE REGEX "${arg_EXCLUDE}")
  endif()
  add_library(${name} STATIC ${sources})
  target_link_libraries(${name} PUBLIC aotc_options ${arg_LINK})
  if(arg_MLIR)
    target_link_libraries(${name} PUBLIC aotc_mlir)
    aotc_reuse_mlir_headers(${name})
  endif()
endfunction()

# Writes `file`, a header with FAMILY(<Name>) for each <Name>.cpp of `folder`: adding a family is adding its file.
function(aotc_family_list file folder)
  file(GLOB families CONFIGURE_DEPENDS ${folder}/*.cpp)
  set(list "// Generated: the families of ${folder}.\n")
  string(REPLACE "${PROJECT_SOURCE_DIR}/" "" list "${list}")
  foreach(family ${families})
    get_filename_component(name ${family} NAME_WE)
    string(APPEND list "FAMILY(${name})\n")
  endforeach()
  file(CONFIGURE OUTPUT ${file} CONTENT "${list}" @ONLY)
endfunction()

function(aotc_unit_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "MLIR" "" "LINK")
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*Test.cpp)
  add_executable(${name} ${sources})
  target_link_libraries(${name} PRIVATE aotc_options ${arg_LINK} GTest::gtest GTest::gtest_main)
  if(arg_MLIR)
    aotc_reuse_mlir_headers(${name})
  endif()
  add_test(NAME ${name} COMMAND ${name})
endfunction()
