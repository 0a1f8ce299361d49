// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "api/operation_names.h"

#include <array>

#include "graph/ops/activation.h"
#include "graph/ops/elementwise.h"
#include "graph/ops/pooling.h"
#include "graph/ops/reduce.h"
#include "graph/ops/unary.h"

namespace kiln::api {
namespace {

// In the order of the enums' values.
constexpr std::array kElementWise = {"Sum",      "Prod", "Max", "Min", "Sub",   "Div",     "Pow",
                                     "FloorDiv", "And",  "Or",  "Xor", "Equal", "Greater", "Less"};
constexpr std::array kActivations = {"Relu",    "Sigmoid",     "Tanh",       "LeakyRelu",
                                     "Elu",     "Selu",        "Softsign",   "Softplus",
                                     "Clip",    "HardSigmoid", "ScaledTanh", "ThresholdedRelu",
                                     "GeluErf", "GeluTanh"};
constexpr std::array kUnary = {"Exp",   "Log",   "Sqrt",  "Recip", "Abs",   "Neg",  "Sin",
                               "Cos",   "Tan",   "Sinh",  "Cosh",  "Asin",  "Acos", "Atan",
                               "Asinh", "Acosh", "Atanh", "Ceil",  "Floor", "Erf",  "Not",
                               "Sign",  "Round", "IsInf", "IsNan"};
constexpr std::array kReductions = {"Sum", "Prod", "Max", "Min", "Avg", "None"};
constexpr std::array kPoolings = {"Max", "Average", "MaxAverageBlend"};

template <typename Names, typename Enum>
std::string named(graph::Op const& op, Names const& names, Enum value, char const* before = "") {
    auto const index = static_cast<std::size_t>(value);
    return index < names.size() ? std::string(before) + names[index] : std::string(op.kind());
}

} // namespace

std::string operationName(graph::Op const& op) {
    if (auto const* elementwise = dynamic_cast<graph::ElementWise const*>(&op)) {
        return named(op, kElementWise, elementwise->operation);
    }
    if (auto const* activation = dynamic_cast<graph::Activation const*>(&op)) {
        return named(op, kActivations, activation->type);
    }
    if (auto const* unary = dynamic_cast<graph::Unary const*>(&op)) {
        return named(op, kUnary, unary->operation);
    }
    if (auto const* reduce = dynamic_cast<graph::Reduce const*>(&op)) {
        return named(op, kReductions, reduce->operation, "Reduce ");
    }
    if (auto const* pooling = dynamic_cast<graph::Pooling const*>(&op)) {
        return named(op, kPoolings, pooling->type, "Pooling ");
    }
    return std::string(op.kind());
}

} // namespace kiln::api
