# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
#
# One target per folder of src/.

# kiln_sources(<variable> <folder>...): every .cpp below the folders; a new file needs no edit.
function(kiln_sources variable)
    list(TRANSFORM ARGN APPEND "/*.cpp")
    file(GLOB_RECURSE found CONFIGURE_DEPENDS ${ARGN})
    set(${variable} "${found}" PARENT_SCOPE)
endfunction()

# kiln_library(<name> [DEPENDS <lower folders' targets>] [PRIVATE <targets>])
#
# A static library of every .cpp below the current folder. It sees src/ and include/. DEPENDS are
# visible to whoever uses this folder's headers, PRIVATE to the folder alone. A folder without
# sources becomes a target without code, so that the folders above it still configure.
function(kiln_library name)
    cmake_parse_arguments(arg "" "" "DEPENDS;PRIVATE" ${ARGN})
    kiln_sources(sources "${CMAKE_CURRENT_SOURCE_DIR}")
    if(NOT sources)
        message(STATUS "${name}: no sources in ${CMAKE_CURRENT_SOURCE_DIR}")
        add_library(${name} INTERFACE)
        target_link_libraries(${name} INTERFACE ${arg_DEPENDS})
        return()
    endif()
    add_library(${name} STATIC ${sources})
    target_include_directories(${name} PUBLIC "${PROJECT_SOURCE_DIR}/src")
    target_link_libraries(${name} PUBLIC kiln_headers ${arg_DEPENDS} PRIVATE ${arg_PRIVATE})
    kiln_unity(${name})
endfunction()

# kiln_shared_library(<target> <name>): settings that all shared libraries have in common. There is
# one file without version links, because a wheel turns a link into a second copy of the library,
# and with it a second plugin registry.
function(kiln_shared_library target name)
    set_target_properties(
        ${target}
        PROPERTIES OUTPUT_NAME ${name} EXPORT_NAME ${name} INSTALL_RPATH "$ORIGIN"
    )
    set(exports "${PROJECT_SOURCE_DIR}/cmake/exports.map")
    target_link_options(
        ${target}
        PRIVATE
            LINKER:--no-undefined
            LINKER:-Bsymbolic-functions
            "LINKER:--version-script=${exports}"
    )
    set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS "${exports}")
endfunction()
