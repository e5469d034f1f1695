# SPDX-License-Identifier: BSD-3-Clause
# An overlay port: installs the source tree that contains it.
#   vcpkg install "actio[io]" --overlay-ports=cmake/packaging/vcpkg/ports
# All headers are installed with any features: features add what actio::io and actio::fcl link.
cmake_path(SET SOURCE_PATH NORMALIZE "${CMAKE_CURRENT_LIST_DIR}/../../../../..")
set(VCPKG_BUILD_TYPE release)  # headers have no debug build

vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS -DACTIO_ALLOW_FETCH=OFF -DACTIO_BUILD_TESTS=OFF -DACTIO_BUILD_BENCHMARKS=OFF -DACTIO_BUILD_EXAMPLES=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH share/cmake/actio)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/share/doc")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
