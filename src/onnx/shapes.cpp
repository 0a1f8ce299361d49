// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/shapes.h"

#include <algorithm>
#include <numeric>

namespace kiln::onnx {

using nvinfer1::Dims;
using nvinfer1::ITensor;
using nvinfer1::Permutation;

ITensor& reshape(NodeContext& context, ITensor& tensor, Dims const& dims, bool zeroIsPlaceholder,
                 std::string_view suffix) {
    auto& layer = context.named(context.network().addShuffle(tensor), suffix);
    layer.setZeroIsPlaceholder(zeroIsPlaceholder);
    layer.setReshapeDimensions(dims);
    return *layer.getOutput(0);
}

namespace {

bool contains(std::vector<int32_t> const& axes, int32_t axis) {
    return std::binary_search(axes.begin(), axes.end(), axis);
}

// True if the number of elements alone determines a reshape to `dims`.
bool isPlainReshape(Dims const& dims) {
    auto const unknown = std::count(dims.d, dims.d + dims.nbDims, -1);
    auto const empty = std::count(dims.d, dims.d + dims.nbDims, 0);
    return unknown == 0 || (unknown == 1 && empty == 0);
}

Dims inserted(Dims const& source, std::vector<int32_t> const& axes) {
    auto const rank = source.nbDims + static_cast<int64_t>(axes.size());
    Dims target = repeatedDims(rank, 1, "output");
    for (int32_t i = 0, from = 0; i < target.nbDims; ++i) {
        target.d[i] = contains(axes, i) ? 1 : source.d[from++];
    }
    return target;
}

Dims removed(NodeContext const& context, Dims const& source, std::vector<int32_t> const& axes) {
    Dims target{0, {}};
    for (int32_t i = 0; i < source.nbDims; ++i) {
        if (!contains(axes, i)) {
            target.d[target.nbDims++] = source.d[i];
        } else if (source.d[i] != 1 && source.d[i] != -1) {
            context.fail(ErrorCode::kINVALID_NODE, text("axis ", i, ": expected extent 1, got ",
                                                        source.d[i], " in ", source, "."));
        }
    }
    return target;
}

Dims copiedExtents(int32_t rank, int32_t copied) {
    Dims dims = repeatedDims(rank, 1, "output");
    std::fill_n(dims.d, copied, 0); // 0 copies the extent at its position
    return dims;
}

} // namespace

Value insertAxes(NodeContext& context, Value const& value, std::vector<int32_t> const& axes,
                 std::string_view suffix) {
    Dims const source = context.dims(value);
    Dims const target = inserted(source, axes);
    if (value.isConstant) {
        return Value(Constant{target, value.constant.weights});
    }
    if (isPlainReshape(target)) {
        return Value(reshape(context, *value.tensor, target, false, suffix));
    }
    // Several unknown extents: append ones, which copies each extent, then move the ones.
    auto& layer = context.named(context.network().addShuffle(*value.tensor), suffix);
    layer.setReshapeDimensions(copiedExtents(target.nbDims, source.nbDims));
    Permutation order{};
    for (int32_t i = 0, kept = 0, added = source.nbDims; i < target.nbDims; ++i) {
        order.order[i] = contains(axes, i) ? added++ : kept++;
    }
    layer.setSecondTranspose(order);
    return Value(*layer.getOutput(0));
}

Value removeAxes(NodeContext& context, Value const& value, std::vector<int32_t> const& axes,
                 std::string_view suffix) {
    Dims const source = context.dims(value);
    Dims const target = removed(context, source, axes);
    if (value.isConstant) {
        return Value(Constant{target, value.constant.weights});
    }
    // An unknown extent that is removed must be 1: a plain reshape would not check that.
    bool const allOnes =
        std::all_of(axes.begin(), axes.end(), [&](int32_t axis) { return source.d[axis] == 1; });
    if (allOnes && isPlainReshape(target)) {
        return Value(reshape(context, *value.tensor, target, false, suffix));
    }
    // Several unknown extents: move the ones to the end, then drop them, which copies the others.
    auto& layer = context.named(context.network().addShuffle(*value.tensor), suffix);
    Permutation order{};
    for (int32_t i = 0, kept = 0, dropped = target.nbDims; i < source.nbDims; ++i) {
        order.order[contains(axes, i) ? dropped++ : kept++] = i;
    }
    layer.setFirstTranspose(order);
    layer.setReshapeDimensions(copiedExtents(target.nbDims, target.nbDims));
    return Value(*layer.getOutput(0));
}

ITensor& withRank(NodeContext& context, size_t index, int32_t rank) {
    Value& value = context.input(index);
    std::string const suffix = text("broadcast", index);
    int32_t const missing = rank - context.dims(value).nbDims;
    if (missing <= 0) {
        return context.tensor(index);
    }
    std::vector<int32_t> axes(static_cast<size_t>(missing));
    std::iota(axes.begin(), axes.end(), 0);
    if (value.isConstant) {
        Value widened = insertAxes(context, value, axes);
        return context.tensorOf(widened, text(context.layerName(), "/", suffix));
    }
    return *insertAxes(context, value, axes, suffix).tensor;
}

ITensor& withRank(NodeContext& context, ITensor& tensor, int32_t rank, std::string_view suffix) {
    int32_t const missing = rank - context.dims(tensor).nbDims;
    if (missing <= 0) {
        return tensor;
    }
    std::vector<int32_t> axes(static_cast<size_t>(missing));
    std::iota(axes.begin(), axes.end(), 0);
    return *insertAxes(context, Value(tensor), axes, suffix).tensor;
}

} // namespace kiln::onnx
