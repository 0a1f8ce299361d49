// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/ops/region.h"
#include "target/kernel_registry.h"

namespace kiln::targets::cuda {

/// A kernel whose instances share what was loaded from a plan. `Loaded` is made of the record, or
/// of the record and the constants; `Instance`, a target::KernelInstance, of a Loaded.
template <typename Loaded, typename Instance>
class LoadedKernel final : public target::Kernel {
public:
    template <typename... Parts>
    explicit LoadedKernel(Parts const&... parts) : loaded_(parts...) {}

    std::unique_ptr<target::KernelInstance> instantiate() const override {
        return std::make_unique<Instance>(loaded_);
    }

private:
    Loaded loaded_;
};

/// The registry entry of such a kernel of regions, less how it is compiled and what it packs.
template <typename Loaded, typename Instance>
target::KernelEntry regionEntry(std::string_view name,
                                std::string (*refuse)(target::NodeSpec const&),
                                double (*estimate)(target::NodeSpec const&)) {
    target::KernelEntry entry;
    entry.op = graph::Region::kKind;
    entry.name = name;
    entry.refuse = refuse;
    entry.estimate = estimate;
    entry.load =
        [](target::KernelRecord const& record,
           std::span<target::ConstantOperand const> constants) -> std::unique_ptr<target::Kernel> {
        using Kernel = LoadedKernel<Loaded, Instance>;
        if constexpr (std::is_constructible_v<Loaded, target::KernelRecord const&,
                                              std::span<target::ConstantOperand const>>) {
            return std::make_unique<Kernel>(record, constants);
        } else {
            return std::make_unique<Kernel>(record);
        }
    };
    return entry;
}

} // namespace kiln::targets::cuda
