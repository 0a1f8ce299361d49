// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

#include "target/kernel.h"
#include "targets/cuda/cudnn/convolution_code.h"
#include "targets/cuda/cudnn/convolution_operands.h"
#include "targets/cuda/cudnn/convolution_plan.h"
#include "targets/cuda/kernel_launch.h"
#include "targets/cuda/loaded_code.h"

namespace kiln::targets::cuda {

/// A convolution by cuDNN as loaded from a plan.
struct LoadedConvolution {
    /// Throws kCorruptData.
    LoadedConvolution(target::KernelRecord const& plan,
                      std::span<target::ConstantOperand const> constants);

    /// Throws kCorruptData unless these are as many bytes as the packed kernel weights.
    void checkPacked(target::ConstantOperand const& kernel) const;

    target::KernelRecord record;
    std::unique_ptr<graph::Op> op;
    ConvolutionOperands operands;
    ConvolutionCode code;
    LoadedCode helper;
};

/// Where the kernel weights of a convolution are in its plan with their channels last.
std::vector<target::PackedOperand> packedKernels(target::KernelRecord const& record);
/// These weights. Throws kCorruptData.
Bytes packKernel(target::KernelRecord const& record, std::size_t operand,
                 target::ConstantOperand const& original);

/// The least workspace of a convolution with these operands that all engines should be content
/// with: twice the size of all operands, for copies in an engine's preferred layout, and 16 MiB.
std::size_t workspaceFor(ConvolutionDescription const& description);

/// A convolution by cuDNN in one execution context.
class ConvolutionInstance final : public target::KernelInstance {
public:
    explicit ConvolutionInstance(LoadedConvolution const& loaded);

    void reshape(std::span<Dims const> inputs, std::span<Dims const> outputs) override;
    target::Launch launch() override { return {&run, this}; }
    std::size_t workspaceBytes(std::span<Dims const> inputs,
                               std::span<Dims const> outputs) const override;
    std::string failureText() const override { return failure_; }

private:
    static int32_t run(void* state, target::KernelCall const& call,
                       target::StreamHandle stream) noexcept;
    /// The workspace that an engine may use.
    std::size_t engineWorkspace(ConvolutionDescription const& description) const {
        uint64_t const stored = loaded_.code.workspace;
        return stored == ConvolutionCode::kByShape ? workspaceFor(description) : stored;
    }
    void makePlan(ConvolutionDescription const& description);
    ConvolutionDescription describe(std::span<Dims const> inputs,
                                    std::span<Dims const> outputs) const;
    void prepareFill(int64_t planes, int64_t maps, int64_t plane);
    void preparePadding(ConvolutionDescription const& description, int64_t channels);
    int32_t convolve(target::KernelCall const& call, CUstream stream) noexcept;
    bool launchHelper(void const* const* from, void* const* to, CUstream stream) noexcept;
    bool isAligned(ConvolutionPlan::Pointers const& pointers) noexcept;

    struct FillArguments {
        int64_t planes = 0;
        int64_t maps = 1;
        int64_t plane = 0;
        int64_t blocks = 1;
    };
    struct PaddingArguments {
        int64_t positions = 0;
        int64_t channels = 0;
        int64_t padded = 0;
    };

    LoadedConvolution const& loaded_;
    std::optional<ConvolutionPlan> plan_; ///< none: the result is empty
    FillArguments fill_;
    PaddingArguments padding_;
    KernelLaunch helper_;
    std::size_t paddedBytes_ = 0; ///< of the padded input, at the start of the workspace
    std::string failure_;         ///< of the last launch
};

} // namespace kiln::targets::cuda
