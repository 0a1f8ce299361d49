// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Checks of symbolic extents: references from tensors, and the expressions.
#include <algorithm>
#include <cmath>
#include <map>

#include "plan/check.h"

namespace kiln::plan {
namespace {

using graph::ExprNode;
using graph::ExprOp;

using InputTable = std::map<int32_t, TensorRecord const*>;

InputTable inputsOf(Document const& document, ErrorKind kind) {
    InputTable inputs;
    // Contexts index tables by input number, so the numbers must be below the number of inputs.
    auto const count = static_cast<int32_t>(std::count_if(
        document.tensors.begin(), document.tensors.end(),
        [](TensorRecord const& tensor) { return tensor.role == TensorRole::kInput; }));
    for (TensorRecord const& tensor : document.tensors) {
        if (tensor.role != TensorRole::kInput) {
            continue;
        }
        bool const inRange = tensor.inputIndex >= 0 && tensor.inputIndex < count;
        if (!inRange || !inputs.emplace(tensor.inputIndex, &tensor).second) {
            fail(kind,
                 "[plan] input '{}': expected an input number of its own below {}, got {}. Build "
                 "the plan again.",
                 tensor.name, count, tensor.inputIndex);
        }
    }
    return inputs;
}

bool isShapeTensor(TensorRecord const& tensor) {
    return tensor.shape.rank <= 1 &&
           (tensor.type.type == DataType::kINT32 || tensor.type.type == DataType::kINT64 ||
            tensor.type.type == DataType::kBOOL);
}

/// Whether a tensor can hold an extent that a plugin computes at run time.
bool isSizeTensor(Document const& document, TensorId index) {
    if (!document.tensors.has(index)) {
        return false;
    }
    TensorRecord const& tensor = document.tensors[index];
    return tensor.shape.rank == 0 && isShapeTensor(tensor) &&
           (tensor.role == TensorRole::kInternal || tensor.role == TensorRole::kOutput);
}

/// Whether the host values of a tensor have an element `at`.
bool hasElement(Document const& document, TensorRecord const& tensor, int32_t at) {
    bool const real = tensor.type.type == DataType::kFLOAT && tensor.shape.rank <= 1;
    if ((!isShapeTensor(tensor) && !real) || at < 0) {
        return false;
    }
    int64_t const count = tensor.shape.rank == 0 ? 1 : constantDims(document, tensor).d[0];
    return at < count;
}

bool isSound(Document const& document, InputTable const& inputs, int32_t index) {
    ExprNode const& node = document.exprs[static_cast<std::size_t>(index)];
    auto const earlier = [&](int64_t operand, bool real) {
        return operand >= 0 && operand < index &&
               graph::isReal(document.exprs[static_cast<std::size_t>(operand)].op) == real;
    };
    bool const reals = graph::takesReals(node.op);
    switch (node.op) {
    case ExprOp::kConstant: return true;
    case ExprOp::kInputExtent: {
        auto const input = inputs.find(node.a);
        return input != inputs.end() && node.b >= 0 && node.b < input->second->shape.rank;
    }
    case ExprOp::kShapeValue: {
        auto const input = inputs.find(node.a);
        return input != inputs.end() && hasElement(document, *input->second, node.b);
    }
    case ExprOp::kSizeTensor:
        return isSizeTensor(document, TensorId::of(node.a)) && earlier(node.b, false) &&
               earlier(node.value, false);
    case ExprOp::kReal: return std::isfinite(graph::realOf(node.value));
    case ExprOp::kSum:
    case ExprOp::kProd:
    case ExprOp::kMax:
    case ExprOp::kMin:
    case ExprOp::kSub:
    case ExprOp::kEqual:
    case ExprOp::kLess:
    case ExprOp::kFloorDiv:
    case ExprOp::kCeilDiv:
    case ExprOp::kTruncDiv:
    case ExprOp::kRealSum:
    case ExprOp::kRealProd:
    case ExprOp::kRealMax:
    case ExprOp::kRealMin:
    case ExprOp::kRealSub:
    case ExprOp::kRealDiv: return earlier(node.a, reals) && earlier(node.b, reals);
    case ExprOp::kSingle:
    case ExprOp::kToReal:
    case ExprOp::kFloor:
    case ExprOp::kCeil:
    case ExprOp::kRound: return earlier(node.a, reals) && node.a == node.b;
    }
    return false;
}

} // namespace

bool isInteger(Document const& document, graph::ExprRef ref) noexcept {
    return ref >= 0 && static_cast<std::size_t>(ref) < document.exprs.size() &&
           !graph::isReal(document.exprs[static_cast<std::size_t>(ref)].op);
}

void checkShapes(Document const& document, ErrorKind kind) {
    for (TensorRecord const& tensor : document.tensors) {
        if (tensor.shape.rank < 0 || tensor.shape.rank > Dims::MAX_DIMS) {
            fail(kind,
                 "[plan] tensor '{}': expected 0 to {} dimensions, got {}. Build the plan "
                 "again.",
                 tensor.name, static_cast<int32_t>(Dims::MAX_DIMS), tensor.shape.rank);
        }
        for (int32_t axis = 0; axis < tensor.shape.rank; ++axis) {
            int32_t const ref = tensor.shape[axis];
            if (!isInteger(document, ref)) {
                fail(kind,
                     "[plan] tensor '{}', dimension {}: expected the number of an integer "
                     "expression below {}, got {}. Build the plan again.",
                     tensor.name, axis, document.exprs.size(), ref);
            }
        }
    }
}

void checkExprs(Document const& document, ErrorKind kind) {
    InputTable const inputs = inputsOf(document, kind);
    for (std::size_t i = 0; i < document.exprs.size(); ++i) {
        if (!isSound(document, inputs, static_cast<int32_t>(i))) {
            ExprNode const& node = document.exprs[i];
            fail(kind,
                 "[plan] expression {}: expected a known operation on inputs and earlier "
                 "expressions, got operation {} on {} and {}. Build the plan again.",
                 i, static_cast<int32_t>(node.op), node.a, node.b);
        }
    }
}

} // namespace kiln::plan
