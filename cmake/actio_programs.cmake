# SPDX-License-Identifier: BSD-3-Clause
# Settings shared by this project's tests, examples and benchmarks; a user's build sees none of them.
set(ACTIO_SHARED_DIR "${PROJECT_SOURCE_DIR}/../shared" CACHE PATH "Folder of robots and reference solutions; tests that need them are skipped if it does not exist")
if(ACTIO_BUILD_TESTS AND NOT EXISTS "${ACTIO_SHARED_DIR}")
  message(STATUS "The folder ${ACTIO_SHARED_DIR} does not exist: tests that need its robots are skipped")
endif()

add_library(actio_warnings INTERFACE)
target_compile_options(actio_warnings INTERFACE -Wall -Wextra -Wconversion -Wshadow -Wpedantic)
# With -march=native g++ 12 misjudges AVX-512 intrinsics: it reports operands that are undefined on purpose and loads as out of bounds
# (GCC bug 105593). A demo must not fail because of this on any processor.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(actio_warnings INTERFACE -Wno-maybe-uninitialized -Wno-array-bounds)
endif()
if(NOT CMAKE_CXX_FLAGS MATCHES "-march=native")
  target_compile_options(actio_warnings INTERFACE -Werror)
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(actio_warnings INTERFACE -Wno-stringop-overread)
endif()

# Counts calls of malloc, for tests and benchmarks.
add_library(actio_allocation_guard STATIC EXCLUDE_FROM_ALL tests/support/allocation_guard.cpp)
target_compile_features(actio_allocation_guard PUBLIC cxx_std_20)
target_include_directories(actio_allocation_guard PUBLIC tests)
target_link_libraries(actio_allocation_guard PRIVATE actio_warnings)

# What this project's programs link: includes the precompiled algorithms if they are built, so that these are tested too.
add_library(actio_own INTERFACE)
target_link_libraries(actio_own INTERFACE actio actio_warnings $<TARGET_NAME_IF_EXISTS:actio_precompiled>)
add_library(actio_own_io INTERFACE)
target_link_libraries(actio_own_io INTERFACE actio_own actio_io $<TARGET_NAME_IF_EXISTS:actio_io_precompiled>)
# With the optimisation that compiles fast, the first saves a tenth of the time, and programs are as fast. The algorithms, compiled once, are
# optimised further: what they take is most of a step.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_FLAGS_RELEASE MATCHES "-O1")
  target_compile_options(actio_own INTERFACE -fno-inline-functions-called-once)
  if(TARGET actio_precompiled)
    target_compile_options(actio_precompiled PRIVATE -O2)
  endif()
endif()

# Adds a program for each .cpp file of this folder, and one for each subfolder with .cpp files, unless the subfolder has a CMakeLists.txt.
# Sets `programs` to their names. The arguments are libraries to link.
function(actio_add_programs)
  set(names "")
  file(GLOB entries CONFIGURE_DEPENDS *.cpp */*.cpp)
  foreach(entry IN LISTS entries)
    cmake_path(GET entry PARENT_PATH folder)
    if(folder STREQUAL CMAKE_CURRENT_SOURCE_DIR)
      cmake_path(GET entry STEM name)
    else()
      cmake_path(GET folder FILENAME name)
      if(EXISTS "${folder}/CMakeLists.txt")
        continue()
      endif()
    endif()
    if(NOT TARGET ${name})
      add_executable(${name})
      target_link_libraries(${name} PRIVATE actio_own ${ARGN})
      list(APPEND names ${name})
    endif()
    target_sources(${name} PRIVATE "${entry}")
  endforeach()
  set(programs ${names} PARENT_SCOPE)
endfunction()
