// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/growing_value.h"

#include "onnx/control_flow.h"

#include <span>

namespace kiln::onnx {

namespace {

// A tensor whose axes `axis` and `axis + 1` are one.
Term merged(Term x, int32_t axis) {
    int32_t const rank = x.rank();
    std::vector<Term> shape;
    if (axis > 0) {
        shape.push_back(x.extents(axesBetween(0, axis)));
    }
    shape.push_back(x.extent(axis) * x.extent(axis + 1));
    if (axis + 2 < rank) {
        shape.push_back(x.extents(axesBetween(axis + 2, rank)));
    }
    return x.reshaped(shape.size() > 1 ? Term::joined(shape, 0) : shape.front());
}

} // namespace

GrowingValue::GrowingValue(NodeContext& context, LoopBody const& body, size_t carried,
                           Value const& initial)
    : context_(&context), initial_(initial) {
    if (initial.sequence != nullptr) {
        isSequence_ = body.appendsTo(carried);
    } else if (!initial.isNone) {
        tensor_ = body.growth(carried);
    }
}

int32_t GrowingValue::axisOf(Term tensor) const {
    return toAxes(std::span(&tensor_->axis, 1), tensor.rank()).front();
}

Value GrowingValue::nothing(std::string const& role) const {
    if (isSequence_) {
        return Value(std::vector<Value>{});
    }
    Value initial = initial_;
    Term const tensor(*context_, tensorOf(*context_, initial, role));
    Value nothing = tensor.sliced(axisOf(tensor), 0, 0).value();
    nothing.meant = initial.meant;
    return nothing;
}

GrowingValue::Part GrowingValue::partOf(Value& added, std::string const& role) const {
    if (isSequence_) {
        return {added.sequence->front(), 0, true};
    }
    Term const part(*context_, tensorOf(*context_, added, role));
    int32_t const axis = axisOf(part);
    bool const isSlice = part.dims().d[axis] == 1;
    Value value = isSlice ? part.removed({axis}).value() : part.value();
    value.meant = added.meant;
    return {value, axis, isSlice};
}

Value GrowingValue::joined(Value const& all, Part const& part, std::string const& role) const {
    if (isSequence_) {
        std::vector<Value> elements = *initial_.sequence;
        elements.push_back(all);
        elements.back().isStack = true;
        elements.back().meant = part.value.meant;
        return Value(elements);
    }
    Value initial = initial_;
    Term const first(*context_, tensorOf(*context_, initial, role));
    Term parts(*context_, *all.tensor);
    parts = part.isSlice ? parts : merged(parts, part.axis);
    if (first.dims().d[part.axis] != 0) {
        parts = Term::joined(isInFront() ? std::vector{parts, first} : std::vector{first, parts},
                             part.axis);
    }
    Value result = parts.value();
    result.meant = part.value.meant;
    return result;
}

} // namespace kiln::onnx
