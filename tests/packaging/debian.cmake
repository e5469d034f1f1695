# SPDX-License-Identifier: BSD-3-Clause
# Lets dpkg install the package below a root of its own, and remove it: its scripts, dependencies and files are dpkg's to judge, and
# this machine stays as it is. The dependencies are looked for in what this machine says of its packages.
set(ENV{PATH} "$ENV{PATH}:/usr/sbin:/sbin")  # which dpkg insists on
set(dpkg dpkg --force-not-root --log=/dev/null "--instdir=${ROOT}" "--admindir=${ROOT}/var/lib/dpkg")

if(PART STREQUAL "remove")
  execute_process(COMMAND ${dpkg} --purge libactio-dev COMMAND_ERROR_IS_FATAL ANY)
  file(GLOB left "${ROOT}/usr")
  if(left)
    message(FATAL_ERROR "left behind: ${left}")
  endif()
  return()
endif()

file(GLOB package "${PACKAGES}/libactio-dev_${VERSION}-*_all.deb")
file(REMOVE_RECURSE "${ROOT}")
file(MAKE_DIRECTORY "${ROOT}/var/lib/dpkg/info" "${ROOT}/var/lib/dpkg/updates" "${ROOT}/var/lib/dpkg/triggers")
execute_process(COMMAND dpkg-query --status libeigen3-dev OUTPUT_FILE "${ROOT}/var/lib/dpkg/status" RESULT_VARIABLE unknown)
if(unknown)
  message("Eigen is here, but not from Debian's package: dependencies are not checked")
  list(APPEND dpkg --force-depends)
endif()
execute_process(COMMAND ${dpkg} --install "${package}" COMMAND_ERROR_IS_FATAL ANY)

# What find_package and pkg-config read, and the documents.
set(documents copyright changelog.gz changelog.Debian.gz)
list(TRANSFORM documents PREPEND share/doc/libactio-dev/)
include("${CMAKE_CURRENT_LIST_DIR}/files.cmake")
expect_files("${ROOT}/usr" share/cmake/actio share/pkgconfig/actio.pc ${documents})

file(READ "${ROOT}/usr/share/doc/libactio-dev/copyright" copyright)
file(READ "${SOURCE}/LICENSE" license)
if(NOT copyright STREQUAL license)
  message(FATAL_ERROR "the copyright is not our licence")
endif()
function(expect_field field pattern)
  execute_process(COMMAND dpkg-deb --field "${package}" ${field} OUTPUT_VARIABLE value OUTPUT_STRIP_TRAILING_WHITESPACE
                  COMMAND_ERROR_IS_FATAL ANY)
  if(NOT value MATCHES "^${pattern}$")
    message(FATAL_ERROR "${field}: ${value}, expected ${pattern}")
  endif()
endfunction()
expect_field(Architecture all)
expect_field(Version "${VERSION}-[0-9]+")
expect_field(Section libdevel)
expect_field(Depends "libeigen3-dev \\(>= 3\\.4\\)")
expect_field(Recommends "libpugixml-dev, nlohmann-json3-dev")
expect_field(Suggests libfcl-dev)
