// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "plugin/launch_params.h"

#include "base/error.h"

namespace kiln::plugin {
namespace {

constexpr int32_t kMostArguments = 4096;

ScalarType scalarType(nvinfer1::PluginArgDataType type) {
    switch (type) {
    case nvinfer1::PluginArgDataType::kINT8: return ScalarType::kInt8;
    case nvinfer1::PluginArgDataType::kINT16: return ScalarType::kInt16;
    case nvinfer1::PluginArgDataType::kINT32: break;
    }
    return ScalarType::kInt32;
}

} // namespace

std::optional<SymValue> SymValue::copyOf(nvinfer1::ISymExpr* given, ExprBuilder const& builder) {
    if (given == nullptr || given->getType() != nvinfer1::PluginArgType::kINT) {
        return std::nullopt;
    }
    SymValue value;
    value.type = given->getDataType();
    value.expr = static_cast<nvinfer1::IDimensionExpr const*>(given->getExpr());
    std::optional<graph::ExprRef> const ref = builder.refOf(value.expr);
    auto const type = static_cast<int32_t>(value.type);
    if (type < 0 || type >= nvinfer1::EnumMax<nvinfer1::PluginArgDataType>() || !ref.has_value()) {
        return std::nullopt;
    }
    value.ref = *ref;
    return value;
}

nvinfer1::ISymExpr* SymList::getSymExpr(int32_t index) const noexcept {
    if (!inside(index)) {
        return nullptr;
    }
    std::optional<SymValue>& value = values_[static_cast<std::size_t>(index)];
    return value.has_value() ? &*value : nullptr;
}

bool SymList::setSymExpr(int32_t index, nvinfer1::ISymExpr* symExpr) noexcept {
    std::optional<SymValue> const value = SymValue::copyOf(symExpr, builder_);
    if (!inside(index) || !value.has_value()) {
        return false;
    }
    values_[static_cast<std::size_t>(index)] = value;
    return true;
}

bool SymList::setNbSymExprs(int32_t count) noexcept {
    if (count < 0 || count > kMostArguments) {
        return false;
    }
    try {
        values_.resize(static_cast<std::size_t>(count));
        return true;
    } catch (...) { // no memory: reported to the plugin
        return false;
    }
}

std::vector<CodeScalar> SymList::scalars() const {
    std::vector<CodeScalar> scalars;
    for (std::optional<SymValue> const& value : values_) {
        if (!value.has_value()) {
            fail(ErrorKind::kInvalidArgument,
                 "expected extra argument {} of {} to be set, got none. Set each of them",
                 scalars.size(), values_.size());
        }
        scalars.push_back({scalarType(value->type), value->ref, 0.0});
    }
    return scalars;
}

nvinfer1::ISymExpr* LaunchParams::get(std::size_t index) noexcept {
    return values_[index].has_value() ? &*values_[index] : nullptr;
}

bool LaunchParams::set(std::size_t index, nvinfer1::ISymExpr* value) noexcept {
    std::optional<SymValue> const copy = SymValue::copyOf(value, builder_);
    if (copy.has_value()) {
        values_[index] = copy;
    }
    return copy.has_value();
}

void LaunchParams::fill(AotKernel& kernel) const {
    auto const take = [&](std::size_t index, graph::ExprRef& to) {
        if (values_[index].has_value()) {
            to = values_[index]->ref;
        }
    };
    for (std::size_t axis = 0; axis < 3; ++axis) {
        take(axis, kernel.grid[axis]);
        take(3 + axis, kernel.block[axis]);
    }
    take(6, kernel.sharedBytes);
}

} // namespace kiln::plugin
