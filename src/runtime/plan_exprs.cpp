// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/plan_exprs.h"

#include "runtime/host_values.h"

namespace kiln::runtime {

using graph::ExprNode;
using graph::ExprOp;
using graph::ExprRef;

PlanExprs::PlanExprs(plan::Document const& document) : document_(document) {
    for (ExprNode const& node : document.exprs) {
        switch (node.op) {
        case ExprOp::kConstant: refs_.push_back(pool_.constant(node.value)); break;
        case ExprOp::kInputExtent: refs_.push_back(pool_.inputExtent(node.a, node.b)); break;
        case ExprOp::kShapeValue: refs_.push_back(pool_.shapeValue(node.a, node.b)); break;
        case ExprOp::kSizeTensor: {
            auto const [number, added] = sizeNumber_.try_emplace(plan::TensorId::of(node.a), 0);
            if (added) {
                number->second = pool_.newSizeTensor();
            }
            refs_.push_back(pool_.sizeTensor(number->second, at(node.value), at(node.b)));
            break;
        }
        case ExprOp::kReal: refs_.push_back(pool_.real(graph::realOf(node.value))); break;
        default:
            refs_.push_back(graph::isUnary(node.op)
                                ? pool_.unary(node.op, at(node.a))
                                : pool_.binary(node.op, at(node.a), at(node.b)));
        }
    }
}

graph::ShapeExpr PlanExprs::shapeOf(plan::TensorId tensor) const {
    graph::ShapeExpr shape = document_.tensors[tensor].shape;
    for (int32_t axis = 0; axis < shape.rank; ++axis) {
        shape[axis] = at(shape[axis]);
    }
    return shape;
}

graph::ShapeValues PlanExprs::valuesOf(plan::TensorId tensor) {
    plan::TensorRecord const& record = document_.tensors[tensor];
    graph::ShapeValues values;
    if (record.role == plan::TensorRole::kValues) {
        for (ExprRef const ref : record.values) {
            values.push_back(at(ref));
        }
        return values;
    }
    Dims const dims = graph::knownDims(pool_, shapeOf(tensor));
    int64_t count = 1;
    for (int32_t axis = 0; axis < dims.nbDims; ++axis) {
        bool const small = dims.d[axis] >= 0 && dims.d[axis] <= graph::kMostShapeValues;
        count = small && count >= 0 ? count * dims.d[axis] : -1; // at most 64 to the power of 8
    }
    bool const integral = record.type.type == DataType::kINT32 ||
                          record.type.type == DataType::kINT64 ||
                          record.type.type == DataType::kBOOL;
    if (count < 0 || count > graph::kMostShapeValues || !integral) {
        fail(ErrorKind::kCorruptData,
             "[plan] tensor '{}': expected a shape input, at most {} values of int32, int64 or "
             "bool, got {} of {}. Build the plan again.",
             record.name, graph::kMostShapeValues, toText(dims), nameOf(record.type.type));
    }
    std::vector<int64_t> elements(static_cast<std::size_t>(count));
    if (record.role == plan::TensorRole::kConstant) {
        readValues(record.type.type, record.data.data(), elements);
    }
    for (int64_t i = 0; i < count; ++i) {
        values.push_back(record.role == plan::TensorRole::kConstant
                             ? pool_.constant(elements[static_cast<std::size_t>(i)])
                             : pool_.shapeValue(record.inputIndex, static_cast<int32_t>(i)));
    }
    return values;
}

std::vector<plugin::SizeTensor> PlanExprs::sizeTensorsOf(plan::StepRecord const& step) const {
    std::vector<plugin::SizeTensor> sizes;
    for (std::size_t i = 0; i < step.outputs.size(); ++i) {
        if (auto const found = sizeNumber_.find(step.outputs[i]); found != sizeNumber_.end()) {
            sizes.push_back({static_cast<int32_t>(i), found->second});
        }
    }
    return sizes;
}

} // namespace kiln::runtime
