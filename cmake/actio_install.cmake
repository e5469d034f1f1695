# SPDX-License-Identifier: BSD-3-Clause
# find_package(actio [COMPONENTS io fcl precompiled]) and pkg-config actio. One export set per component: the core requires only Eigen.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package_dir "${CMAKE_INSTALL_DATADIR}/cmake/actio")

set_target_properties(actio_io PROPERTIES EXPORT_NAME io)
set_target_properties(actio_fcl PROPERTIES EXPORT_NAME fcl)
install(TARGETS actio EXPORT actioTargets FILE_SET HEADERS)
install(TARGETS actio_io EXPORT actioIoTargets FILE_SET HEADERS)
install(TARGETS actio_fcl EXPORT actioFclTargets FILE_SET HEADERS)
install(EXPORT actioTargets NAMESPACE actio:: DESTINATION "${package_dir}")
install(EXPORT actioIoTargets NAMESPACE actio:: DESTINATION "${package_dir}")
install(EXPORT actioFclTargets NAMESPACE actio:: DESTINATION "${package_dir}")
if(ACTIO_PRECOMPILED)
  set_target_properties(actio_precompiled PROPERTIES EXPORT_NAME precompiled)
  install(TARGETS actio_precompiled EXPORT actioPrecompiledTargets)
  install(EXPORT actioPrecompiledTargets NAMESPACE actio:: DESTINATION "${package_dir}")
else()
  set(any_architecture ARCH_INDEPENDENT)
endif()

configure_package_config_file(cmake/actioConfig.cmake.in actioConfig.cmake INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file(actioConfigVersion.cmake COMPATIBILITY SameMinorVersion ${any_architecture})
install(FILES "${PROJECT_BINARY_DIR}/actioConfig.cmake" "${PROJECT_BINARY_DIR}/actioConfigVersion.cmake" DESTINATION "${package_dir}")

configure_file(cmake/actio.pc.in actio.pc @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/actio.pc" DESTINATION "${CMAKE_INSTALL_DATADIR}/pkgconfig")
install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}")
