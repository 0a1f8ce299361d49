// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/isa.h"

#include <vector>

#include "backends/cpu/processor.h"

namespace kiln::backends::cpu {

std::span<Isa const> usableIsas() {
    static std::vector<Isa> const usable = [] {
        std::vector<Isa> found{baseline::kIsa};
#if defined(__x86_64__)
        for (Isa const& candidate : {x86_64_v3::kIsa, x86_64_v4::kIsa}) {
            if (architectureProblem(candidate.name).empty()) {
                found.push_back(candidate);
            }
        }
#endif
        return found;
    }();
    return usable;
}

Isa const& isa() {
    return usableIsas().back();
}

} // namespace kiln::backends::cpu
