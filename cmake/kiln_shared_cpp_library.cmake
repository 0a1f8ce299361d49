# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
#
# Refuses a compiler that links the C++ library statically into shared libraries. In a process with
# Torch there would be two copies, and one would free memory that the other allocated. Indirect
# dependencies are no evidence, because libfmt always needs the shared C++ library. So this links a
# small test library and reads its symbols.
function(kiln_check_shared_cpp_library)
    if(KILN_SHARED_CPP_LIBRARY STREQUAL CMAKE_CXX_COMPILER OR NOT CMAKE_READELF)
        return()
    endif()
    set(stem "${PROJECT_BINARY_DIR}/CMakeFiles/kiln_shared_cpp_library")
    file(
        WRITE "${stem}.cpp"
        "#include <stdexcept>\n#include <string>\n"
        "std::string probe(std::string const& text, unsigned at) {\n"
        "    if (text.empty()) { throw std::runtime_error(text); }\n"
        "    return text.substr(at);\n}\n"
    )
    separate_arguments(
        flags
        UNIX_COMMAND
        "${CMAKE_CXX_COMPILER_ARG1} ${CMAKE_CXX_FLAGS} ${CMAKE_SHARED_LINKER_FLAGS}"
    )
    execute_process(
        COMMAND "${CMAKE_CXX_COMPILER}" ${flags} -shared -fPIC "${stem}.cpp" -o "${stem}.so"
        RESULT_VARIABLE failed
        ERROR_VARIABLE text
    )
    if(failed)
        message(
            FATAL_ERROR
            "expected ${CMAKE_CXX_COMPILER} to link a shared library, got:\n${text}"
        )
    endif()
    execute_process(
        COMMAND "${CMAKE_READELF}" --wide --dynamic --symbols "${stem}.so"
        OUTPUT_VARIABLE text
    )
    if(
        text MATCHES "NEEDED[^\n]*lib(std)?c\\+\\+\\.so"
        AND NOT text MATCHES "FUNC[^\n]* [0-9]+ _ZSt20__throw_out_of_range"
    )
        set(KILN_SHARED_CPP_LIBRARY
            "${CMAKE_CXX_COMPILER}"
            CACHE INTERNAL
            "The compiler that was found to link the shared C++ library"
        )
        return()
    endif()
    message(
        FATAL_ERROR
        "expected ${CMAKE_CXX_COMPILER} to link shared libraries with libstdc++.so, got the C++ "
        "library inside of them. Beside another copy, such as Torch's, the process crashes. Name a "
        "compiler that links the shared one, as in CXX=/usr/bin/g++, or take -static-libstdc++ out "
        "of its options."
    )
endfunction()
kiln_check_shared_cpp_library()
