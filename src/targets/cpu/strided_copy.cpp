// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cpu/strided_copy.h"

#include <algorithm>
#include <cstring>

#include "base/parallel.h"
#include "targets/cpu/isa.h"
#include "targets/cpu/numeric.h"

namespace kiln::targets::cpu {
namespace {

using target::Nest;

// Of one copy of several equal rows: memcpy() may use a slow string instruction for more.
constexpr int64_t kRepeatedBytes = 2048;

/// Walks the offsets of some loops of a nest in the source and in the dense result.
class Walk {
public:
    void add(int64_t extent, int64_t fromStride, int64_t toStride) noexcept {
        loops_[static_cast<std::size_t>(rank_++)] = {extent, fromStride, toStride, 0};
        count_ *= extent;
    }
    int64_t count() const noexcept { return count_; }
    int64_t from() const noexcept { return from_; }
    int64_t to() const noexcept { return to_; }

    void start(int64_t index) noexcept {
        from_ = to_ = 0;
        for (int32_t i = rank_ - 1; i >= 0; --i) {
            Loop& loop = loops_[static_cast<std::size_t>(i)];
            loop.position = index % loop.extent;
            index /= loop.extent;
            from_ += loop.position * loop.fromStride;
            to_ += loop.position * loop.toStride;
        }
    }
    void next() noexcept {
        for (int32_t i = rank_ - 1; i >= 0; --i) {
            Loop& loop = loops_[static_cast<std::size_t>(i)];
            from_ += loop.fromStride;
            to_ += loop.toStride;
            if (++loop.position < loop.extent) {
                return;
            }
            from_ -= loop.extent * loop.fromStride;
            to_ -= loop.extent * loop.toStride;
            loop.position = 0;
        }
    }

private:
    struct Loop {
        int64_t extent;
        int64_t fromStride;
        int64_t toStride;
        int64_t position;
    };
    int32_t rank_ = 0;
    int64_t count_ = 1;
    int64_t from_ = 0;
    int64_t to_ = 0;
    std::array<Loop, Dims::MAX_DIMS + 2> loops_{};
};

/// All loops but those at `innermost` and at `other`; -1: none.
Walk walkOf(Nest<1> const& nest, int32_t innermost, int32_t other) noexcept {
    Walk walk;
    int64_t toStride = nest.count();
    for (int32_t loop = 0; loop < nest.rank(); ++loop) {
        toStride /= nest.extent(loop);
        if (loop != innermost && loop != other) {
            walk.add(nest.extent(loop), nest.stride(loop, 0), toStride);
        }
    }
    return walk;
}

template <typename T>
void copyElements(T const* from, int64_t stride, T* to, int64_t count) noexcept {
    if (stride == 1) {
        if (count < 16) { // shorter than a call
            for (int64_t i = 0; i < count; ++i) {
                to[i] = from[i];
            }
        } else {
            std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(T));
        }
        return;
    }
    for (int64_t i = 0; i < count; ++i) {
        to[i] = from[i * stride];
    }
}

/// Along the innermost loop.
template <typename T>
void copyRows(Nest<1> const& nest, T const* from, T* to) noexcept {
    int64_t const inner = nest.inner();
    int64_t const stride = nest.innerStride(0);
    constexpr int64_t kPiece = 65536 / static_cast<int64_t>(sizeof(T));
    int64_t const pieces = (inner + kPiece - 1) / kPiece; // of a long row
    parallelFor(nest.rows() * pieces, grainFor(std::min(inner, kPiece) * int64_t{sizeof(T)} / 16),
                [&](int64_t begin, int64_t end) {
                    Walk walk = walkOf(nest, nest.rank() - 1, -1);
                    walk.start(begin / pieces);
                    int64_t piece = begin % pieces;
                    for (int64_t task = begin; task < end; ++task) {
                        int64_t const first = piece * kPiece;
                        copyElements(from + walk.from() + first * stride, stride,
                                     to + walk.to() + first, std::min(kPiece, inner - first));
                        if (++piece == pieces) {
                            piece = 0;
                            walk.next();
                        }
                    }
                });
}

/// Writes a row `count` times. Most copies are those of several rows that were just written: they
/// take fewer calls.
template <typename T>
void repeatRow(T const* from, int64_t length, T* to, int64_t count) noexcept {
    copyElements(from, 1, to, length);
    int64_t const most = kRepeatedBytes / (length * int64_t{sizeof(T)});
    for (int64_t done = 1; done < count;) {
        int64_t const rows = std::min({done, count - done, most});
        copyElements(to, 1, to + done * length, rows * length);
        done += rows;
    }
}

/// Short rows that the loop around the innermost one repeats.
template <typename T>
void repeatRows(Nest<1> const& nest, T const* from, T* to) noexcept {
    int32_t const last = nest.rank() - 1;
    int64_t const inner = nest.inner();
    int64_t const times = nest.extent(last - 1);
    parallelFor(nest.rows(), grainFor(inner * int64_t{sizeof(T)} / 16),
                [&](int64_t begin, int64_t end) {
                    Walk walk = walkOf(nest, last, last - 1);
                    walk.start(begin / times);
                    for (int64_t row = begin; row < end;) {
                        int64_t const count = std::min(end - row, times - row % times);
                        repeatRow(from + walk.from(), inner, to + row * inner, count);
                        row += count;
                        walk.next();
                    }
                });
}

template <typename T>
void transposeBlock(T const* from, int64_t fromRow, T* to, int64_t toRow, int64_t rows,
                    int64_t columns) noexcept {
    if constexpr (sizeof(T) == 4) {
        isa().transpose32(from, fromRow, to, toRow, rows, columns);
    } else if constexpr (sizeof(T) == 2) {
        isa().transpose16(from, fromRow, to, toRow, rows, columns);
    } else {
        for (int64_t column = 0; column < columns; ++column) {
            for (int64_t row = 0; row < rows; ++row) {
                to[column * toRow + row] = from[row * fromRow + column];
            }
        }
    }
}

/// Loop `unit` has stride 1 in the source, the innermost loop has it in the result.
template <typename T>
void transpose(Nest<1> const& nest, int32_t unit, T const* from, T* to) noexcept {
    constexpr int64_t kBlock = 64; // a block and its source take at most 32 KiB each
    int32_t const last = nest.rank() - 1;
    int64_t const rows = nest.extent(last);
    int64_t const columns = nest.extent(unit);
    int64_t const fromRow = nest.stride(last, 0);
    int64_t toRow = 1;
    for (int32_t loop = unit + 1; loop <= last; ++loop) {
        toRow *= nest.extent(loop);
    }
    int64_t const rowBlocks = (rows + kBlock - 1) / kBlock;
    int64_t const columnBlocks = (columns + kBlock - 1) / kBlock;
    Walk whole = walkOf(nest, last, unit);
    whole.add(columnBlocks, kBlock, kBlock * toRow);
    whole.add(rowBlocks, kBlock * fromRow, kBlock);
    int64_t const steps = std::min(rows, kBlock) * std::min(columns, kBlock);
    parallelFor(whole.count(), grainFor(steps / 2), [&](int64_t begin, int64_t end) {
        Walk walk = whole;
        walk.start(begin);
        for (int64_t task = begin; task < end; ++task, walk.next()) {
            int64_t const row = task % rowBlocks * kBlock;
            int64_t const column = task / rowBlocks % columnBlocks * kBlock;
            transposeBlock(from + walk.from(), fromRow, to + walk.to(), toRow,
                           std::min(kBlock, rows - row), std::min(kBlock, columns - column));
        }
    });
}

template <typename T>
void copyAs(Nest<1> const& nest, void const* from, void* to) noexcept {
    auto const* source = static_cast<T const*>(from);
    auto* target = static_cast<T*>(to);
    if (nest.rank() > 1 && nest.innerStride(0) != 1) {
        for (int32_t loop = 0; loop + 1 < nest.rank(); ++loop) {
            if (nest.stride(loop, 0) == 1) {
                transpose(nest, loop, source, target);
                return;
            }
        }
    }
    bool const repeats = nest.rank() > 1 && nest.innerStride(0) == 1 &&
                         nest.stride(nest.rank() - 2, 0) == 0 &&
                         nest.inner() * int64_t{sizeof(T)} <= kRepeatedBytes / 2;
    if (repeats) {
        repeatRows(nest, source, target);
    } else {
        copyRows(nest, source, target);
    }
}

} // namespace

void copyStrided(Nest<1> const& nest, int64_t elementBytes, void const* from, void* to) noexcept {
    if (nest.count() == 0) {
        return;
    }
    switch (elementBytes) {
    case 1: copyAs<uint8_t>(nest, from, to); break;
    case 2: copyAs<uint16_t>(nest, from, to); break;
    case 4: copyAs<uint32_t>(nest, from, to); break;
    default: copyAs<uint64_t>(nest, from, to); break;
    }
}

} // namespace kiln::targets::cpu
