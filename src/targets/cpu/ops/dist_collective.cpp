// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// DistCollective: NCCL connects GPUs, so this target has none. Among one device, the compiler
// leaves the layer out.
#include "graph/ops/dist_collective.h"

#include "base/error.h"
#include "target/kernel_registry.h"

namespace kiln::targets::cpu {
namespace {

constexpr char const* kReason =
    "expected the target cuda: NCCL connects GPUs. Build for cuda, or for one rank";

} // namespace

void registerKernel_dist_collective(target::KernelRegistry& registry) {
    target::KernelEntry entry;
    entry.op = graph::DistCollective::kKind;
    entry.name = "dist_collective_of_gpus";
    entry.refuse = [](target::NodeSpec const&) { return std::string(kReason); };
    entry.load = [](target::KernelRecord const&,
                    std::span<target::ConstantOperand const>) -> std::unique_ptr<target::Kernel> {
        fail(ErrorKind::kUnsupported, "[cpu] DistCollective: {}.", kReason);
    };
    registry.add(std::move(entry));
}

} // namespace kiln::targets::cpu
