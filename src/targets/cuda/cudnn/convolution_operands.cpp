// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/cudnn/convolution_operands.h"

#include <numeric>

#include "targets/cuda/chain/chain_kernel.h"
#include "targets/cuda/cudnn/convolution_plan.h"

namespace kiln::targets::cuda {

using graph::Region;
using target::Workload;

ConvolutionOperands::ConvolutionOperands(graph::Op const& op, std::size_t inputCount) : op_(op) {
    if (op.kind() == graph::Convolution::kKind) {
        convolution_ = static_cast<graph::Convolution const*>(&op);
        anchor_.resize(inputCount);
        std::iota(anchor_.begin(), anchor_.end(), 0);
        return;
    }
    auto const& region = static_cast<Region const&>(op);
    graph::Op const& first = *region.nodes().front().op;
    problem_ = first.kind() == graph::Convolution::kKind
                   ? refuseUnlessAnchored(region)
                   : fmt::format("expected a convolution first, got {}", first.kind());
    if (!problem_.empty()) {
        return;
    }
    convolution_ = static_cast<graph::Convolution const*>(&first);
    anchor_ = region.nodes().front().inputs;
    steps_ = stepsBehindAnchor(region);
    if (steps_.empty()) {
        problem_ = "expected a chain of operations behind the convolution";
    }
    for (ChainStep const& step : steps_) {
        std::optional<ConvolutionStep> described = describeStep(step);
        if (!described.has_value()) {
            problem_ = fmt::format("cuDNN has no such {}", step.op->kind());
            return;
        }
        if (step.operand >= 0) {
            described->operand = static_cast<int32_t>(stepOperands_.size());
            stepOperands_.push_back(static_cast<std::size_t>(step.operand));
        }
        described_.push_back(*described);
    }
    if (stepOperands_.size() > ConvolutionPlan::kMostStepOperands) {
        problem_ = fmt::format("expected at most {} operands behind the convolution, got {}",
                               ConvolutionPlan::kMostStepOperands, stepOperands_.size());
    }
}

int32_t ConvolutionOperands::bias() const {
    std::size_t const place = convolution_->places(anchor_.size()).bias;
    return place == 0 ? -1 : anchor_[place];
}

std::string ConvolutionOperands::formatProblem(std::span<target::OperandType const> inputs,
                                               target::OperandType const& output,
                                               int32_t rank) const {
    TensorFormat const order = inputs[input()].format;
    bool const last =
        (order == TensorFormat::kHWC && rank == 4) || (order == TensorFormat::kDHWC && rank == 5);
    auto const problemOf = [](TensorFormat want, TensorFormat got) {
        return want == got
                   ? std::string()
                   : fmt::format("expected memory format {}, got {}", nameOf(want), nameOf(got));
    };
    std::string problem = last ? std::string() : problemOf(TensorFormat::kLINEAR, order);
    auto const check = [&](TensorFormat want, TensorFormat got) {
        problem = problem.empty() ? problemOf(want, got) : problem;
    };
    check(order, output.format);
    check(TensorFormat::kLINEAR, inputs[kernel()].format);
    if (bias() >= 0) {
        check(TensorFormat::kLINEAR, inputs[static_cast<std::size_t>(bias())].format);
    }
    for (std::size_t const operand : stepOperands_) {
        check(order, inputs[operand].format);
    }
    return problem;
}

target::ConvolutionWorkload ConvolutionOperands::workload(Workload const& all) const {
    std::vector<target::OperandType> types;
    std::vector<Dims> dims;
    for (int32_t const operand : anchor_) {
        types.push_back(all.inputTypes[static_cast<std::size_t>(operand)]);
        dims.push_back(all.inputs[static_cast<std::size_t>(operand)]);
    }
    return target::convolutionWorkload(*convolution_, {types, all.outputTypes, dims, all.outputs});
}

ConvolutionDescription ConvolutionOperands::describe(Workload const& all) const {
    target::checkWorkload(op_, all);
    if (op_.kind() == Region::kKind) {
        checkOneShape(static_cast<Region const&>(op_), all);
    }
    bool const last = all.inputTypes[input()].format != TensorFormat::kLINEAR;
    ConvolutionDescription description =
        describeConvolution(workload(all), all.outputTypes[0].type, last);
    description.steps = described_;
    for (std::size_t const operand : stepOperands_) {
        addOperand(description, all.inputs[operand]);
    }
    return description;
}

} // namespace kiln::targets::cuda
