// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Where the elements of a slice come from. Macros: slice.cuh.
#pragma once

#include "words.cuh"

enum Mode { kStrictBounds = 0, kWrap = 1, kClamp = 2, kFillMode = 3, kReflect = 4 };

struct Axis {
    int64_t start;
    int64_t stride;
    int64_t extent;  ///< of the data
    int64_t step;    ///< elements of the data from one coordinate to the next
    FastDivide size; ///< of the output
};

struct Arguments {
    int64_t count;  ///< elements of the output
    int64_t total;  ///< of the data
    int64_t offset; ///< start of the slice in the data
    int32_t outer;  ///< axes before the row
    int32_t listed; ///< entries of start, stride and axes, for FROM_OPERANDS
    int64_t listedStart[kMaxRank];
    int64_t listedStride[kMaxRank];
    int64_t listedAxes[kMaxRank];
    Axis axes[kMaxRank];
};

struct Inputs {
    void const* at[INPUTS];
};

/// Maps a coordinate into the axis; -1 selects the fill value.
template <typename C>
__device__ inline C sampled(C coordinate, C extent) {
    if (MODE == kStrictBounds) {
        return coordinate; // checked before
    }
    if (coordinate >= 0 && coordinate < extent) {
        return coordinate;
    }
    if (MODE == kClamp) {
        return coordinate < 0 ? 0 : extent - 1;
    }
    if (MODE == kWrap) {
        // Margins are rarely wider than the data: avoid the division.
        C const near = coordinate < 0 ? coordinate + extent : coordinate - extent;
        if (near >= 0 && near < extent) {
            return near;
        }
        C const rest = coordinate % extent;
        return rest < 0 ? rest + extent : rest;
    }
    if (MODE == kReflect) {
        C const period = extent == 1 ? 1 : 2 * (extent - 1);
        C const rest = coordinate % period;
        C const forward = rest < 0 ? rest + period : rest;
        return forward < extent ? forward : period - forward;
    }
    return -1;
}

/// Start and stride of each axis, if they are in the arguments.
struct FixedSteps {
    __device__ static int64_t start(Arguments const& arguments, int axis) {
        return arguments.axes[axis].start;
    }
    __device__ static int64_t stride(Arguments const& arguments, int axis) {
        return arguments.axes[axis].stride;
    }
};

#ifdef FROM_OPERANDS
/// The same, if the block reads them from operands.
struct ReadSteps {
    int64_t starts[kMaxRank];
    int64_t strides[kMaxRank];
    int64_t problem;

    __device__ int64_t start(Arguments const&, int axis) const { return starts[axis]; }
    __device__ int64_t stride(Arguments const&, int axis) const { return strides[axis]; }
};

enum Problem { kFine = 0, kBadAxes = 1, kBeyond64Bits = 2, kOutside = 3 };

__device__ inline bool added(int64_t a, int64_t b, int64_t& sum) {
    sum = static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
    return ((a ^ sum) & (b ^ sum)) >= 0;
}

/// a * count, for counts of 0 or more.
__device__ inline bool multiplied(int64_t a, int64_t count, int64_t& product) {
    product = static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(count));
    return count == 0 || (product / count == a && product % count == 0);
}

__device__ inline int64_t reach(ReadSteps const& steps, Axis const& axis, int at) {
    int64_t span = 0;
    int64_t last = 0;
    int64_t const first = steps.starts[at];
    if (!multiplied(steps.strides[at], axis.size.divisor - 1, span) || !added(first, span, last)) {
        return kBeyond64Bits;
    }
    int64_t const low = first < last ? first : last;
    int64_t const high = first < last ? last : first;
    bool const outside = low < 0 || high >= axis.extent;
    bool const refused = MODE == kStrictBounds || (axis.extent == 0 && MODE != kFillMode);
    return outside && refused ? kOutside : kFine;
}

__device__ inline int64_t readSteps(Inputs const& inputs, Arguments const& arguments,
                                    ReadSteps& steps) {
    int const rank = RANK;
    for (int i = 0; i < rank; ++i) {
        steps.starts[i] = 0;
        steps.strides[i] = 1;
    }
    uint32_t seen = 0;
    for (int i = 0; i < arguments.listed; ++i) {
        int64_t axis = arguments.listedAxes[i];
        int64_t start = arguments.listedStart[i];
        int64_t stride = arguments.listedStride[i];
#if AXES_INPUT
        axis = static_cast<AXES const*>(inputs.at[AXES_INPUT])[i];
#endif
#if START_INPUT
        start = static_cast<START const*>(inputs.at[START_INPUT])[i];
#endif
#if STRIDE_INPUT
        stride = static_cast<STRIDE const*>(inputs.at[STRIDE_INPUT])[i];
#endif
        axis = axis < 0 ? axis + rank : axis;
        if (axis < 0 || axis >= rank || (seen >> axis & 1U) != 0) {
            return kBadAxes;
        }
        seen |= 1U << axis;
        steps.starts[axis] = start;
        steps.strides[axis] = stride;
    }
    for (int i = 0; i < rank; ++i) {
        if (int64_t const problem = reach(steps, arguments.axes[i], i); problem != kFine) {
            return problem;
        }
    }
    return kFine;
}
#endif

/// kOuter: number of axes before the row; -1: arguments.outer.
template <typename Index, typename Coordinate, int kOuter, typename Steps>
struct SliceMap {
    typedef NoKey Key;
    T const* data;
    T const* fill; ///< null: zero
    Arguments const& arguments;
    Steps const& steps;

    __device__ T filler() const { return fill == nullptr ? T{} : *inGlobalMemory(fill); }
    __device__ int outer() const { return kOuter < 0 ? arguments.outer : kOuter; }

    __device__ Coordinate coordinate(int axis, Index i) const {
        return static_cast<Coordinate>(steps.start(arguments, axis)) +
               i * static_cast<Coordinate>(steps.stride(arguments, axis));
    }
    __device__ Coordinate extent(int axis) const {
        return static_cast<Coordinate>(arguments.axes[axis].extent);
    }

    /// Sets the row's offset in the data; false if the row is outside.
    __device__ bool rowOffset(Index row, Index& offset) const {
        bool inside = true;
        offset = static_cast<Index>(arguments.offset);
#pragma unroll(kOuter < 0 ? 1 : 4)
        for (int axis = outer() - 1; axis >= 0; --axis) {
            Index i = row;
            if (axis > 0) { // the outermost axis takes the rest
                row = arguments.axes[axis].size.quotient(row);
                i -= row * static_cast<Index>(arguments.axes[axis].size.divisor);
            }
            Coordinate const at = sampled<Coordinate>(coordinate(axis, i), extent(axis));
            inside = inside && (MODE != kFillMode || at >= 0);
            offset += static_cast<Index>(at) * static_cast<Index>(arguments.axes[axis].step);
        }
        return inside;
    }

    __device__ Key key(Index) const { return {}; }
    __device__ T constant() const { return filler(); }

    /// Only for rows of step 1.
    __device__ Origin find(Index position, Key, Run<T>& run) const {
        constexpr int kLast = kPerWord<T> - 1;
        Axis const& axis = arguments.axes[outer()];
        Index const size = static_cast<Index>(axis.size.divisor);
        Index const row = axis.size.quotient(position);
        Index const i = position - row * size;
        if (i + kLast >= size) {
            return Origin::kMixed;
        }
        Index offset = 0;
        bool const inside = rowOffset(row, offset);
        Coordinate const given = coordinate(outer(), i);
        Coordinate const first =
            MODE == kWrap ? sampled<Coordinate>(given, extent(outer())) : given;
        bool const all = MODE == kStrictBounds || (first >= 0 && first + kLast < extent(outer()));
        if (inside && all) {
            run.from = data + offset + static_cast<Index>(first);
            run.begin = data;
            run.end = data + arguments.total;
            return Origin::kRun;
        }
        if (MODE == kFillMode && (!inside || first + kLast < 0 || first >= extent(outer()))) {
            return Origin::kConstant;
        }
        return Origin::kMixed;
    }

    __device__ T at(Index position) const {
        Axis const& axis = arguments.axes[outer()];
        Index const row = axis.size.quotient(position);
        Index offset = 0;
        bool const inside = rowOffset(row, offset);
        Index const i = position - row * static_cast<Index>(axis.size.divisor);
        Coordinate const column = sampled<Coordinate>(coordinate(outer(), i), extent(outer()));
        if (MODE == kFillMode && (!inside || column < 0)) {
            return filler();
        }
        return data[offset + static_cast<Index>(column) * static_cast<Index>(axis.step)];
    }
};
