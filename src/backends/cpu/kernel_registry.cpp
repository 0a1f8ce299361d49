// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/kernel_registry.h"

#include <algorithm>

namespace kiln::backends::cpu {

/// Generated from the names of the files in ops/.
void registerAllKernels(KernelRegistry& registry);

KernelRegistry const& KernelRegistry::instance() {
    static KernelRegistry const registry = [] {
        KernelRegistry filled;
        registerAllKernels(filled);
        return filled;
    }();
    return registry;
}

void KernelRegistry::add(KernelEntry entry) {
    entries_[entry.op].push_back(std::move(entry));
}

std::vector<KernelEntry> const& KernelRegistry::forOp(std::string_view op) const {
    static std::vector<KernelEntry> const none;
    auto const found = entries_.find(op);
    return found == entries_.end() ? none : found->second;
}

KernelEntry const* KernelRegistry::find(std::string_view op, std::string_view name) const {
    std::vector<KernelEntry> const& entries = forOp(op);
    auto const found = std::find_if(entries.begin(), entries.end(),
                                    [&](KernelEntry const& entry) { return entry.name == name; });
    return found == entries.end() ? nullptr : &*found;
}

} // namespace kiln::backends::cpu
