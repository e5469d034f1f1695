# SPDX-License-Identifier: BSD-3-Clause
# Makes the packages as the preset `package` does, in a folder of its own, and unpacks the sources.
file(REMOVE_RECURSE "${PACKAGES}")
execute_process(COMMAND "${CMAKE_COMMAND}" --preset package -B "${PACKAGES}" "-DCMAKE_CXX_COMPILER=${COMPILER}"
                WORKING_DIRECTORY "${SOURCE}" COMMAND_ERROR_IS_FATAL ANY)
foreach(target IN ITEMS package package_source)
  execute_process(COMMAND "${CMAKE_COMMAND}" --build "${PACKAGES}" --target ${target} COMMAND_ERROR_IS_FATAL ANY)
endforeach()

file(ARCHIVE_EXTRACT INPUT "${PACKAGES}/actio-${VERSION}.tar.gz" DESTINATION "${PACKAGES}")
file(GLOB_RECURSE expected RELATIVE "${SOURCE}" "${SOURCE}/include/*" "${SOURCE}/cmake/*" "${SOURCE}/tests/*")
foreach(file IN LISTS expected ITEMS CMakeLists.txt CMakePresets.json README.md LICENSE CHANGELOG.md .ci/run)
  if(NOT EXISTS "${PACKAGES}/actio-${VERSION}/${file}")
    message(FATAL_ERROR "the sources lack ${file}")
  endif()
endforeach()
foreach(file IN ITEMS .git build)
  if(EXISTS "${PACKAGES}/actio-${VERSION}/${file}")
    message(FATAL_ERROR "the sources hold ${file}, which is no part of them")
  endif()
endforeach()
