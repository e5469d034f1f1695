# SPDX-License-Identifier: BSD-3-Clause
# Run by CPack before it closes a package: installs the documents that Debian requires, under the required names.
if(NOT CPACK_GENERATOR STREQUAL "DEB")
  return()
endif()
cmake_path(GET CPACK_RESOURCE_FILE_LICENSE PARENT_PATH source)
set(usr "${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr")
set(documents "${usr}/share/doc/${CPACK_DEBIAN_PACKAGE_NAME}")
file(REMOVE_RECURSE "${usr}/share/doc/actio")
file(MAKE_DIRECTORY "${documents}")

file(COPY_FILE "${source}/LICENSE" "${documents}/copyright")
file(COPY_FILE "${source}/CHANGELOG.md" "${documents}/changelog")
string(TIMESTAMP now "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(WRITE "${documents}/changelog.Debian"
"${CPACK_DEBIAN_PACKAGE_SOURCE} (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; urgency=medium

  * Packaged by CPack; changelog.gz tells what changed.

 -- ${CPACK_DEBIAN_PACKAGE_MAINTAINER}  ${now}
")
execute_process(COMMAND gzip -9n changelog changelog.Debian WORKING_DIRECTORY "${documents}" COMMAND_ERROR_IS_FATAL ANY)

file(CHMOD_RECURSE "${usr}"  # independently of the umask
     FILE_PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ
     DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
