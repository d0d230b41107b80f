# Prints what templates/project/aotc_model.cmake knows of -DTARGET=…: one line `level;options;definitions` for each level.
include(${CMAKE_CURRENT_LIST_DIR}/../../../templates/project/aotc_model.cmake)
aotc_target_levels("${TARGET}" levels)
foreach(level IN LISTS levels)
  aotc_level_options(${level} options definitions)
  list(JOIN options " " options)
  execute_process(COMMAND ${CMAKE_COMMAND} -E echo "${level}|${options}|${definitions}")
endforeach()
