# SPDX-License-Identifier: BSD-3-Clause
# Runs the port without vcpkg: what it calls stands below, in the least that does the same, and its tree must be as vcpkg wants it and
# serve a user's project. That vcpkg itself accepts the port is not tested here.
set(port "${SOURCE}/cmake/packaging/vcpkg/ports/actio")
set(CURRENT_PACKAGES_DIR "${FOLDER}/packages")
set(PORT actio)
file(REMOVE_RECURSE "${FOLDER}")

function(vcpkg_cmake_configure)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" SOURCE_PATH OPTIONS)
  execute_process(COMMAND "${CMAKE_COMMAND}" -G "${GENERATOR}" -S "${arg_SOURCE_PATH}" -B "${FOLDER}/build"
    "-DCMAKE_CXX_COMPILER=${COMPILER}"
                  -DCMAKE_BUILD_TYPE=Release "-DCMAKE_INSTALL_PREFIX=${CURRENT_PACKAGES_DIR}" ${arg_OPTIONS}
                  COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)
endfunction()

function(vcpkg_cmake_install)
  execute_process(COMMAND "${CMAKE_COMMAND}" --install "${FOLDER}/build" COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)
endfunction()

function(vcpkg_cmake_config_fixup)  # moves the files up to share/actio, so that their prefix is a folder nearer
  cmake_parse_arguments(PARSE_ARGV 0 arg "" CONFIG_PATH "")
  file(GLOB files "${CURRENT_PACKAGES_DIR}/${arg_CONFIG_PATH}/*.cmake")
  set(climb "get_filename_component(_IMPORT_PREFIX \"\${_IMPORT_PREFIX}\" PATH)\n")
  foreach(file IN LISTS files)
    cmake_path(GET file FILENAME name)
    file(READ "${file}" text)
    string(REPLACE "${climb}${climb}${climb}" "${climb}${climb}" text "${text}")
    string(REPLACE "}/../../../\"" "}/../../\"" text "${text}")
    file(WRITE "${CURRENT_PACKAGES_DIR}/share/${PORT}/${name}" "${text}")
  endforeach()
  cmake_path(GET arg_CONFIG_PATH PARENT_PATH parent)
  file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/${parent}")
endfunction()

function(vcpkg_fixup_pkgconfig)
endfunction()

function(vcpkg_install_copyright)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "" FILE_LIST)
  file(COPY_FILE ${arg_FILE_LIST} "${CURRENT_PACKAGES_DIR}/share/${PORT}/copyright")
endfunction()

include("${port}/portfile.cmake")

# Headers and share/ alone, in it one folder of the port's name: vcpkg's own checks refuse lib/cmake, debug/include and the like.
include("${CMAKE_CURRENT_LIST_DIR}/files.cmake")
expect_files("${CURRENT_PACKAGES_DIR}" share/actio share/actio/copyright share/pkgconfig/actio.pc)
execute_process(COMMAND "${CMAKE_COMMAND}" -G "${GENERATOR}" -S "${SOURCE}/tests/consumer/project" -B "${FOLDER}/consumer"
                "-DCMAKE_CXX_COMPILER=${COMPILER}" "-DCMAKE_PREFIX_PATH=${CURRENT_PACKAGES_DIR}" COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)

# The manifest: names as vcpkg wants them, and a feature for each library that asks for more than Eigen.
file(READ "${port}/vcpkg.json" manifest)
string(JSON name GET "${manifest}" name)
if(NOT name STREQUAL PORT)
  message(FATAL_ERROR "the port is called ${name}")
endif()
string(JSON license GET "${manifest}" license)
file(STRINGS "${port}/portfile.cmake" identifier REGEX "SPDX-License-Identifier: ${license}$" LIMIT_COUNT 1)
if(NOT identifier)
  message(FATAL_ERROR "licence ${license}")
endif()
foreach(feature_and_dependency IN ITEMS "io 0 pugixml" "io 1 nlohmann-json" "fcl 0 fcl")
  separate_arguments(feature_and_dependency)
  list(GET feature_and_dependency 0 feature)
  list(GET feature_and_dependency 1 k)
  list(GET feature_and_dependency 2 dependency)
  string(JSON found GET "${manifest}" features ${feature} dependencies ${k})
  if(NOT found STREQUAL dependency)
    message(FATAL_ERROR "the feature ${feature} brings ${found}")
  endif()
endforeach()
