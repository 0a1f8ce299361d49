# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
#
# Language level, warnings, sanitizers and output folders for every target of this tree.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/archive")

if(PROJECT_IS_TOP_LEVEL)
    set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
    if(NOT CMAKE_BUILD_TYPE)
        set(CMAKE_BUILD_TYPE RelWithDebInfo)
    endif()
    # Line tables are all that a backtrace needs; full debug information costs compile time.
    set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g1 -DNDEBUG")
    if(KILN_SANITIZE)
        set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O1 -g1")
    endif()
    if(KILN_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
        find_program(KILN_CCACHE_PROGRAM ccache)
        mark_as_advanced(KILN_CCACHE_PROGRAM)
        if(KILN_CCACHE_PROGRAM)
            # Paths relative to the tree let one clone use what another compiled.
            set(CMAKE_CXX_COMPILER_LAUNCHER
                env
                "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}"
                CCACHE_NOHASHDIR=1
                "${KILN_CCACHE_PROGRAM}"
            )
        endif()
    endif()
    # No path of the machine that compiled it stays in a binary.
    add_compile_options("-ffile-prefix-map=${PROJECT_SOURCE_DIR}=.")
endif()

add_compile_options(-Wall -Wextra)
# Deprecated names of the public API are implemented, and passed on, by design.
add_compile_options(-Wno-deprecated-declarations)
# GCC 12 reports these two in std::vector where they can not happen; the sanitizers find real ones.
add_compile_options(-Wno-array-bounds -Wno-stringop-overflow)
if(KILN_WERROR)
    add_compile_options(-Werror)
endif()

# What the platform offers against memory errors. The standard library checks its own indices and
# preconditions: a wrong one ends the process rather than read or write past the end.
if(KILN_HARDENING)
    add_compile_options(-fstack-protector-strong)
    add_compile_definitions(_GLIBCXX_ASSERTIONS)
    add_link_options(LINKER:-z,relro LINKER:-z,now LINKER:-z,noexecstack)
    if(NOT KILN_SANITIZE)
        # Needs an optimizer; the address sanitizer checks the same calls itself. Distributions may
        # predefine another level.
        set(optimizes $<CONFIG:Release,RelWithDebInfo,MinSizeRel>)
        add_compile_options("$<${optimizes}:SHELL:-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3>")
    endif()
endif()

if(KILN_SANITIZE)
    add_compile_options("-fsanitize=${KILN_SANITIZE}" -fno-omit-frame-pointer)
    add_link_options("-fsanitize=${KILN_SANITIZE}")
    if(KILN_SANITIZE MATCHES "undefined")
        # A finding ends the test that made it.
        add_compile_options(-fno-sanitize-recover=undefined)
    endif()
endif()
