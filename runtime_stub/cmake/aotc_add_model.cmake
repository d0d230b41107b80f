# aotc_add_model(<target> MODEL <file> [NAME id] [TARGET t] [THREADS n] [INPUT_DIMS name=4 ...] [OPTIONS ...])
#
# Makes <target> a static library compiled from an ONNX model. aotc runs when the project is built, and again when the
# model, its external data or aotc itself changes; sources that come out the same are not compiled again.
#
#   MODEL       the .onnx file, relative to the current source folder
#   NAME        of the namespace and the headers, <NAME>/<NAME>.hpp and <NAME>/<NAME>.h; default: the file's name as an
#               identifier
#   TARGET      as aotc's --target; default: x86-64 or aarch64 by the processor that is compiled for, else generic
#   THREADS     the most that a session may ask for (aotc's default is 8)
#   INPUT_DIMS  extents or bounds of input dimensions, such as batch=4, batch=1..8 or image:0=1
#   OPTIONS     further options of aotc, such as --precision fp16
#
# The target's properties AOTC_NAME, AOTC_FOLDER and AOTC_WEIGHTS_FILE tell its name, the generated folder and, with
# `--weights file`, what the program has to load.
#
# aotc is, in this order: AOTC_EXECUTABLE; the target `aotc` of this build, unless it is built for another machine; the
# one installed with this package; the one on PATH.
cmake_minimum_required(VERSION 3.20)
include_guard(GLOBAL)

# Sets aotc_command and aotc_dependencies.
function(aotc_find_compiler)
  set(executable "${AOTC_EXECUTABLE}")
  if(NOT executable AND TARGET aotc AND NOT CMAKE_CROSSCOMPILING)
    set(aotc_command "$<TARGET_FILE:aotc>" PARENT_SCOPE)
    set(aotc_dependencies aotc PARENT_SCOPE)
    return()
  endif()
  if(NOT executable)
    find_program(AOTC_EXECUTABLE aotc DOC "The aotc that aotc_add_model() runs on this machine"
                 PATHS "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../../../bin" NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH)
    find_program(AOTC_EXECUTABLE aotc NO_CMAKE_FIND_ROOT_PATH)
    set(executable "${AOTC_EXECUTABLE}")
  endif()
  if(NOT executable)
    message(FATAL_ERROR "aotc_add_model: cannot find aotc for this machine: set AOTC_EXECUTABLE or PATH")
  endif()
  set(aotc_command "${executable}" PARENT_SCOPE)
  set(aotc_dependencies "${executable}" PARENT_SCOPE)
endfunction()

# The name that the headers and the namespace get where none is given.
function(aotc_default_name model out)
  get_filename_component(stem "${model}" NAME_WLE)
  string(TOLOWER "${stem}" name)
  string(REGEX REPLACE "[^a-z0-9]+" "_" name "${name}")
  string(REGEX REPLACE "^_+|_+$" "" name "${name}")
  if(name MATCHES "^([0-9]|$)")
    string(PREPEND name "model_")
    string(REGEX REPLACE "_$" "" name "${name}")
  endif()
  set(${out} "${name}" PARENT_SCOPE)
endfunction()

function(aotc_default_target out)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
    set(${out} x86-64 PARENT_SCOPE)
  elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64|ARM64)$")
    set(${out} aarch64 PARENT_SCOPE)
  else()
    set(${out} generic PARENT_SCOPE)
  endif()
endfunction()

function(aotc_add_model target)
  cmake_parse_arguments(PARSE_ARGV 1 model "" "MODEL;NAME;TARGET;THREADS" "INPUT_DIMS;OPTIONS")
  if(model_UNPARSED_ARGUMENTS OR model_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "aotc_add_model(${target}): does not understand '${model_UNPARSED_ARGUMENTS}'"
                        " (or no value for '${model_KEYWORDS_MISSING_VALUES}')")
  endif()
  if(NOT model_MODEL)
    message(FATAL_ERROR "aotc_add_model(${target}): MODEL is missing")
  endif()
  get_filename_component(model_MODEL "${model_MODEL}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
  if(NOT model_NAME)
    aotc_default_name("${model_MODEL}" model_NAME)
  endif()
  if(NOT model_NAME MATCHES "^[A-Za-z][A-Za-z0-9_]*$")
    message(FATAL_ERROR "aotc_add_model(${target}): NAME must be an identifier, found '${model_NAME}'")
  endif()
  if(NOT model_TARGET)
    aotc_default_target(model_TARGET)
  endif()
  aotc_find_compiler()
  # A folder of its own, so that the languages, the generated sources and their rules are all known in one place.
  set(aotc_model_target ${target})
  set(aotc_cmake_folder "${CMAKE_CURRENT_FUNCTION_LIST_DIR}")
  add_subdirectory("${CMAKE_CURRENT_FUNCTION_LIST_DIR}/model" "${CMAKE_CURRENT_BINARY_DIR}/aotc/${target}")
endfunction()
