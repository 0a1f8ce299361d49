// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/quantized/quantized_region.h"

#include <algorithm>

#include "graph/ops/dequantize.h"
#include "target/workload/node_at.h"
#include "targets/cuda/chain/chain_kernel.h"
#include "targets/cuda/chain/compute_source.h"

namespace kiln::targets::cuda {
namespace {

using graph::Region;
using nvinfer1::MatrixOperation;
using target::NodeSpec;
using target::OperandSpec;

/// Whether the node in front of the anchor is a dequantization without a zero point that only the
/// anchor reads, as its operand `operand`.
bool isSource(Region const& region, std::size_t number, std::size_t anchor, std::size_t operand) {
    Region::Node const& node = region.nodes()[number];
    if (node.op->kind() != graph::Dequantize::kKind) {
        return false;
    }
    int32_t const value = region.firstOutput(number);
    bool const ready = std::all_of(node.inputs.begin(), node.inputs.end(), [&](int32_t input) {
        return input >= 0 && input < region.inputCount();
    });
    return ready && node.inputs.size() == 2 && region.readersOf(value) == 1 &&
           region.nodes()[anchor].inputs.size() > operand &&
           region.nodes()[anchor].inputs[operand] == value;
}

bool hasBlocks(Region::Node const& node) {
    return static_cast<graph::Dequantize const&>(*node.op).blockShape.nbDims != 0;
}

bool allOnes(int64_t const* first, int64_t const* last) {
    return std::all_of(first, last, [](int64_t extent) { return extent == 1; });
}

} // namespace

bool isInteger8(DataType type) noexcept {
    return type == DataType::kINT8 || type == DataType::kUINT8;
}

QuantizedRegion::ChainNode::ChainNode(QuantizedRegion const& region, NodeSpec const& whole)
    : inputs(whole.inputs.begin(), whole.inputs.end()),
      node{region.chain(), whole.layer, inputs, whole.outputs} {
    std::vector<Region::KnownValue> const values = valuesOf(region.region(), whole);
    std::size_t const own = inputs.size();
    for (std::size_t i = 0; i <= region.anchor_; ++i) {
        inputs.push_back(whole.outputs[0]);
        inputs.back().constant = false;
        inputs.back().type.type = values[own + i].type;
    }
    node.inputs = inputs;
}

QuantizedRegion::QuantizedRegion(Region const& region, Sources sources)
    : region_(region), anchor_(sources == Sources::kBoth ? 2 : 1) {
    problem_ = anchorProblem();
    if (!problem_.empty()) {
        return;
    }
    chain_ = std::make_unique<Region>(region.inputCount() + static_cast<int32_t>(anchor_) + 1);
    for (std::size_t i = anchor_ + 1; i < region.nodes().size(); ++i) {
        chain_->add(region.nodes()[i].op->clone(), region.nodes()[i].inputs);
    }
    chain_->setResults(region.results());
    for (int32_t i = 0; i < region.inputCount(); ++i) {
        if (chain_->readersOf(i) > 0) {
            operands_.push_back(static_cast<std::size_t>(i));
        }
    }
    if (operands_.size() > kMostOperands) {
        problem_ = fmt::format("expected at most {} operands behind the product, got {}",
                               kMostOperands, operands_.size());
    }
}

std::string QuantizedRegion::anchorProblem() {
    bool const both = anchor_ == 2;
    if (region_.nodes().size() <= anchor_ || !isSource(region_, anchor_ - 1, anchor_, 1) ||
        (both && (!isSource(region_, 0, anchor_, 0) || hasBlocks(region_.nodes()[0]) ||
                  hasBlocks(region_.nodes()[1])))) {
        return both ? "expected two dequantizations, without zero points and blocks, then a "
                      "product or a convolution"
                    : "expected a dequantization without zero points, then a product";
    }
    Region::Node const& anchor = region_.nodes()[anchor_];
    if (!both && (anchor.op->kind() != graph::MatrixMultiply::kKind || anchor.inputs[0] < 0 ||
                  anchor.inputs[0] >= region_.inputCount())) {
        return "expected a product of an input of the region";
    }
    if (anchor.op->kind() == graph::MatrixMultiply::kKind) {
        multiply_ = static_cast<graph::MatrixMultiply const*>(anchor.op.get());
        if (multiply_->operation[0] == MatrixOperation::kVECTOR ||
            multiply_->operation[1] == MatrixOperation::kVECTOR) {
            return "expected a product of matrices";
        }
    } else if (anchor.op->kind() == graph::Convolution::kKind) {
        convolution_ = static_cast<graph::Convolution const*>(anchor.op.get());
        std::size_t const place = convolution_->places(anchor.inputs.size()).bias;
        bias_ = place == 0 ? -1 : anchor.inputs[place];
        if (place != 0 && (bias_ < 0 || bias_ >= region_.inputCount())) {
            return "expected a bias that is an input of the region";
        }
    } else {
        return fmt::format("expected a product or a convolution, got {}", anchor.op->kind());
    }
    if (region_.results().size() != 1 || region_.results()[0] != region_.valueCount() - 1) {
        return "expected one result, of the last operation";
    }
    return {};
}

std::string QuantizedRegion::formatProblem(std::span<target::OperandType const> inputs,
                                           target::OperandType const& output, int32_t rank) const {
    TensorFormat const wanted = !isConvolution() ? TensorFormat::kLINEAR
                                : rank == 5      ? TensorFormat::kDHWC
                                                 : TensorFormat::kHWC;
    if (isConvolution() && rank != 4 && rank != 5) {
        return "expected two or three spatial axes";
    }
    auto const problemOf = [](TensorFormat want, TensorFormat got) {
        return want == got
                   ? std::string()
                   : fmt::format("expected memory format {}, got {}", nameOf(want), nameOf(got));
    };
    std::string problem = problemOf(wanted, inputs[left()].format);
    problem = problem.empty() ? problemOf(wanted, output.format) : problem;
    return problem.empty() ? problemOf(TensorFormat::kLINEAR, inputs[right()].format) : problem;
}

std::string QuantizedRegion::chainProblem(NodeSpec const& node) const {
    std::vector<Region::KnownValue> const values = valuesOf(region_, node);
    auto const anchor = static_cast<std::size_t>(region_.firstOutput(anchor_));
    if (!sameDims(values[anchor].dims, node.outputs[0].opt) || !isFloating(values[anchor].type)) {
        return "expected operations with results of the product's shape";
    }
    if (!isComputed(node.outputs[0].type.type)) {
        return fmt::format("expected a result of another type than {}",
                           nameOf(node.outputs[0].type.type));
    }
    if (chain_->nodes().empty()) {
        return {};
    }
    return refuseChain(*chain_, ChainNode(*this, node).node);
}

std::string QuantizedRegion::nodeProblem(NodeSpec const& node) const {
    DataType const left = node.inputs[this->left()].type.type;
    DataType const right = node.inputs[this->right()].type.type;
    bool const known = (isInteger8(left) && isInteger8(right)) ||
                       (left == DataType::kFP8 && right == DataType::kFP8);
    if (!known) {
        return fmt::format("expected two operands of int8 or uint8, or of fp8, got {} and {}",
                           nameOf(left), nameOf(right));
    }
    for (std::size_t const scale : {leftScale(), rightScale()}) {
        if (!isFloating(node.inputs[scale].type.type)) {
            return "expected scales of float32, float16 or bfloat16";
        }
    }
    if (bias_ >= 0 && !isFloating(node.inputs[static_cast<std::size_t>(bias_)].type.type)) {
        return "expected a bias of float32, float16 or bfloat16";
    }
    std::string const problem = formatProblem(target::typesOf(node.inputs), node.outputs[0].type,
                                              node.outputs[0].opt.nbDims);
    return problem.empty() ? chainProblem(node) : problem;
}

target::ConvolutionWorkload QuantizedRegion::convolutionAt(target::Workload const& all) const {
    std::vector<target::OperandType> types{all.inputTypes[left()], all.inputTypes[right()]};
    std::vector<Dims> dims{all.inputs[left()], all.inputs[right()]};
    if (bias_ >= 0) {
        types.push_back(all.inputTypes[static_cast<std::size_t>(bias_)]);
        dims.push_back(all.inputs[static_cast<std::size_t>(bias_)]);
    }
    return target::convolutionWorkload(*convolution_, {types, all.outputTypes, dims, all.outputs});
}

int32_t QuantizedRegion::columnAxis(int32_t rank) const {
    return isConvolution()                                     ? 0
           : multiply_->operation[1] == MatrixOperation::kNONE ? rank - 1
                                                               : rank - 2;
}

int32_t QuantizedRegion::scaleStride(Dims const& right, Dims const& scale, int64_t columns) const {
    int64_t const count = volume(scale, "scale");
    if (count == 1) {
        return 0;
    }
    auto const& op = static_cast<graph::Dequantize const&>(*region_.nodes()[anchor_ - 1].op);
    int32_t const axis = columnAxis(right.nbDims);
    bool const along = scale.nbDims == 1 ? op.axis == axis
                                         : scale.nbDims == right.nbDims && scale.d[axis] == count;
    if (count != columns || !along) {
        fail(ErrorKind::kUnsupported,
             "[cuda] Region: expected one scale or one for each of {} columns of the weights, got "
             "{}. Build the plan for this shape.",
             columns, toText(scale));
    }
    return 1;
}

QuantizedRegion::Strides QuantizedRegion::stridesOf(Dims const& operand, TensorFormat format,
                                                    Dims const& result) const {
    int32_t const rank = result.nbDims;
    int32_t const axis = isConvolution() ? 1 : rank - 1;
    auto const refuse = [&]() -> Strides {
        fail(ErrorKind::kUnsupported,
             "[cuda] Region: expected operands with one row, or all rows, of a result of {}, got "
             "{}. Build the plan for this shape.",
             toText(result), toText(operand));
    };
    if (operand.nbDims != rank || (operand.d[axis] != result.d[axis] && operand.d[axis] != 1)) {
        return refuse();
    }
    bool const oneRow =
        allOnes(operand.d, operand.d + axis) && allOnes(operand.d + axis + 1, operand.d + rank);
    bool const allRows = std::equal(operand.d, operand.d + axis, result.d) &&
                         std::equal(operand.d + axis + 1, operand.d + rank, result.d + axis + 1);
    int64_t const columns = operand.d[axis];
    if (oneRow) {
        return {0, columns == 1 ? 0 : 1};
    }
    bool const ordered = !isConvolution() || columns == 1 || format != TensorFormat::kLINEAR;
    return allRows && ordered ? Strides{columns, columns == 1 ? 0 : 1} : refuse();
}

double QuantizedRegion::operations(NodeSpec const& node) const {
    OperandSpec const& from = node.inputs[left()];
    if (isConvolution()) {
        return target::convolutionOperations(*convolution_,
                                             {*convolution_, node.layer, {&from, 1}, node.outputs});
    }
    int32_t const summed = multiply_->axes(0, from.opt.nbDims).summed;
    return 2.0 * static_cast<double>(from.opt.d[summed]) * target::elementsOf(node);
}

} // namespace kiln::targets::cuda
