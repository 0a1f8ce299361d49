# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
#
# Sets KILN_VERSION from include/kiln/version.h, which defines the version.
set(kiln_version_header "${CMAKE_CURRENT_LIST_DIR}/../include/kiln/version.h")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${kiln_version_header}")
file(READ "${kiln_version_header}" kiln_version_text)
set(KILN_VERSION "")
foreach(part IN ITEMS MAJOR MINOR PATCH)
    if(NOT kiln_version_text MATCHES "#define KILN_VERSION_${part} ([0-9]+)")
        message(FATAL_ERROR "include/kiln/version.h: expected '#define KILN_VERSION_${part} <n>'")
    endif()
    list(APPEND KILN_VERSION "${CMAKE_MATCH_1}")
endforeach()
list(JOIN KILN_VERSION "." KILN_VERSION)
