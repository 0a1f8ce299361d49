// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cpu/isa.h"

#include "targets/cpu/processor.h"

namespace kiln::targets::cpu {

std::span<Isa const> usableIsas() noexcept {
#if defined(__x86_64__)
    static Isa const all[] = {baseline::kIsa, x86_64_v3::kIsa, x86_64_v4::kIsa};
    static std::size_t const count = supports(all[2].name) ? 3 : supports(all[1].name) ? 2 : 1;
    return {all, count};
#else
    return {&baseline::kIsa, 1};
#endif
}

Isa const& isa() noexcept {
    return usableIsas().back();
}

} // namespace kiln::targets::cpu
