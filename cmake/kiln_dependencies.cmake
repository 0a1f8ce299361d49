# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
#
# External dependencies. Each is searched in the system and in CMAKE_PREFIX_PATH; nothing is
# downloaded.

# kiln_header_only(<target> <header> <package>): adds an interface target for a header-only library,
# with or without a CMake package. The error for a missing header names <package>.
function(kiln_header_only target header package)
    string(MAKE_C_IDENTIFIER "KILN_${target}_INCLUDE_DIR" variable)
    find_path(${variable} "${header}")
    mark_as_advanced(${variable})
    if(NOT ${variable})
        message(
            FATAL_ERROR
            "expected to find <${header}>, found it nowhere. Install ${package}, or name the "
            "prefix that holds it in CMAKE_PREFIX_PATH."
        )
    endif()
    add_library(${target} INTERFACE IMPORTED GLOBAL)
    target_include_directories(${target} SYSTEM INTERFACE "${${variable}}")
endfunction()

find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
kiln_header_only(kiln::xxhash xxhash.h libxxhash-dev)
kiln_header_only(kiln::protozero protozero/pbf_reader.hpp libprotozero-dev)
kiln_header_only(kiln::flatbuffers flatbuffers/flatbuffers.h libflatbuffers-dev)

if(KILN_BUILD_TOOLS)
    kiln_header_only(kiln::cli11 CLI/CLI.hpp libcli11-dev)
    kiln_header_only(kiln::json nlohmann/json.hpp nlohmann-json3-dev)
endif()
if(KILN_BUILD_TESTS)
    find_package(GTest REQUIRED)
endif()
