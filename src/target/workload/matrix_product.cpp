// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "target/workload/matrix_product.h"

namespace kiln::target {

MatrixWorkload matrixWorkload(graph::MatrixMultiply const& op, Dims const& left, Dims const& right,
                              Dims const& result) {
    auto const a = op.axes(0, left.nbDims);
    auto const b = op.axes(1, right.nbDims);
    auto const leftStrides = denseStrides(left);
    auto const rightStrides = denseStrides(right);
    auto const at = [](auto const& strides, int32_t axis) {
        return axis < 0 ? 0 : strides[static_cast<std::size_t>(axis)];
    };
    MatrixWorkload workload;
    workload.rows = a.kept < 0 ? 1 : left.d[a.kept];
    workload.columns = b.kept < 0 ? 1 : right.d[b.kept];
    workload.inner = left.d[a.summed];
    workload.left = {at(leftStrides, a.kept), at(leftStrides, a.summed)};
    workload.right = {at(rightStrides, b.kept), at(rightStrides, b.summed)};
    workload.batch = broadcastNest<2>(result, {left, right}, a.batch);
    return workload;
}

double matrixOperations(graph::MatrixMultiply const& op, NodeSpec const& node) {
    Dims const& left = node.inputs[0].opt;
    double operations = 2.0 * static_cast<double>(left.d[op.axes(0, left.nbDims).summed]);
    Dims const& result = node.outputs[0].opt;
    for (int32_t i = 0; i < result.nbDims; ++i) {
        operations *= static_cast<double>(result.d[i]);
    }
    return operations;
}

} // namespace kiln::target
