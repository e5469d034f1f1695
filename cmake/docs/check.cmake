# SPDX-License-Identifier: BSD-3-Clause
# Whether the pages leave nothing out: each header has one, and so has each integrator.
# Arguments: DOCS, the folder with actio.tag; HEADERS, the folder of actio/.
file(READ "${DOCS}/actio.tag" tag)
file(GLOB_RECURSE headers RELATIVE "${HEADERS}" "${HEADERS}/*.hpp")
foreach(header IN LISTS headers)
  cmake_path(GET header FILENAME name)
  cmake_path(GET header PARENT_PATH folder)
  string(FIND "${tag}" "<name>${name}</name>\n    <path>${folder}/</path>" at)
  if(at EQUAL -1)
    message(SEND_ERROR "${header} is not in the documentation")
  endif()
endforeach()
