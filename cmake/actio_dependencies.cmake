# SPDX-License-Identifier: BSD-3-Clause
# Installed packages are used; missing ones are fetched, unless ACTIO_ALLOW_FETCH is off.
include(FetchContent)
option(ACTIO_ALLOW_FETCH "Fetch dependencies that are not installed" ON)

set(actio_source_Eigen3 GIT_REPOSITORY https://gitlab.com/libeigen/eigen.git GIT_TAG 3.4.0)
set(actio_source_Catch2 GIT_REPOSITORY https://github.com/catchorg/Catch2.git GIT_TAG v3.5.4)
set(actio_source_benchmark GIT_REPOSITORY https://github.com/google/benchmark.git GIT_TAG v1.8.3)
set(actio_source_pugixml GIT_REPOSITORY https://github.com/zeux/pugixml.git GIT_TAG v1.14)
set(actio_source_CLI11 GIT_REPOSITORY https://github.com/CLIUtils/CLI11.git GIT_TAG v2.4.2)
set(actio_source_nlohmann_json GIT_REPOSITORY https://github.com/nlohmann/json.git GIT_TAG v3.11.3)
list(APPEND actio_source_Eigen3 SOURCE_SUBDIR cmake)  # has no CMakeLists.txt; Eigen's searches for Fortran and adds hundreds of targets
set(BENCHMARK_ENABLE_TESTING OFF)
set(BENCHMARK_ENABLE_INSTALL OFF)
set(BENCHMARK_ENABLE_WERROR OFF)

# A macro, so that the variables that a package sets reach the caller. No version is required: Catch2 2.13 and 3 both work.
macro(actio_need package)
  if(ACTIO_ALLOW_FETCH)
    FetchContent_Declare(${package} ${actio_source_${package}} GIT_SHALLOW ON SYSTEM FIND_PACKAGE_ARGS GLOBAL)
    FetchContent_MakeAvailable(${package})
  else()
    find_package(${package} REQUIRED GLOBAL)
  endif()
  if("${package}" STREQUAL "Eigen3" AND NOT TARGET Eigen3::Eigen)
    add_library(Eigen3::Eigen INTERFACE IMPORTED GLOBAL)
    target_include_directories(Eigen3::Eigen SYSTEM INTERFACE "${eigen3_SOURCE_DIR}")
  endif()
endmacro()

# Links a package by name only, so that exported targets never require the targets of a fetched package.
function(actio_link_external target scope library)
  target_link_libraries(${target} ${scope} $<BUILD_INTERFACE:${library}> $<INSTALL_INTERFACE:${library}>)
endfunction()
