// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "base/dims.h"

#include <algorithm>

#include "base/checked.h"
#include "base/error.h"

namespace kiln {

std::string toText(Dims const& dims) {
    if (dims.nbDims < 0 || dims.nbDims > Dims::MAX_DIMS) {
        return fmt::format("[rank {}]", dims.nbDims);
    }
    std::string text = "[";
    for (int32_t i = 0; i < dims.nbDims; ++i) {
        text += fmt::format("{}{}", i == 0 ? "" : ",", dims.d[i]);
    }
    return text + "]";
}

Dims makeDims(std::span<int64_t const> extents) {
    if (extents.size() > static_cast<std::size_t>(Dims::MAX_DIMS)) {
        fail(ErrorKind::kInvalidArgument, "[dims] expected at most {} dimensions, got {}.",
             static_cast<int32_t>(Dims::MAX_DIMS), extents.size());
    }
    Dims dims{};
    dims.nbDims = static_cast<int32_t>(extents.size());
    std::copy(extents.begin(), extents.end(), dims.d);
    return dims;
}

Dims makeDims(std::initializer_list<int64_t> extents) {
    return makeDims(std::span<int64_t const>(extents.begin(), extents.size()));
}

bool sameDims(Dims const& a, Dims const& b) noexcept {
    return a.nbDims == b.nbDims && std::equal(a.d, a.d + std::max(a.nbDims, 0), b.d);
}

int64_t volume(Dims const& dims, std::string_view what) {
    checkDims(dims, 0, what);
    int64_t count = 1;
    for (int32_t i = 0; i < dims.nbDims; ++i) {
        count = checkedMul<int64_t>(count, dims.d[i], what);
    }
    return count;
}

void checkDims(Dims const& dims, int64_t least, std::string_view what) {
    if (dims.nbDims < 0 || dims.nbDims > Dims::MAX_DIMS) {
        fail(ErrorKind::kInvalidArgument, "[dims] {}: expected 0 to {} dimensions, got {}.", what,
             static_cast<int32_t>(Dims::MAX_DIMS), dims.nbDims);
    }
    for (int32_t i = 0; i < dims.nbDims; ++i) {
        if (dims.d[i] < least) {
            fail(ErrorKind::kInvalidArgument,
                 "[dims] {}: expected every extent to be {} or more, got {}.", what, least,
                 toText(dims));
        }
    }
}

} // namespace kiln
