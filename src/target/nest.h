// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>

#include "base/dims.h"

namespace kiln::target {

/// A nest of loops over a row-major result, with the stride (in elements) of each of `kOperands`
/// operands along each loop. Adjacent loops are merged if the strides of all operands allow it, so
/// operands of equal shapes give one loop.
template <std::size_t kOperands>
class Nest {
public:
    using Offsets = std::array<int64_t, kOperands>;

    /// Adds an axis inside the axes added before.
    void add(int64_t extent, Offsets const& strides) {
        count_ *= extent;
        if (extent == 1) {
            return;
        }
        if (rank_ > 0 && merges(extent, strides)) {
            axes_[last()].extent *= extent;
            axes_[last()].strides = strides;
            return;
        }
        axes_[static_cast<std::size_t>(rank_++)] = {extent, strides};
    }

    /// Number of elements of the result.
    int64_t count() const noexcept { return count_; }
    /// Loops, and their extents and strides, outermost first.
    int32_t rank() const noexcept { return rank_; }
    int64_t extent(int32_t loop) const noexcept {
        return axes_[static_cast<std::size_t>(loop)].extent;
    }
    int64_t stride(int32_t loop, std::size_t operand) const noexcept {
        return axes_[static_cast<std::size_t>(loop)].strides[operand];
    }
    /// Extent and strides of the innermost loop; 1 and 0 if there is no loop.
    int64_t inner() const noexcept { return rank_ == 0 ? 1 : axes_[last()].extent; }
    int64_t innerStride(std::size_t operand) const noexcept {
        return rank_ == 0 ? 0 : axes_[last()].strides[operand];
    }
    /// Number of times that the innermost loop runs.
    int64_t rows() const noexcept { return count_ == 0 ? 0 : count_ / inner(); }

    /// Offsets of the operands at the start of a row.
    Offsets atRow(int64_t row) const noexcept { return at(row, rank_ - 2); }
    /// Offsets of the operands at an element of the result.
    Offsets atElement(int64_t index) const noexcept { return at(index, rank_ - 1); }

private:
    struct Axis {
        int64_t extent = 1;
        Offsets strides{};
    };

    std::size_t last() const noexcept { return static_cast<std::size_t>(rank_ - 1); }

    bool merges(int64_t extent, Offsets const& strides) const {
        for (std::size_t i = 0; i < kOperands; ++i) {
            if (axes_[last()].strides[i] != strides[i] * extent) {
                return false;
            }
        }
        return true;
    }

    Offsets at(int64_t index, int32_t innermost) const noexcept {
        Offsets offsets{};
        for (int32_t axis = innermost; axis >= 0; --axis) {
            Axis const& loop = axes_[static_cast<std::size_t>(axis)];
            int64_t const position = index % loop.extent;
            index /= loop.extent;
            for (std::size_t i = 0; i < kOperands; ++i) {
                offsets[i] += position * loop.strides[i];
            }
        }
        return offsets;
    }

    int32_t rank_ = 0;
    int64_t count_ = 1;
    std::array<Axis, Dims::MAX_DIMS> axes_{};
};

/// Strides of a dense row-major tensor. They wrap for a tensor beyond the address space, which is
/// refused when memory is planned: kernels are asked before.
inline std::array<int64_t, Dims::MAX_DIMS> denseStrides(Dims const& dims) noexcept {
    std::array<int64_t, Dims::MAX_DIMS> strides{};
    uint64_t stride = 1;
    for (int32_t axis = dims.nbDims - 1; axis >= 0; --axis) {
        strides[static_cast<std::size_t>(axis)] = static_cast<int64_t>(stride);
        stride *= static_cast<uint64_t>(dims.d[axis]);
    }
    return strides;
}

/// The first `axes` loops of `result`. Operands are broadcast along their axes of extent 1.
template <std::size_t kOperands>
Nest<kOperands> broadcastNest(Dims const& result, std::array<Dims, kOperands> const& operands,
                              int32_t axes) {
    Nest<kOperands> nest;
    for (int32_t axis = 0; axis < axes; ++axis) {
        typename Nest<kOperands>::Offsets strides{};
        for (std::size_t i = 0; i < kOperands; ++i) {
            bool const repeats = operands[i].d[axis] == 1;
            strides[i] = repeats ? 0 : denseStrides(operands[i])[static_cast<std::size_t>(axis)];
        }
        nest.add(result.d[axis], strides);
    }
    return nest;
}

} // namespace kiln::target
