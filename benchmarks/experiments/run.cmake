# SPDX-License-Identifier: BSD-3-Clause
# Runs the experiments in turn and makes the page of all. It continues after a failure, which the page shows, and then fails at its end.
#   cmake -D programs=LIST -D folder=DIR -D options=LIST -D results=DIR -D source=DIR -D page=FILE -P run.cmake
file(MAKE_DIRECTORY "${results}")
set(failed "")
foreach(program IN LISTS programs)
  execute_process(COMMAND "${folder}/${program}" ${options} --out "${results}" RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    list(APPEND failed ${program})
  endif()
endforeach()
set(of_failed ${failed})
list(TRANSFORM of_failed PREPEND "--failed=")
execute_process(COMMAND "${folder}/index" ${programs} ${of_failed} --source "${source}" --results "${results}" --out "${page}"
  COMMAND_ERROR_IS_FATAL ANY)
if(failed)
  message(FATAL_ERROR "not as they claim: ${failed}")
endif()
