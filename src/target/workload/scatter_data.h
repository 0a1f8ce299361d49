// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "graph/ops/scatter.h"
#include "target/candidate.h"
#include "target/kernel.h"

namespace kiln::target {

/// KernelEntry::overwriting of kernels that combine updates with data: if nothing else reads the
/// data, they work in its memory, and nothing is copied.
inline std::optional<Overwriting> overScatterData(NodeSpec const&, KernelRecord const& record,
                                                  std::size_t input) {
    return input == graph::Scatter::kData ? std::optional<Overwriting>({record.code, 0})
                                          : std::nullopt;
}

} // namespace kiln::target
