# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0

# kiln_flatbuffers(<target> <schema.fbs>): generates <stem>_generated.h from the schema and adds its
# include folder. KILN_FLATBUFFERS_GENERATED names a folder with an existing file to use instead.
function(kiln_flatbuffers target schema)
    cmake_path(ABSOLUTE_PATH schema BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
    cmake_path(GET schema STEM stem)
    get_target_property(type ${target} TYPE)
    if(NOT EXISTS "${schema}" OR type STREQUAL "INTERFACE_LIBRARY")
        message(STATUS "${target}: no schema ${schema}")
        return()
    endif()
    target_link_libraries(${target} PRIVATE kiln::flatbuffers)
    if(KILN_FLATBUFFERS_GENERATED)
        target_include_directories(${target} SYSTEM PUBLIC "${KILN_FLATBUFFERS_GENERATED}")
        return()
    endif()

    find_program(KILN_FLATC flatc)
    mark_as_advanced(KILN_FLATC)
    if(NOT KILN_FLATC)
        message(
            FATAL_ERROR
            "expected to find the program flatc, found it nowhere. Install flatbuffers-compiler, "
            "or pass -DKILN_FLATBUFFERS_GENERATED=<folder with ${stem}_generated.h>."
        )
    endif()
    set(folder "${PROJECT_BINARY_DIR}/generated/flatbuffers")
    set(output "${folder}/${stem}_generated.h")
    add_custom_command(
        OUTPUT "${output}"
        COMMAND "${KILN_FLATC}" --cpp --scoped-enums -o "${folder}" "${schema}"
        DEPENDS "${schema}"
        COMMENT "Generating ${stem}_generated.h"
        VERBATIM
    )
    target_sources(${target} PRIVATE "${output}")
    target_include_directories(${target} SYSTEM PUBLIC "${folder}")
endfunction()
