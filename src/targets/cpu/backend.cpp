// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cpu/backend.h"

#include "base/parallel.h"
#include "target/backend_registry.h"
#include "target/kernel_registry.h"
#include "targets/cpu/device.h"
#include "targets/cpu/isa.h"
#include "targets/cpu/layouts.h"
#include "targets/cpu/onednn/onednn.h"
#include "targets/cpu/processor.h"
#include "targets/cpu/user_kernel.h"

namespace kiln::targets::cpu {

/// Generated from the names of the files in ops/.
void registerAllKernels(target::KernelRegistry& registry);

namespace {

// Bandwidth of a copy of large tensors on one core, for candidates without their own cost model.
constexpr double kBytesPerSecond = 5e9;

target::KernelRegistry const& kernels() {
    static target::KernelRegistry const registry = [] {
        target::KernelRegistry filled;
        registerAllKernels(filled);
        return filled;
    }();
    return registry;
}

} // namespace

target::Device* CpuBackend::device(int32_t) {
    return &CpuDevice::instance();
}

std::string CpuBackend::planArchitecture() const {
    return baselineArchitecture();
}

std::vector<target::Candidate> CpuBackend::candidates(target::NodeSpec const& node) const {
    return kernels().candidates(node, kBytesPerSecond, {});
}

std::unique_ptr<target::Kernel> CpuBackend::load(
    target::KernelRecord const& record, std::span<target::ConstantOperand const> constants) const {
    return kernels().load("cpu", record, constants);
}

std::optional<target::Overwriting> CpuBackend::overwriting(target::NodeSpec const& node,
                                                           target::KernelRecord const& record,
                                                           std::size_t input) const {
    return kernels().overwriting(name(), node, record, input);
}

std::span<target::Layout const> CpuBackend::layouts() const {
    return cpu::layouts();
}

std::vector<target::Form> CpuBackend::ownForms(target::NodeSpec const& node) const {
    return kernels().ownForms(node);
}

std::vector<target::PackedOperand> CpuBackend::packs(target::KernelRecord const& record) const {
    return kernels().packs(name(), record);
}

Bytes CpuBackend::pack(target::KernelRecord const& record, std::size_t operand,
                       target::ConstantOperand const& original) const {
    return kernels().pack(name(), record, operand, original);
}

std::vector<target::LibraryStatus> CpuBackend::libraries() const {
    return {onednn::status()};
}

std::string CpuBackend::timingFacts() const {
    return fmt::format("{}, {} threads", isa().name, threadCount());
}

std::vector<std::string> CpuBackend::codeArchitectures() const {
    return {machineName()};
}

std::string CpuBackend::launchProblem(target::UserLaunch const& launch) const {
    for (auto const* numbers : {&launch.grid, &launch.block}) {
        for (int64_t const number : *numbers) {
            if (number < 0) {
                return fmt::format("expected a grid and a block of 0 or more, got {}", number);
            }
        }
    }
    return {};
}

std::unique_ptr<target::Kernel> CpuDevice::load(
    target::KernelRecord const& record, std::span<target::ConstantOperand const> constants) const {
    return kernels().load("cpu", record, constants);
}

} // namespace kiln::targets::cpu

namespace kiln::target {

void registerBackend_cpu(BackendRegistry& registry) {
    registry.add("cpu", [](Target const& target) {
        if (!target.architectures.empty()) {
            fail(ErrorKind::kInvalidArgument,
                 "[target] '{}': expected no architecture for cpu, whose kernels choose their "
                 "instructions when they run. Write cpu.",
                 target.text());
        }
        return std::make_unique<targets::cpu::CpuBackend>();
    });
}

} // namespace kiln::target
