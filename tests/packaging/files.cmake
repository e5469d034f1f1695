# SPDX-License-Identifier: BSD-3-Clause
# expect_files(ROOT CONFIG OTHERS...): in ROOT are all headers of SOURCE, the package's files for CMake in the folder CONFIG, the
# others, and nothing else.
function(expect_files root config)
  file(GLOB_RECURSE found RELATIVE "${root}" "${root}/*")
  file(GLOB_RECURSE expected RELATIVE "${SOURCE}" "${SOURCE}/include/*.hpp")
  foreach(part IN ITEMS Config ConfigVersion Targets IoTargets FclTargets)
    list(APPEND expected ${config}/actio${part}.cmake)
  endforeach()
  list(APPEND expected ${ARGN})
  list(SORT found)
  list(SORT expected)
  if(NOT found STREQUAL expected)
    set(missing ${expected})
    list(REMOVE_ITEM missing ${found})
    list(REMOVE_ITEM found ${expected})
    message(FATAL_ERROR "missing: ${missing}\nnot expected: ${found}")
  endif()
endfunction()
