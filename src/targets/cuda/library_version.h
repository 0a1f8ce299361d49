// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <fmt/core.h>

namespace kiln::targets::cuda {

/// The version of cuBLASLt or cuDNN, which encode 9.13.1 as 91301. Empty if it cannot be used, as
/// on a machine without a GPU, where plans are built without timings.
template <typename Functions>
std::string versionOf() {
    if (!Functions::problem().empty()) {
        return {};
    }
    std::size_t const version = Functions::instance().version();
    return fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

} // namespace kiln::targets::cuda
