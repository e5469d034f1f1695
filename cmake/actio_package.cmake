# SPDX-License-Identifier: BSD-3-Clause
# `cpack`: a Debian package of what is installed, and an archive of the sources, which FetchContent accepts.
set(CPACK_PACKAGE_VENDOR "The actio authors")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_VERBATIM_VARIABLES ON)

set(CPACK_GENERATOR DEB)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_NAME libactio-dev)
set(CPACK_DEBIAN_PACKAGE_SOURCE actio)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "The actio authors <authors@actio.invalid>")  # no address is published
set(CPACK_DEBIAN_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION  # follows the project's one-line description
"Headers in C++20 that simulate trees and closed loops of rigid bodies.
Variational integrators keep energy and momenta over millions of steps in
linear time; a compliant one takes contact, friction and joint limits.
With libpugixml-dev and nlohmann-json3-dev it reads URDF, SDF and MJCF and
writes films; libfcl-dev finds the contacts of meshes.")
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libeigen3-dev (>= 3.4)")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libpugixml-dev, nlohmann-json3-dev")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS libfcl-dev)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
if(NOT ACTIO_PRECOMPILED)  # headers only, independent of the architecture
  set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE all)
  set(CPACK_DEBIAN_PACKAGE_MULTIARCH foreign)
endif()
set(CPACK_PRE_BUILD_SCRIPTS "${PROJECT_SOURCE_DIR}/cmake/packaging/debian/documents.cmake")

set(CPACK_SOURCE_GENERATOR TGZ)
set(CPACK_SOURCE_PACKAGE_FILE_NAME "actio-${PROJECT_VERSION}")
string(REGEX REPLACE "([][+.*()^$?|\\])" "\\\\\\1" here "${PROJECT_SOURCE_DIR}")
set(CPACK_SOURCE_IGNORE_FILES "^${here}/build/" "^${here}/\\.git(/|$)" "^${here}/\\.cache/" "^${here}/CMakeUserPresets\\.json$")
include(CPack)
