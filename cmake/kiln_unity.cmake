# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0

# kiln_unity(<target>): with KILN_UNITY, compiles several sources in one compiler run, because most
# of the time is spent in shared headers. scripts/unity_groups.py selects sources whose names do not
# conflict. Sources with their own options and generated ones are compiled separately. Call it after
# all source properties are set.
set(kiln_unity_size 10)

function(kiln_unity target)
    get_target_property(type ${target} TYPE)
    if(NOT KILN_UNITY OR type STREQUAL "INTERFACE_LIBRARY")
        return()
    endif()
    get_target_property(sources ${target} SOURCES)
    list(FILTER sources INCLUDE REGEX "^${PROJECT_SOURCE_DIR}/.*\\.cpp$")
    list(FILTER sources EXCLUDE REGEX "^${PROJECT_BINARY_DIR}/")
    set(script "${PROJECT_SOURCE_DIR}/scripts/unity_groups.py")
    execute_process(
        COMMAND "${KILN_SCRIPT_PYTHON}" "${script}" ${kiln_unity_size} ${sources}
        OUTPUT_VARIABLE lines
        COMMAND_ERROR_IS_FATAL ANY
    )
    string(REGEX MATCHALL "[^\n]+" lines "${lines}")
    foreach(line IN LISTS lines)
        string(REGEX MATCH "^([0-9]+) (.*)$" line "${line}")
        set_source_files_properties("${CMAKE_MATCH_2}" PROPERTIES UNITY_GROUP "${CMAKE_MATCH_1}")
    endforeach()
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
    # An edit can change the groups.
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${sources} "${script}")
    # GCC treats the types of grouped sources as if they came from a header, and warns.
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
endfunction()
