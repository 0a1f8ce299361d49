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
    bool const isProduct = first.kind() == graph::MatrixMultiply::kKind;
    problem_ = isProduct || first.kind() == graph::Convolution::kKind
                   ? refuseUnlessAnchored(region)
                   : fmt::format("expected a convolution or a product first, got {}", first.kind());
    if (!problem_.empty()) {
        return;
    }
    if (isProduct) {
        product_ = static_cast<graph::MatrixMultiply const*>(&first);
    } else {
        convolution_ = static_cast<graph::Convolution const*>(&first);
    }
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

std::size_t ConvolutionOperands::kernel() const {
    return at(isProduct() ? 1 : convolution_->places(anchor_.size()).kernel);
}

int32_t ConvolutionOperands::bias() const {
    if (isProduct()) {
        return -1; // an operation behind the product
    }
    std::size_t const place = convolution_->places(anchor_.size()).bias;
    return place == 0 ? -1 : anchor_[place];
}

std::string ConvolutionOperands::formatProblem(std::span<target::OperandType const> inputs,
                                               target::OperandType const& output,
                                               int32_t rank) const {
    TensorFormat const order = isProduct() ? TensorFormat::kLINEAR : inputs[input()].format;
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
    check(order, inputs[input()].format);
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

std::optional<Dims> ConvolutionOperands::orderedKernel(Dims const& kernel) const {
    if (!isProduct()) {
        return kernel;
    }
    int32_t const rank = kernel.nbDims;
    if (rank < 2 || product_->operation[1] == nvinfer1::MatrixOperation::kTRANSPOSE) {
        return std::nullopt;
    }
    return Dims{3, {1, kernel.d[rank - 2], kernel.d[rank - 1]}};
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
    if (isProduct()) {
        return describeProduct(all);
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

ConvolutionDescription ConvolutionOperands::describeProduct(Workload const& all) const {
    Dims const& result = all.outputs[0];
    Dims const& from = all.inputs[input()];
    target::ConvolutionWorkload rows;
    rows.channels = from.d[from.nbDims - 1];
    rows.maps = result.d[result.nbDims - 1];
    rows.batch = rows.maps == 0 ? 0 : volume(result, "product") / rows.maps;
    ConvolutionDescription description = describeConvolution(rows, all.outputTypes[0].type, true);
    description.isProduct = true;
    description.steps = described_;
    for (std::size_t const operand : stepOperands_) {
        Dims const& dims = all.inputs[operand];
        bool const isVector = volume(dims, "operand") == rows.maps && dims.nbDims > 0 &&
                              dims.d[dims.nbDims - 1] == rows.maps;
        if (!isVector && !sameDims(dims, result)) {
            fail(ErrorKind::kUnsupported,
                 "[cuda] cuDNN: expected operands of {} values or of the shape of the product, {}, "
                 "got {}. Build the plan for these shapes.",
                 rows.maps, toText(result), toText(dims));
        }
        addOperand(description, Dims{4, {isVector ? 1 : rows.batch, rows.maps, 1, 1}});
    }
    return description;
}

} // namespace kiln::targets::cuda
