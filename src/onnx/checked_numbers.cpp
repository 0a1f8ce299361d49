// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/checked_numbers.h"

#include "onnx/import_error.h"
#include "onnx/text.h"

#include <algorithm>
#include <limits>

namespace kiln::onnx {

using nvinfer1::Dims;

int32_t toRank(int64_t rank, std::string_view what) {
    if (rank < 0 || rank > Dims::MAX_DIMS) {
        throw ImportError(ErrorCode::kUNSUPPORTED_NODE_SHAPE,
                          text(what, ": expected ", Dims::MAX_DIMS, " dimensions at most, got ",
                               rank, ". Reshape to fewer."));
    }
    return static_cast<int32_t>(rank);
}

Dims toDims(std::span<int64_t const> numbers, std::string_view what) {
    Dims dims{toRank(static_cast<int64_t>(numbers.size()), what), {}};
    std::copy(numbers.begin(), numbers.end(), dims.d);
    return dims;
}

Dims repeatedDims(int64_t count, int64_t number, std::string_view what) {
    Dims dims{toRank(count, what), {}};
    std::fill_n(dims.d, dims.nbDims, number);
    return dims;
}

int32_t toAxis(int64_t axis, int32_t rank) {
    if (axis < -rank || axis >= rank) {
        throw ImportError(ErrorCode::kINVALID_NODE,
                          text("axis: expected ", -rank, " .. ", rank - 1, ", got ", axis, "."));
    }
    return static_cast<int32_t>(axis < 0 ? axis + rank : axis);
}

std::vector<int32_t> toAxes(std::span<int64_t const> axes, int32_t rank) {
    std::vector<int32_t> result;
    for (int64_t const axis : axes) {
        int32_t const fromFront = toAxis(axis, rank);
        if (std::find(result.begin(), result.end(), fromFront) != result.end()) {
            throw ImportError(ErrorCode::kINVALID_NODE,
                              text("axes: expected each once, got ", axis, " twice."));
        }
        result.push_back(fromFront); // at most `rank` times
    }
    return result;
}

std::vector<int32_t> toSortedAxes(std::span<int64_t const> axes, int32_t rank) {
    std::vector<int32_t> result = toAxes(axes, rank);
    std::sort(result.begin(), result.end());
    return result;
}

int32_t toInt32(int64_t number, std::string_view what) {
    using Limits = std::numeric_limits<int32_t>;
    if (number < Limits::min() || number > Limits::max()) {
        throw ImportError(ErrorCode::kINVALID_NODE,
                          text(what, ": expected a number of 32 bits, got ", number, "."));
    }
    return static_cast<int32_t>(number);
}

int64_t sumOf(int64_t x, int64_t y, std::string_view what) {
    int64_t sum = 0;
    if (__builtin_add_overflow(x, y, &sum)) {
        throw ImportError(ErrorCode::kINVALID_NODE,
                          text(what, ": ", x, " + ", y, " passes 64 bits."));
    }
    return sum;
}

int64_t productOf(int64_t x, int64_t y, std::string_view what) {
    int64_t product = 0;
    if (__builtin_mul_overflow(x, y, &product)) {
        throw ImportError(ErrorCode::kINVALID_NODE,
                          text(what, ": ", x, " x ", y, " passes 64 bits."));
    }
    return product;
}

int64_t productOf(std::span<int64_t const> extents, std::string_view what) {
    int64_t product = 1;
    for (int64_t const extent : extents) {
        product = productOf(product, extent, what);
    }
    return product;
}

} // namespace kiln::onnx
