// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <type_traits>

#include "base/error.h"
#include "targets/cuda/driver/library.h"
#include "targets/cuda/gpu.h"

namespace kiln::targets::cuda {

/// Functions of one of NVIDIA's libraries that needs a GPU.
template <typename Functions>
struct Opened {
    Functions functions;
    std::string problem; ///< why they cannot be called; empty if they can

    /// Throws kUnsupported with the problem.
    Functions const& expectUsable() const {
        if (!problem.empty()) {
            fail(ErrorKind::kUnsupported, "[cuda] {}.", problem);
        }
        return functions;
    }
};

/// Opens a library and calls lookUpAll(functions, lookUp), which calls lookUp(member, "symbol") for
/// each function. `expected`: the versions that have all of them.
template <typename Functions, typename LookUpAll>
Opened<Functions> openLibrary(LibraryNames const& names, char const* expected,
                              LookUpAll const& lookUpAll) {
    Opened<Functions> opened;
    opened.problem = gpuProblem();
    if (!opened.problem.empty()) {
        return opened;
    }
    Library const library(names);
    opened.problem = library.problem();
    if (!opened.problem.empty()) {
        return opened;
    }
    lookUpAll(opened.functions, [&](auto& member, char const* symbol) {
        member =
            reinterpret_cast<std::remove_reference_t<decltype(member)>>(library.symbol(symbol));
        if (member == nullptr && opened.problem.empty()) {
            opened.problem = fmt::format("{} lacks {}; expected {}", names.title, symbol, expected);
        }
    });
    return opened;
}

} // namespace kiln::targets::cuda
