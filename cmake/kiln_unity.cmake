# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0

# kiln_unity(<target>): with KILN_UNITY, one compiler run takes several sources, where most of its
# time would go into the headers that they share. scripts/unity_groups.py says which: names may
# repeat between files. A source with options of its own, or a generated one, stays alone. Called
# where the sources have all their properties.
set(kiln_unity_size 10)

function(kiln_unity target)
    get_target_property(type ${target} TYPE)
    if(NOT KILN_UNITY OR type STREQUAL "INTERFACE_LIBRARY")
        return()
    endif()
    find_program(KILN_UNITY_PYTHON NAMES python3 python REQUIRED)
    mark_as_advanced(KILN_UNITY_PYTHON)
    get_target_property(sources ${target} SOURCES)
    list(FILTER sources INCLUDE REGEX "^${PROJECT_SOURCE_DIR}/.*\\.cpp$")
    list(FILTER sources EXCLUDE REGEX "^${PROJECT_BINARY_DIR}/")
    set(script "${PROJECT_SOURCE_DIR}/scripts/unity_groups.py")
    execute_process(
        COMMAND "${KILN_UNITY_PYTHON}" "${script}" ${kiln_unity_size} ${sources}
        OUTPUT_VARIABLE lines
        COMMAND_ERROR_IS_FATAL ANY
    )
    string(REGEX MATCHALL "[^\n]+" lines "${lines}")
    foreach(line IN LISTS lines)
        string(REGEX MATCH "^([0-9]+) (.*)$" line "${line}")
        set_source_files_properties("${CMAKE_MATCH_2}" PROPERTIES UNITY_GROUP "${CMAKE_MATCH_1}")
    endforeach()
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
    # An edit may call for other groups.
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${sources} "${script}")
    # GCC takes a type of such a source for one that other sources include.
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
endfunction()
