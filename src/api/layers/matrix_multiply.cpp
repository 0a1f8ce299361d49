// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/matrix_multiply.h"

#include "api/layers/op_layer.h"

namespace kiln::api {
namespace {

using graph::MatrixMultiply;
using nvinfer1::MatrixOperation;

class MatrixMultiplyLayer final : public OpLayer<nvinfer1::IMatrixMultiplyLayer, MatrixMultiply> {
public:
    using OpLayer::OpLayer;

    void setOperation(int32_t index, MatrixOperation operation) noexcept override {
        if (!knownIndex(index)) {
            return;
        }
        set("operation",
            [&](MatrixMultiply& op) { op.operation[static_cast<std::size_t>(index)] = operation; });
    }
    MatrixOperation getOperation(int32_t index) const noexcept override {
        return knownIndex(index) ? op().operation[static_cast<std::size_t>(index)]
                                 : MatrixOperation::kNONE;
    }

private:
    bool knownIndex(int32_t index) const noexcept {
        if (index != 0 && index != 1) {
            core().reject("operation", "expected input 0 or 1, got {}.", index);
            return false;
        }
        return true;
    }
};

} // namespace

nvinfer1::IMatrixMultiplyLayer* NetworkDefinition::addMatrixMultiply(nvinfer1::ITensor& input0,
                                                                     MatrixOperation op0,
                                                                     nvinfer1::ITensor& input1,
                                                                     MatrixOperation op1) noexcept {
    MatrixMultiply op;
    op.operation = {op0, op1};
    return addOpLayer<MatrixMultiplyLayer>(*this, "matrix multiply layer", op, {&input0, &input1});
}

} // namespace kiln::api
