# SPDX-License-Identifier: BSD-3-Clause
# Runs mpi_sweep in 1, 2 and 4 processes and without mpirun: all must print the same bits.
set(ENV{OMPI_ALLOW_RUN_AS_ROOT} 1)  # in the containers of checks
set(ENV{OMPI_ALLOW_RUN_AS_ROOT_CONFIRM} 1)
set(ENV{OMPI_MCA_rmaps_base_oversubscribe} 1)  # more processes than processors
set(ENV{OMPI_MCA_btl_vader_single_copy_mechanism} none)  # which containers forbid
execute_process(COMMAND "${PROGRAM}" 37 OUTPUT_VARIABLE alone RESULT_VARIABLE status)
if(NOT status EQUAL 0 OR NOT alone MATCHES "^37 runs, 0 failed, bits [0-9a-f]+\n$")
  message(FATAL_ERROR "alone: ${status}: ${alone}")
endif()
foreach(processes IN ITEMS 1 2 4)
  execute_process(COMMAND "${RUN}" ${COUNT} ${processes} "${PROGRAM}" 37 OUTPUT_VARIABLE printed RESULT_VARIABLE status)
  if(NOT status EQUAL 0 OR NOT printed STREQUAL alone)
    message(FATAL_ERROR "${processes} processes: ${status}: ${printed} instead of ${alone}")
  endif()
endforeach()
execute_process(COMMAND "${PROGRAM}" 0 RESULT_VARIABLE status ERROR_VARIABLE printed)
if(NOT status EQUAL 2 OR NOT printed MATCHES "usage")
  message(FATAL_ERROR "no runs: ${status}: ${printed}")
endif()
