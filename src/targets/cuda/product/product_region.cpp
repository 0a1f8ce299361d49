// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/product/product_region.h"

#include <algorithm>

#include "target/workload/matrix_product.h"
#include "targets/cuda/anchor/anchored_region.h"
#include "targets/cuda/chain/chain_kernel.h"
#include "targets/cuda/chain/compute_source.h"
#include "targets/cuda/kernel_source.h"

namespace kiln::targets::cuda {
namespace {

using graph::Region;
using nvinfer1::MatrixOperation;
using target::Workload;

/// Where element (row, column) of the result has its element of an operand: extents as the
/// result's, or 1.
ProductRegion::Described::Operand placeOf(Dims const& dims, Dims const& result) {
    int32_t const last = result.nbDims - 1;
    int64_t const columns = dims.nbDims == result.nbDims ? dims.d[last] : -1;
    bool const oneRow =
        dims.nbDims == result.nbDims &&
        std::all_of(dims.d, dims.d + last, [](int64_t extent) { return extent == 1; });
    bool const allRows =
        dims.nbDims == result.nbDims && std::equal(dims.d, dims.d + last, result.d);
    if ((columns != result.d[last] && columns != 1) || (!oneRow && !allRows)) {
        fail(ErrorKind::kUnsupported,
             "[cuda] Region: expected operands with one row, or all rows, of a product of {}, got "
             "{}. Build the plan for this shape.",
             toText(result), toText(dims));
    }
    return {oneRow ? 0 : columns, columns == 1 ? 0 : 1};
}

/// The operations behind the product as a node, which reads the product as its last input.
struct ChainNode {
    ChainNode(target::NodeSpec const& whole, Region const& chain)
        : inputs(whole.inputs.begin(), whole.inputs.end()),
          node{chain, whole.layer, inputs, whole.outputs} {
        inputs.push_back(whole.outputs[0]);
        inputs.back().constant = false;
        node.inputs = inputs;
    }
    ChainNode(ChainNode const&) = delete;
    ChainNode& operator=(ChainNode const&) = delete;

    std::vector<target::OperandSpec> inputs;
    target::NodeSpec node;
};

} // namespace

ProductRegion::ProductRegion(Region const& region) : region_(region) {
    problem_ = refuseUnlessAnchored(region);
    if (!problem_.empty()) {
        return;
    }
    graph::Op const& anchor = *region.nodes().front().op;
    if (anchor.kind() != graph::MatrixMultiply::kKind) {
        problem_ = fmt::format("expected a matrix product, got {}", anchor.kind());
        return;
    }
    multiply_ = static_cast<graph::MatrixMultiply const*>(&anchor);
    if (multiply_->operation[0] != MatrixOperation::kNONE ||
        multiply_->operation[1] == MatrixOperation::kVECTOR) {
        problem_ = "expected a first matrix of rows, and a second one";
        return;
    }
    chain_ = behindAnchor(region);
    for (target::RegionOperand const& operand : target::regionOperands(*chain_)) {
        if (operand.input != static_cast<std::size_t>(region.inputCount())) {
            operands_.push_back(operand.input);
        }
    }
    if (operands_.size() > kMostOperands) {
        problem_ = fmt::format("expected at most {} operands behind the product, got {}",
                               kMostOperands, operands_.size());
    }
}

bool ProductRegion::isRightByTerms() const {
    return multiply_->operation[1] != MatrixOperation::kTRANSPOSE;
}

std::string ProductRegion::chainProblem(target::NodeSpec const& node) const {
    return refuseChain(*chain_, ChainNode(node, *chain_).node);
}

ProductRegion::Described ProductRegion::describe(Workload const& workload) const {
    target::checkWorkload(region_, workload);
    checkOneShape(region_, workload);
    Dims const& result = workload.outputs[0];
    target::MatrixWorkload const product = target::matrixWorkload(
        *multiply_, workload.inputs[left()], workload.inputs[right()], result);
    Described described;
    described.rows = product.batch.count() * product.rows;
    described.columns = product.columns;
    described.terms = product.inner;
    described.rightStride = isRightByTerms() ? product.columns : product.inner;
    // The rows of a batch follow each other, and all have the same right matrix.
    bool const isOne = product.batch.rank() == 0 ||
                       (product.batch.rank() == 1 && product.batch.stride(0, 1) == 0 &&
                        product.batch.stride(0, 0) == product.rows * product.inner);
    if (!isOne || described.rows > INT32_MAX / 2 || described.columns > INT32_MAX / 2 ||
        described.terms > INT32_MAX / 2) {
        fail(ErrorKind::kUnsupported,
             "[cuda] Region: expected a product of two matrices of less than 2^30 rows and "
             "columns, got one of {} and {}. Build the plan for this shape.",
             toText(workload.inputs[left()]), toText(workload.inputs[right()]));
    }
    for (std::size_t i = 0; i < operands_.size(); ++i) {
        described.operands[i] = placeOf(workload.inputs[operands_[i]], result);
    }
    return described;
}

SourceText ProductRegion::source(target::NodeSpec const& node) const {
    ChainNode const chain(node, *chain_);
    int32_t const numbers[] = {chain_->inputCount() - 1, chain_->results()[0]};
    char const* const element = kernelTypeName(node.outputs[0].type.type);
    std::string passed;
    std::size_t own = 0;
    for (target::RegionOperand const& operand : target::regionOperands(*chain_)) {
        passed += operand.value == numbers[0] ? "sum, " : fmt::format("x[{}], ", own++);
    }
    std::string parameters;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
        parameters += fmt::format("Element const* in{}, ", i);
    }
    std::string places;
    for (std::size_t const operand : operands_) {
        places += fmt::format("in{}, ", operand);
    }
    std::string text = fmt::format(
        "// Generated by product_region.cpp for one region.\n#include \"prelude.cuh\"\n\n{0}"
        "typedef {1} Element;\nconstexpr bool kDown = {2};\nconstexpr int kOperands = {3};\n"
        "constexpr int kPlaces = {4};\n\n"
        "__device__ inline float resultOf(float sum, Element const (&x)[kPlaces]) {{\n"
        "    float y;\n    compute({5}y);\n    return y;\n}}\n\n"
        "#include \"product_warpgroups.cuh\"\n\n"
        "KILN_KERNEL void __launch_bounds__(3 * kWarpgroup, 1)\n"
        "    product({6}Element* to, KILN_IN_PLACE Arguments arguments) {{\n"
        "    Operands const operands{{{7}}};\n    multiply(in{8}, in{9}, operands, to, "
        "arguments);\n}}\n",
        computeSource(*chain_, chain.node, numbers), element, isRightByTerms(), operands_.size(),
        std::max<std::size_t>(operands_.size(), 1), passed, parameters, places, left(), right());
    return {"product_region.cuh", std::move(text), {}};
}

} // namespace kiln::targets::cuda
