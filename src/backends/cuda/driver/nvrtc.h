// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backend/backend.h"
#include "base/bytes.h"

namespace kiln::backends::cuda {

// Every function of NVRTC that Kiln calls. Source: NVRTC reference, toolkit 13.0.
#define KILN_NVRTC_FUNCTIONS(X)                                                                    \
    X(nvrtcVersion, version, (int* major, int* minor))                                             \
    X(nvrtcCreateProgram, createProgram,                                                           \
      (void** program, char const* source, char const* name, int headers,                          \
       char const* const* headerTexts, char const* const* headerNames))                            \
    X(nvrtcDestroyProgram, destroyProgram, (void** program))                                       \
    X(nvrtcCompileProgram, compileProgram, (void* program, int options, char const* const* texts)) \
    X(nvrtcGetCUBINSize, getCUBINSize, (void* program, std::size_t* bytes))                        \
    X(nvrtcGetCUBIN, getCUBIN, (void* program, char* code))                                        \
    X(nvrtcGetProgramLogSize, getProgramLogSize, (void* program, std::size_t* bytes))              \
    X(nvrtcGetProgramLog, getProgramLog, (void* program, char* log))

/// What one compilation starts from.
struct SourceText {
    std::string name; ///< of the file that messages show, such as "slice.cuh"
    std::string text;
    std::vector<std::pair<std::string, std::string>> defines; ///< name, value
};

/// Compiles a source for one architecture ("sm_90") and returns the cubin. Equal sources
/// are compiled once per process (the 512 that were used last are kept). Throws kUnsupported when
/// NVRTC is missing or does not know the architecture, kInternal with the compiler's log when the
/// source is wrong. KILN_NVRTC names another file than libnvrtc.so. Thread-safe. Needs no device.
Bytes compileSource(SourceText const& source, std::string_view architecture);

/// Empty if NVRTC is at hand, else the reason why not.
std::string const& nvrtcProblem();

/// Where it was found, or why not.
backend::LibraryStatus nvrtcStatus();

} // namespace kiln::backends::cuda
