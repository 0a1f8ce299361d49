# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
#
# One target per folder of src/.

# kiln_sources(<variable> <folder>...): lists every .cpp below the folders, including new files.
function(kiln_sources variable)
    list(TRANSFORM ARGN APPEND "/*.cpp")
    file(GLOB_RECURSE found CONFIGURE_DEPENDS ${ARGN})
    set(${variable} "${found}" PARENT_SCOPE)
endfunction()

# kiln_library(<name> [DEPENDS <lower folders' targets>] [PRIVATE <targets>] [WITHOUT <regex>])
#
# Adds a static library of every .cpp below the current folder, with include paths src/ and
# include/, without the files whose paths match the expression. DEPENDS are public dependencies,
# PRIVATE are private ones. A folder without sources becomes an interface target, so that the
# folders that depend on it still configure.
function(kiln_library name)
    cmake_parse_arguments(arg "" "WITHOUT" "DEPENDS;PRIVATE" ${ARGN})
    kiln_sources(sources "${CMAKE_CURRENT_SOURCE_DIR}")
    if(arg_WITHOUT)
        list(FILTER sources EXCLUDE REGEX "${arg_WITHOUT}")
    endif()
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

# kiln_shared_library(<target> <name>): applies the common settings of shared libraries. There are
# no version symlinks, because a wheel stores a symlink as a second copy of the library, which would
# have a second plugin registry.
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
    kiln_own_assertions(${target})
endfunction()

# kiln_own_assertions(<target>): links the function of src/compat/assertion_failure.cpp into a
# shared library. An object library, so that the groups of kiln_unity stay as they are.
function(kiln_own_assertions target)
    if(NOT TARGET kiln_assertions)
        add_library(kiln_assertions OBJECT "${PROJECT_SOURCE_DIR}/src/compat/assertion_failure.cpp")
    endif()
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:kiln_assertions>)
endfunction()
