// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/error.h"
#include "target/backend_registry.h"

namespace kiln::test {

/// Why tests that need a GPU, real or emulated, must be skipped; empty if there is one.
inline std::string gpuProblem() {
    try {
        target::Backend& cuda = target::BackendRegistry::instance().open("cuda");
        return cuda.device() == nullptr ? cuda.noDevice() : std::string();
    } catch (Error const& error) {
        return error.what();
    }
}

} // namespace kiln::test
