// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// MatMul as in NumPy: vectors, matrices and stacks of matrices with broadcasting.
// Layer: matrix multiply, or elementwise and reduce for integers.

#include "onnx/importer_registry.h"
#include "onnx/shapes.h"
#include "onnx/term.h"
#include "onnx/whole_numbers.h"

#include <algorithm>

namespace kiln::onnx {

using nvinfer1::MatrixOperation;

namespace {

void importMatMul(NodeContext& context) {
    int32_t const ranks[2] = {context.dims(context.input(0)).nbDims,
                              context.dims(context.input(1)).nbDims};
    if (ranks[0] < 1 || ranks[1] < 1) {
        context.fail(ErrorCode::kINVALID_NODE, "expected two vectors or matrices, got a scalar.");
    }
    if (isInteger(context.tensor(0).getType()) && isInteger(context.tensor(1).getType())) {
        Term const product = wholeProduct(Term::input(context, 0), Term::input(context, 1));
        context.setOutput(0, product.value());
        return;
    }
    int32_t const batchRank = std::max({ranks[0] - 2, ranks[1] - 2, 0});
    nvinfer1::ITensor* tensors[2] = {};
    MatrixOperation operations[2] = {};
    for (size_t i = 0; i < 2; ++i) {
        bool const vector = ranks[i] == 1;
        operations[i] = vector ? MatrixOperation::kVECTOR : MatrixOperation::kNONE;
        tensors[i] = &withRank(context, i, batchRank + (vector ? 1 : 2));
    }
    context.setOutput(context.named(context.network().addMatrixMultiply(
        *tensors[0], operations[0], *tensors[1], operations[1])));
}

} // namespace

void registerImporter_matrix_multiply(ImporterRegistry& registry) {
    registry.add("MatMul", importMatMul);
}

} // namespace kiln::onnx
