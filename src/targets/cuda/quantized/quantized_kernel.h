// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// What the own kernels of quantized products share: KernelRecord::code is uint8 whether the weights
// are packed (quantized_weights.h), then the compiled code.
#pragma once

#include "targets/cuda/loaded_code.h"
#include "targets/cuda/quantized/quantized_arguments.h"
#include "targets/cuda/quantized/quantized_record.h"
#include "targets/cuda/region_entry.h"

namespace kiln::targets::cuda {

/// What a kernel loads from a plan.
struct LoadedQuantized : QuantizedRecord {
    LoadedQuantized(target::KernelRecord const& plan,
                    std::span<target::ConstantOperand const> constants);

    target::KernelRecord record;
    LoadedCode code;
};

/// Describes a loaded region at the shapes of a run.
QuantizedArguments describeLoaded(LoadedQuantized const& loaded, std::span<Dims const> inputs,
                                  std::span<Dims const> outputs);

/// KernelRecord::code.
Bytes codeOfQuantized(QuantizedRegion const& region, target::NodeSpec const& node,
                      Bytes const& compiled);

/// The registry entry of a kernel:
///
///   static constexpr std::string_view kName = "region_quantized";
///   static std::string refuse(NodeSpec const&);      // includes refuseQuantized()
///   static double estimate(NodeSpec const&);
///   static Bytes compile(QuantizedRegion const&, NodeSpec const&, std::span<std::string const>);
///
/// `Instance` launches it, and is made of a LoadedQuantized.
template <typename Impl, typename Instance>
target::KernelEntry quantizedEntry() {
    target::KernelEntry entry =
        regionEntry<LoadedQuantized, Instance>(Impl::kName, &Impl::refuse, &Impl::estimate);
    entry.compile = [](target::NodeSpec const& node, std::span<std::string const> architectures) {
        QuantizedRegion const region(static_cast<graph::Region const&>(node.op));
        return codeOfQuantized(region, node, Impl::compile(region, node, architectures));
    };
    entry.packs = &quantizedPacks;
    entry.pack = &packQuantized;
    return entry;
}

} // namespace kiln::targets::cuda
