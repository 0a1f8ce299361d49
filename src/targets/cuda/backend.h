// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "target/backend.h"
#include "target/target.h"

namespace kiln::targets::cuda {

/// The target for NVIDIA GPUs. Plans are built for the architectures that the target names; without
/// any, for that of the GPU that is current when they are built. "compute_80" is PTX for GPUs from
/// compute capability 8.0 on.
class CudaBackend final : public target::Backend {
public:
    using target::Backend::device;

    /// Throws kUnsupported if the target names no architecture and there is no GPU,
    /// kInvalidArgument for an invalid architecture.
    explicit CudaBackend(target::Target const& target);

    std::string_view name() const override { return "cuda"; }
    target::Device* device(int32_t number) override;
    std::string noDevice() const override;
    std::vector<target::LibraryStatus> libraries() const override; // backend_libraries.cpp
    std::string timingFacts() const override;                      // the same
    bool readsHostMemory() const override { return false; }
    std::string planArchitecture() const override;
    /// PTX of a plugin must be for the architecture that PTX of this target is for.
    std::vector<std::string> codeArchitectures() const override;
    bool keepsCode() const override { return true; }
    std::vector<target::Candidate> candidates(target::NodeSpec const& node) const override;
    std::unique_ptr<target::Kernel> load(
        target::KernelRecord const& record,
        std::span<target::ConstantOperand const> constants) const override;
    std::optional<target::Overwriting> overwriting(target::NodeSpec const& node,
                                                   target::KernelRecord const& record,
                                                   std::size_t input) const override;
    std::vector<target::PackedOperand> packs(target::KernelRecord const& record) const override;
    Bytes pack(target::KernelRecord const& record, std::size_t operand,
               target::ConstantOperand const& original) const override;
    std::string launchProblem(target::UserLaunch const& launch) const override;

private:
    std::vector<std::string> const& architectures() const;

    std::vector<std::string> named_; ///< architectures of the target; empty: the current GPU's
};

} // namespace kiln::targets::cuda
