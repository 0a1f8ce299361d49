// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "graph/ops/convolution.h"
#include "graph/ops/matrix_multiply.h"
#include "target/workload/workload.h"
#include "targets/cuda/cudnn/convolution_description.h"

namespace kiln::targets::cuda {

/// A Convolution, or a Region that begins with one, with the operands that cuDNN needs. Also a
/// Region that begins with a MatrixMultiply by a constant matrix: a convolution of one position for
/// each row, with channels last.
class ConvolutionOperands {
public:
    /// `problem()` says why the op is nothing for cuDNN. The op must outlive this object.
    ConvolutionOperands(graph::Op const& op, std::size_t inputCount);

    std::string const& problem() const noexcept { return problem_; }
    bool isProduct() const noexcept { return product_ != nullptr; }
    int64_t groups() const { return isProduct() ? 1 : convolution_->groups; }
    /// Must not be called for products.
    graph::Convolution const& convolution() const { return *convolution_; }
    std::vector<ChainStep> const& steps() const noexcept { return steps_; }
    /// Numbers of the op's inputs; `bias` is -1 if there is none.
    std::size_t input() const { return at(0); }
    std::size_t kernel() const;
    int32_t bias() const;
    /// The inputs that are operands of steps, in the order of the description's operands.
    std::vector<std::size_t> const& stepOperands() const noexcept { return stepOperands_; }

    /// Whether the channels of an input of this format are innermost.
    bool isChannelsLast(TensorFormat format) const {
        return isProduct() || format != TensorFormat::kLINEAR;
    }
    /// The kernel weights as [maps, channels, spatial...], for kernelWithChannelsLast(), which puts
    /// the channels last. Empty if a product's matrix has its columns as rows already.
    std::optional<Dims> orderedKernel(Dims const& kernel) const;

    /// Why the operands' formats are not those of one order: linear, or channels last for all but
    /// kernel and bias; empty if they are.
    std::string formatProblem(std::span<target::OperandType const> inputs,
                              target::OperandType const& output, int32_t rank) const;

    /// Throws kInvalidArgument for shapes that the op does not give.
    ConvolutionDescription describe(target::Workload const& workload) const;
    /// The operands of the convolution alone, in its order.
    target::ConvolutionWorkload workload(target::Workload const& all) const;

private:
    std::size_t at(std::size_t operand) const { return static_cast<std::size_t>(anchor_[operand]); }

    graph::Op const& op_;
    ConvolutionDescription describeProduct(target::Workload const& workload) const;

    graph::Convolution const* convolution_ = nullptr;
    graph::MatrixMultiply const* product_ = nullptr;
    std::vector<int32_t> anchor_; ///< inputs of the op that are operands of the convolution
    std::vector<ChainStep> steps_;
    std::vector<ConvolutionStep> described_;
    std::vector<std::size_t> stepOperands_;
    std::string problem_;
};

} // namespace kiln::targets::cuda
