// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "graph/window.h"

#include <algorithm>

#include "base/checked.h"

namespace kiln::graph {
namespace {

using nvinfer1::PaddingMode;

constexpr int32_t kMostSpatialAxes = 3;
// Keeps all sums and products of window arithmetic well within 64 bits.
constexpr int64_t kLargest = int64_t{1} << 31;

std::string rangeProblem(Dims const& dims, int32_t axes, int64_t least, std::string_view what) {
    if (dims.nbDims != axes) {
        return fmt::format("expected {} spatial axes in {} as in the window extents, got {}.", axes,
                           what, dims.nbDims);
    }
    for (int32_t i = 0; i < dims.nbDims; ++i) {
        if (dims.d[i] < least || dims.d[i] > kLargest) {
            return fmt::format("expected {} of {} or more, got {}.", what, least, toText(dims));
        }
    }
    return {};
}

} // namespace

Window Window::ofSize(Dims const& size) {
    Window window;
    window.size = size;
    int32_t const axes = std::clamp(size.nbDims, 0, static_cast<int32_t>(Dims::MAX_DIMS));
    for (Dims* const ones : {&window.stride, &window.dilation}) {
        ones->nbDims = axes;
        std::fill_n(ones->d, axes, 1);
    }
    window.prePadding = Dims{axes, {}};
    window.postPadding = window.prePadding;
    return window;
}

std::string Window::problem() const {
    if (size.nbDims < 1 || size.nbDims > kMostSpatialAxes) {
        return fmt::format("expected 1 to {} spatial axes in window extents, got {}. Other numbers "
                           "are not supported.",
                           kMostSpatialAxes, size.nbDims);
    }
    struct Rule {
        Dims const& dims;
        int64_t least;
        char const* what;
    };
    for (Rule const& rule : {Rule{size, 1, "window extents"}, Rule{stride, 1, "strides"},
                             Rule{dilation, 1, "dilations"}, Rule{prePadding, 0, "pre-padding"},
                             Rule{postPadding, 0, "post-padding"}}) {
        if (std::string text = rangeProblem(rule.dims, size.nbDims, rule.least, rule.what);
            !text.empty()) {
            return text;
        }
    }
    auto const mode = static_cast<int32_t>(paddingMode);
    if (mode < 0 || mode >= nvinfer1::EnumMax<PaddingMode>()) {
        return fmt::format("expected a member of PaddingMode, got {}.", mode);
    }
    return {};
}

bool Window::computesPadding() const {
    return paddingMode == PaddingMode::kSAME_UPPER || paddingMode == PaddingMode::kSAME_LOWER;
}

int64_t Window::area() const {
    return volume(size, "window");
}

int64_t Window::span(int32_t axis) const {
    return 1 + checkedMul<int64_t>(dilation.d[axis], size.d[axis] - 1, "window");
}

ExprRef Window::output(ExprPool& pool, int32_t axis, ExprRef input) const {
    ExprRef const step = pool.constant(stride.d[axis]);
    if (computesPadding()) {
        return pool.binary(ExprOp::kCeilDiv, input, step);
    }
    // Adding all constants first keeps the expression small.
    int64_t const slack = prePadding.d[axis] + postPadding.d[axis] - span(axis);
    ExprRef const room = pool.binary(ExprOp::kSum, input, pool.constant(slack));
    ExprOp const divide =
        paddingMode == PaddingMode::kEXPLICIT_ROUND_UP ? ExprOp::kCeilDiv : ExprOp::kFloorDiv;
    return pool.binary(ExprOp::kSum, pool.binary(divide, room, step), pool.constant(1));
}

Window::Padding Window::padding(int32_t axis, int64_t input, int64_t output) const {
    if (!computesPadding()) {
        return {prePadding.d[axis], postPadding.d[axis]};
    }
    int64_t const covered =
        checkedAdd(checkedMul(output - 1, stride.d[axis], "window"), span(axis), "window");
    int64_t const total = std::max<int64_t>(covered - input, 0);
    int64_t const smaller = total / 2;
    return paddingMode == PaddingMode::kSAME_UPPER ? Padding{smaller, total - smaller}
                                                   : Padding{total - smaller, smaller};
}

} // namespace kiln::graph
