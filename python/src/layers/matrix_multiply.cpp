// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "layer_bindings.h"

namespace kiln::python {

using namespace nvinfer1;

void bindLayer_matrix_multiply(LayerBindings& bindings) {
    LayerClass<IMatrixMultiplyLayer>(bindings, LayerType::kMATRIX_MULTIPLY, "IMatrixMultiplyLayer",
                                     "Multiplies stacks of matrices.")
        .def_property(
            "op0", [](IMatrixMultiplyLayer const& self) { return self.getOperation(0); },
            [](IMatrixMultiplyLayer& self, MatrixOperation op) { self.setOperation(0, op); },
            "MatrixOperation: how the first input is read.")
        .def_property(
            "op1", [](IMatrixMultiplyLayer const& self) { return self.getOperation(1); },
            [](IMatrixMultiplyLayer& self, MatrixOperation op) { self.setOperation(1, op); },
            "MatrixOperation: how the second input is read.");
    bindings.network.def(
        "add_matrix_multiply", &INetworkDefinition::addMatrixMultiply, "input0"_a, "op0"_a,
        "input1"_a, "op1"_a, kInternal,
        "Adds a product of stacks of matrices; returns an IMatrixMultiplyLayer.\n\n"
        "op0, op1: MatrixOperation, how each input is read.");
}

} // namespace kiln::python
