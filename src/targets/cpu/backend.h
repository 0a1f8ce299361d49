// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "target/backend.h"

namespace kiln::targets::cpu {

/// The target that runs on this machine's processor.
class CpuBackend final : public target::Backend {
public:
    using target::Backend::device;

    std::string_view name() const override { return "cpu"; }
    target::Device* device(int32_t number) override;
    bool readsHostMemory() const override { return true; }
    std::string planArchitecture() const override;
    std::vector<std::string> codeArchitectures() const override;
    std::vector<target::Candidate> candidates(target::NodeSpec const& node) const override;
    std::unique_ptr<target::Kernel> load(
        target::KernelRecord const& record,
        std::span<target::ConstantOperand const> constants) const override;
    std::optional<target::Overwriting> overwriting(target::NodeSpec const& node,
                                                   target::KernelRecord const& record,
                                                   std::size_t input) const override;
    std::string timingFacts() const override;
    std::span<target::Layout const> layouts() const override;
    std::vector<target::Form> ownForms(target::NodeSpec const& node) const override;
    std::vector<target::PackedOperand> packs(target::KernelRecord const& record) const override;
    Bytes pack(target::KernelRecord const& record, std::size_t operand,
               target::ConstantOperand const& original) const override;
    std::vector<target::LibraryStatus> libraries() const override;

    std::string launchProblem(target::UserLaunch const& launch) const override;
};

} // namespace kiln::targets::cpu
