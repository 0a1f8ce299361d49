// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/blaslt/product_operands.h"

#include <algorithm>
#include <numeric>

#include "graph/ops/activation.h"
#include "graph/ops/elementwise.h"
#include "targets/cuda/chain/chain_kernel.h"

namespace kiln::targets::cuda {
namespace {

using graph::Region;
using nvinfer1::ElementWiseOperation;
using target::Workload;

bool all(Dims const& dims, int64_t value) {
    return std::all_of(dims.d, dims.d + dims.nbDims,
                       [&](int64_t extent) { return extent == value; });
}

/// A window of one position, which moves over all positions of the input.
bool isProduct(graph::Convolution const& op) {
    graph::Window const& window = op.window;
    bool const explicitly = window.paddingMode == nvinfer1::PaddingMode::kEXPLICIT_ROUND_DOWN ||
                            window.paddingMode == nvinfer1::PaddingMode::kEXPLICIT_ROUND_UP;
    return op.groups == 1 && explicitly && all(window.size, 1) && all(window.stride, 1) &&
           all(window.prePadding, 0) && all(window.postPadding, 0);
}

/// The function of the last operation; false if it is not one of cuBLASLt's.
bool functionOf(graph::Op const& op, MatmulEpilogue::Function& function) {
    using nvinfer1::ActivationType;
    if (op.kind() != graph::Activation::kKind) {
        return false;
    }
    ActivationType const type = static_cast<graph::Activation const&>(op).type;
    function = type == ActivationType::kRELU        ? MatmulEpilogue::Function::kRelu
               : type == ActivationType::kGELU_TANH ? MatmulEpilogue::Function::kGeluTanh
                                                    : MatmulEpilogue::Function::kNone;
    return function != MatmulEpilogue::Function::kNone;
}

bool is(nvinfer1::ElementWiseOperation operation, graph::Op const& op) {
    return op.kind() == graph::ElementWise::kKind &&
           static_cast<graph::ElementWise const&>(op).operation == operation;
}

/// Whether a tensor has `count` elements along one axis and repeats along all others.
bool isVectorAlong(Dims const& dims, int32_t axis, int64_t count) {
    bool fits = axis < dims.nbDims && dims.d[axis] == count;
    for (int32_t i = 0; i < dims.nbDims; ++i) {
        fits = fits && (i == axis || dims.d[i] == 1);
    }
    return fits;
}

} // namespace

ProductOperands::ProductOperands(graph::Op const& op, std::size_t inputCount) : op_(op) {
    if (op.kind() != Region::kKind) {
        anchor_.resize(inputCount);
        std::iota(anchor_.begin(), anchor_.end(), 0);
        setAnchor(op);
        return;
    }
    auto const& region = static_cast<Region const&>(op);
    problem_ = refuseUnlessAnchored(region);
    if (!problem_.empty()) {
        return;
    }
    anchor_ = region.nodes().front().inputs;
    setAnchor(*region.nodes().front().op);
    std::vector<ChainStep> const steps = stepsBehindAnchor(region);
    for (ChainStep const& step : steps) {
        bool const isLast = &step == &steps.back();
        bool const divides = is(ElementWiseOperation::kDIV, *step.op) && !step.operandFirst;
        bool const scales = divides || is(ElementWiseOperation::kPROD, *step.op);
        if (scales && step.operand >= 0 && added_.empty() && factor_ < 0) {
            factor_ = step.operand;
            divides_ = divides;
        } else if (is(ElementWiseOperation::kSUM, *step.op) && step.operand >= 0) {
            added_.push_back(static_cast<std::size_t>(step.operand));
        } else if (!isLast || !functionOf(*step.op, function_)) {
            problem_ = fmt::format("cuBLASLt has no such {} behind a product", step.op->kind());
        }
    }
    if (steps.empty()) {
        problem_ = "expected a chain of operations behind the product";
    }
}

void ProductOperands::setAnchor(graph::Op const& anchor) {
    if (anchor.kind() == graph::MatrixMultiply::kKind) {
        multiply_ = static_cast<graph::MatrixMultiply const*>(&anchor);
        return;
    }
    if (anchor.kind() != graph::Convolution::kKind ||
        !isProduct(static_cast<graph::Convolution const&>(anchor))) {
        problem_ = "expected a matrix product, or a convolution with a window of one position";
        return;
    }
    convolution_ = static_cast<graph::Convolution const*>(&anchor);
    if (std::size_t const bias = convolution_->places(anchor_.size()).bias; bias != 0) {
        added_.push_back(static_cast<std::size_t>(anchor_[bias]));
    }
}

std::size_t ProductOperands::right() const {
    std::size_t const operand =
        convolution_ == nullptr ? 1 : convolution_->places(anchor_.size()).kernel;
    return static_cast<std::size_t>(anchor_[operand]);
}

std::string ProductOperands::formatProblem(std::span<target::OperandType const> inputs,
                                           target::OperandType const& output, int32_t rank) const {
    TensorFormat const wanted = !isConvolution() ? TensorFormat::kLINEAR
                                : rank == 5      ? TensorFormat::kDHWC
                                                 : TensorFormat::kHWC;
    if (isConvolution() && rank != 4 && rank != 5) {
        return "expected two or three spatial axes";
    }
    for (std::size_t i = 0; i <= inputs.size(); ++i) {
        bool const isOutput = i == inputs.size();
        bool const isMap = isOutput || i == left() ||
                           (std::find(added_.begin(), added_.end(), i) != added_.end() &&
                            inputs[i].format != TensorFormat::kLINEAR);
        TensorFormat const got = isOutput ? output.format : inputs[i].format;
        TensorFormat const want = isMap ? wanted : TensorFormat::kLINEAR;
        if (got != want) {
            return fmt::format("expected memory format {}, got {}", nameOf(want), nameOf(got));
        }
    }
    return {};
}

MatrixProduct ProductOperands::productOf(Workload const& workload) const {
    Dims const& result = workload.outputs[0];
    if (!isConvolution()) {
        return matrixProduct(target::matrixWorkload(*multiply_, workload.inputs[left()],
                                                    workload.inputs[right()], result));
    }
    Dims const& input = workload.inputs[left()];
    target::MatrixWorkload product;
    product.inner = input.d[1];
    product.columns = result.d[1];
    product.rows = product.columns == 0 ? 0 : volume(result, "convolved tensor") / product.columns;
    product.left = {product.inner, 1};
    product.right = {product.inner, 1};
    return matrixProduct(product);
}

ProductOperands::Described ProductOperands::describe(Workload const& workload) const {
    target::checkWorkload(op_, workload);
    if (op_.kind() == Region::kKind) {
        checkOneShape(static_cast<Region const&>(op_), workload);
    }
    Dims const& result = workload.outputs[0];
    int32_t const columnAxis = isConvolution() ? 1 : result.nbDims - 1;
    Described described;
    described.product = productOf(workload);
    described.epilogue.function = function_;
    for (std::size_t const input : added_) {
        Dims const& dims = workload.inputs[input];
        TensorFormat const format = workload.inputTypes[input].format;
        bool const isMatrix = sameDims(dims, result) && format == workload.outputTypes[0].format;
        int32_t const axis = dims.nbDims == 1 ? 0 : columnAxis;
        bool const isVector =
            result.nbDims > 0 && (isConvolution() || dims.nbDims == result.nbDims) &&
            isVectorAlong(dims, axis, result.d[columnAxis]) && described.product.swapped;
        if (isVector && described.bias < 0) {
            described.bias = static_cast<int32_t>(input);
        } else if (isMatrix && described.addend < 0) {
            described.addend = static_cast<int32_t>(input);
        } else {
            fail(ErrorKind::kUnsupported,
                 "[cuda] cuBLASLt: expected a bias and a matrix to add to a product of {}, got {}",
                 toText(result), toText(dims));
        }
    }
    described.epilogue.bias = described.bias >= 0;
    described.epilogue.addend = described.addend >= 0;
    return described;
}

double ProductOperands::operations(target::NodeSpec const& node) const {
    Dims const& left = node.inputs[this->left()].opt;
    int32_t const summed = isConvolution() ? 1 : multiply_->axes(0, left.nbDims).summed;
    return 2.0 * static_cast<double>(left.d[summed]) * target::elementsOf(node);
}

} // namespace kiln::targets::cuda
