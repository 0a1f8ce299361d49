// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/ops/activation.h"

#include <cmath>

#include "graph/op_registry.h"
#include "graph/shape_values.h"

namespace kiln::graph {

using nvinfer1::ActivationType;

std::string Activation::problem() const {
    if (std::string const text = enumProblem(type, "ActivationType"); !text.empty()) {
        return text;
    }
    if (!std::isfinite(alpha) || !std::isfinite(beta)) {
        return fmt::format("expected finite alpha and beta, got {} and {}.", alpha, beta);
    }
    return {};
}

void Activation::inferChecked(InferContext& context) const {
    expectInputs(context, kKind, 1, 1);
    DataType const element = context.inputs[0].type;
    bool const integers = type == ActivationType::kRELU || type == ActivationType::kCLIP;
    bool const whole =
        element == DataType::kINT8 || element == DataType::kINT32 || element == DataType::kINT64;
    if (!(integers && whole)) {
        expectFloating(context, kKind);
    }
    context.outputs[0].type = context.inputs[0].type;
    context.outputs[0].shape = context.inputs[0].shape;
    TensorFacts const& input = context.inputs[0];
    if (input.values && input.type == DataType::kFLOAT && type == ActivationType::kRELU) {
        followElements(context.pool, context.outputs[0], [&](Position const& at) {
            return context.pool.binary(ExprOp::kRealMax, context.pool.real(0.0),
                                       valueAt(context.pool, input, at));
        });
    }
}

void registerOp_activation(OpRegistry& registry) {
    registry.add(Activation::kKind, &Activation::load);
}

} // namespace kiln::graph
