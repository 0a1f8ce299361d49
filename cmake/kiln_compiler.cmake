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
    # Backtraces need only line tables; full debug information costs compile time.
    set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g1 -DNDEBUG")
    if(KILN_SANITIZE)
        set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O1 -g1")
    endif()
    if(KILN_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
        find_program(KILN_CCACHE_PROGRAM ccache)
        mark_as_advanced(KILN_CCACHE_PROGRAM)
        if(KILN_CCACHE_PROGRAM)
            # Relative paths let several clones share the cache.
            set(CMAKE_CXX_COMPILER_LAUNCHER
                env
                "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}"
                CCACHE_NOHASHDIR=1
                "${KILN_CCACHE_PROGRAM}"
            )
        endif()
    endif()
    # Keep absolute build paths out of binaries.
    add_compile_options("-ffile-prefix-map=${PROJECT_SOURCE_DIR}=.")
endif()

add_compile_options(-Wall -Wextra)
# Kiln implements and calls deprecated functions of the public API.
add_compile_options(-Wno-deprecated-declarations)
# GCC 12 reports false positives of these two in std::vector; the sanitizers find real errors.
add_compile_options(-Wno-array-bounds -Wno-stringop-overflow)
if(KILN_WERROR)
    add_compile_options(-Werror)
endif()

# Hardening against memory errors. The standard library checks indices and preconditions and aborts
# instead of accessing memory out of bounds.
if(KILN_HARDENING)
    add_compile_options(-fstack-protector-strong)
    add_compile_definitions(_GLIBCXX_ASSERTIONS)
    add_link_options(LINKER:-z,relro LINKER:-z,now LINKER:-z,noexecstack)
    if(NOT KILN_SANITIZE)
        # Requires optimization. The address sanitizer checks the same calls. Undefine the macro
        # first: distributions may predefine another level.
        set(optimizes $<CONFIG:Release,RelWithDebInfo,MinSizeRel>)
        add_compile_options("$<${optimizes}:SHELL:-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3>")
    endif()
endif()

if(KILN_SANITIZE)
    add_compile_options("-fsanitize=${KILN_SANITIZE}" -fno-omit-frame-pointer)
    add_link_options("-fsanitize=${KILN_SANITIZE}")
    if(KILN_SANITIZE MATCHES "undefined")
        # A finding fails the test that caused it.
        add_compile_options(-fno-sanitize-recover=undefined)
    endif()
endif()
