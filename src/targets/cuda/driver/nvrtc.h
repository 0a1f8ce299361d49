// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "target/backend.h"

namespace kiln::targets::cuda {

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
    X(nvrtcGetPTXSize, getPTXSize, (void* program, std::size_t* bytes))                            \
    X(nvrtcGetPTX, getPTX, (void* program, char* code))                                            \
    X(nvrtcGetProgramLogSize, getProgramLogSize, (void* program, std::size_t* bytes))              \
    X(nvrtcGetProgramLog, getProgramLog, (void* program, char* log))

/// The input of one compilation.
struct SourceText {
    std::string name; ///< file name for messages, for example "slice.cuh"
    std::string text;
    std::vector<std::pair<std::string, std::string>> defines; ///< name, value
};

/// Compiles a source for one architecture and returns the cubin ("sm_90") or PTX ("compute_80").
/// The process caches the 512 most recently used results. Throws kUnsupported if NVRTC is missing
/// or does not know the architecture, kInternal with the compiler's log if the source is wrong.
/// KILN_NVRTC names a file to open instead of libnvrtc.so. Thread-safe. Needs no device.
Bytes compileSource(SourceText const& source, std::string_view architecture);

/// Empty if NVRTC is available, else the reason.
std::string const& nvrtcProblem();

/// Where NVRTC was found, or why not.
target::LibraryStatus nvrtcStatus();

} // namespace kiln::targets::cuda
