// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// resize: interpolation along axes of [outer, axes..., inner]. `resize_strips`, for inner 1 and at
// most three axes: a block interpolates between input rows, in shared memory, and then along them;
// a thread keeps the samples of its two columns for all rows of the block. The others read tables:
// `resize_tables` writes the samples and weights of each output position of each axis to the
// workspace, as the host's resizeTaps() does. `resize_rows`, for inner 1: a thread computes neighbouring outputs along the last of three
// axes; neighbours write neighbouring vectors. `resize_vectors`: a thread computes one vector of
// `inner` elements, neighbours read neighbouring vectors. `_single`: vectors of one element.
// `resize_any`: one element of any number of axes. Computes in float. KILN_ELEMENT: the type, with
// KILN_MOVES 1 an integer as wide; KILN_TAPS: samples along a resized axis (1, 2, 4); KILN_MOVES:
// whether elements are only moved.
#include "flat.cuh"
#include "numbers.cuh"
#include "volume.cuh"

typedef KILN_ELEMENT Element;

struct Axis {
    int64_t input;
    int64_t output;
    int64_t table; ///< entries of the tables in front of this axis's
    float scale;   ///< 0: the quotient of the extents
    int32_t taps;
    int32_t keeps; ///< each output is the input at the same place; no table
    int32_t unused;
};

struct Arguments {
    int64_t outer;
    int64_t inner;
    int64_t tables; ///< positions of all axes that have a table
    int32_t rank;
    int32_t mode;
    int32_t transformation;
    int32_t selector;
    int32_t rounding;
    int32_t excludesOutside;
    float cubic;
    Axis axes[kMaxRank];
    // For resize_strips:
    int32_t lanes;       ///< threads that share an output row; a power of two
    int32_t pitch;       ///< between rows in shared memory
    int32_t turns;       ///< rows of each thread at once
    int32_t rowsOfBlock; ///< at most kStripRows
};

struct Tap {
    int32_t at;
    float weight;
};
typedef Pack<Tap, KILN_TAPS> Taps;

enum Transformation { kAlignCorners = 0, kAsymmetric = 1, kHalfPixel = 2 };
enum Rounding { kHalfUp = 0, kHalfDown = 1, kFloorMode = 2, kCeilMode = 3 };

__device__ inline double coordinateOf(Arguments const& arguments, Axis const& axis,
                                      int64_t position) {
    if (axis.output == 1 && arguments.selector == 1) {
        return 0.0;
    }
    double const x = static_cast<double>(position);
    double const input = static_cast<double>(axis.input);
    double const output = static_cast<double>(axis.output);
    if (arguments.transformation == kAlignCorners) {
        return axis.output == 1 ? 0.0 : x * (input - 1.0) / (output - 1.0);
    }
    double const shift = arguments.transformation == kHalfPixel ? 0.5 : 0.0;
    if (axis.scale == 0.0F) {
        return (x + shift) * input / output - shift;
    }
    return static_cast<double>(static_cast<float>(x + shift) / axis.scale -
                               static_cast<float>(shift));
}

__device__ inline double rounded(int32_t mode, double x) {
    return mode == kHalfUp      ? floor(x + 0.5)
           : mode == kHalfDown  ? ceil(x - 0.5)
           : mode == kFloorMode ? floor(x)
                                : ceil(x);
}

__device__ inline int32_t inside(double at, Axis const& axis) {
    double const last = static_cast<double>(axis.input - 1);
    return static_cast<int32_t>(at < 0.0 ? 0.0 : at > last ? last : at);
}

__device__ inline float nearWeight(float a, float x) {
    return ((a + 2.0F) * x - (a + 3.0F)) * x * x + 1.0F;
}
__device__ inline float farWeight(float a, float x) {
    return ((a * x - 5.0F * a) * x + 8.0F * a) * x - 4.0F * a;
}

__device__ inline Taps tapsOf(Arguments const& arguments, Axis const& axis, int64_t position) {
    Taps taps;
    double const x = coordinateOf(arguments, axis, position);
#if KILN_TAPS == 1
    taps.at[0].at = inside(rounded(arguments.rounding, x), axis);
    taps.at[0].weight = 1.0F;
#else
    double const low = floor(x);
    float const part = static_cast<float>(x - low);
#if KILN_TAPS == 2
    taps.at[0].at = inside(low, axis);
    taps.at[0].weight = 1.0F - part;
    taps.at[1].at = inside(low + 1.0, axis);
    taps.at[1].weight = part;
#else
    float const a = arguments.cubic;
    float const weights[4] = {farWeight(a, part + 1.0F), nearWeight(a, part),
                              nearWeight(a, 1.0F - part), farWeight(a, 2.0F - part)};
    float sum = 0.0F;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        double const at = low - 1.0 + i;
        bool const outside = at < 0.0 || at > static_cast<double>(axis.input - 1);
        taps.at[i].at = inside(at, axis);
        taps.at[i].weight = outside && arguments.excludesOutside != 0 ? 0.0F : weights[i];
        sum += taps.at[i].weight;
    }
    if (arguments.excludesOutside != 0) {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            taps.at[i].weight /= sum;
        }
    }
#endif
#endif
    return taps;
}

KILN_KERNEL void resize_tables(Element const*, KILN_EXTENTS Element*, void* workspace,
                               KILN_IN_PLACE Arguments arguments) {
    Taps* const tables = static_cast<Taps*>(workspace);
    for (int64_t i = threadIndex(); i < arguments.tables; i += threadCount()) {
        int which = arguments.rank - 1;
        while (arguments.axes[which].keeps != 0 || i < arguments.axes[which].table) {
            --which;
        }
        Axis const& axis = arguments.axes[which];
        tables[i] = tapsOf(arguments, axis, i - axis.table);
    }
}

/// Samples of one output along an axis.
__device__ inline Taps read(Taps const* tables, Axis const& axis, int64_t position) {
    if (axis.keeps == 0) {
        return tables[axis.table + position];
    }
    Taps taps;
#pragma unroll
    for (int i = 0; i < KILN_TAPS; ++i) {
        taps.at[i].at = static_cast<int32_t>(position);
        taps.at[i].weight = i == 0 ? 1.0F : 0.0F;
    }
    return taps;
}

/// A sample by its number. An index would put all of them in local memory.
__device__ inline Tap tapAt(Taps const& taps, int64_t number) {
    Tap result = taps.at[0];
#pragma unroll
    for (int i = 1; i < KILN_TAPS; ++i) {
        result.at = number == i ? taps.at[i].at : result.at;
        result.weight = number == i ? taps.at[i].weight : result.weight;
    }
    return result;
}

#if KILN_MOVES
typedef Element Sum;
#else
typedef float Sum;
#endif

__device__ inline void add(Sum& sum, float weight, Element value) {
#if KILN_MOVES
    sum = value;
#else
    sum += weight * toFloat(value);
#endif
}

__device__ inline Element resultOf(Sum sum) {
#if KILN_MOVES
    return sum;
#else
    if constexpr (Integers<Element>::kAre) {
        return elementOf<Element>(rintf(sum));
    } else {
        return fromFloat<Element>(sum);
    }
#endif
}

/// An output row of three axes, and the samples of the first two.
struct Row : RowOfVolume {
    Taps tapsZ;
    Taps tapsY;

    __device__ Row(Arguments const& arguments, Taps const* tables, int64_t row)
        : RowOfVolume(row, arguments.axes[0].output, arguments.axes[1].output) {
        tapsZ = read(tables, arguments.axes[0], z);
        tapsY = read(tables, arguments.axes[1], y);
    }
    /// The input row of a sample.
    __device__ int64_t source(Arguments const& arguments, int tapZ, int tapY) const {
        return (stack * arguments.axes[0].input + tapAt(tapsZ, tapZ).at) *
                   arguments.axes[1].input +
               tapAt(tapsY, tapY).at;
    }
    __device__ float weight(int tapZ, int tapY) const {
        return tapAt(tapsZ, tapZ).weight * tapAt(tapsY, tapY).weight;
    }
};

constexpr int kStripThreads = 256;
constexpr int kStripColumns = 2; ///< of each thread
constexpr int kStripRows = 64;
constexpr int kStripSums = sizeof(Sum) > 4 ? 3328 : 6656; ///< in shared memory

__device__ inline Taps tapsAt(Arguments const& arguments, Axis const& axis, int64_t position) {
    return axis.keeps != 0 ? read(nullptr, axis, position) : tapsOf(arguments, axis, position);
}

/// An input row that an output row needs.
struct Line {
    int64_t at;
    float weight;
};

/// Finds the lines of the rows [first, first + count), of which each has arguments' taps.
__device__ inline void findLines(Arguments const& arguments, int64_t first, int count,
                                 Line* lines) {
    Axis const& depth = arguments.axes[0];
    Axis const& height = arguments.axes[1];
    int const perRow = depth.taps * height.taps;
    for (int i = static_cast<int>(threadIdx.x); i < count; i += kStripThreads) {
        RowOfVolume const row(first + i, depth.output, height.output);
        Taps const tapsZ = tapsAt(arguments, depth, row.z);
        Taps const tapsY = tapsAt(arguments, height, row.y);
        for (int line = 0; line < perRow; ++line) {
            int const z = line / height.taps;
            Tap const tapZ = tapAt(tapsZ, z);
            Tap const tapY = tapAt(tapsY, line - z * height.taps);
            int64_t const source =
                (row.stack * depth.input + tapZ.at) * height.input + tapY.at;
            lines[i * perRow + line] = {source * arguments.axes[2].input,
                                        tapZ.weight * tapY.weight};
        }
    }
}

/// Interpolates between lines: elements [first, first + length) to `sums`, by `lanes` threads.
template <int kWidth>
__device__ inline void joinLines(Element const* from, Line const* lines, int count, int first,
                                 int length, int lane, int lanes, Sum* sums) {
    for (int at = lane * kWidth; at < length; at += lanes * kWidth) {
        Pack<Sum, kWidth> own{};
#pragma unroll 2
        for (int line = 0; line < count; ++line) {
            Pack<Element, kWidth> const pack = *reinterpret_cast<Pack<Element, kWidth> const*>(
                from + lines[line].at + first + at);
#pragma unroll
            for (int i = 0; i < kWidth; ++i) {
                add(own.at[i], lines[line].weight, pack.at[i]);
            }
        }
        constexpr int kPart = kWidth * sizeof(Sum) > 16 ? 16 / sizeof(Sum) : kWidth;
#pragma unroll
        for (int part = 0; part < kWidth / kPart; ++part) {
            Pack<Sum, kPart> four;
#pragma unroll
            for (int i = 0; i < kPart; ++i) {
                four.at[i] = own.at[part * kPart + i];
            }
            *reinterpret_cast<Pack<Sum, kPart>*>(sums + at + part * kPart) = four;
        }
    }
}

KILN_KERNEL void __launch_bounds__(kStripThreads)
    resize_strips(Element const* from, KILN_EXTENTS Element* to, void*,
                  KILN_IN_PLACE Arguments arguments) {
    constexpr int kVector = widthFor(sizeof(Element));
    __shared__ __align__(16) Sum sums[kStripSums];
    __shared__ Line lines[kStripRows * KILN_TAPS * KILN_TAPS];
    Axis const& width = arguments.axes[2];
    int const perRow = arguments.axes[0].taps * arguments.axes[1].taps;
    int const lanes = arguments.lanes;
    int const groups = kStripThreads / lanes;
    int const group = static_cast<int>(threadIdx.x) / lanes;
    int const lane = static_cast<int>(threadIdx.x) % lanes;
    int const columns = static_cast<int>(width.output);
    int const begin = static_cast<int>(blockIdx.y) * lanes * kStripColumns;
    int const end = begin + lanes * kStripColumns;
    int const x = begin + lane * kStripColumns;

    int const lowest = tapsAt(arguments, width, begin).at[0].at;
    int const first = lowest & ~(kVector - 1);
    int const last =
        tapsAt(arguments, width, (end < columns ? end : columns) - 1).at[KILN_TAPS - 1].at;
    int const length = last + 1 - first;
    Taps taps[kStripColumns];
#pragma unroll
    for (int i = 0; i < kStripColumns; ++i) {
        taps[i] = tapsAt(arguments, width, x + i < columns ? x + i : columns - 1);
#pragma unroll
        for (int tap = 0; tap < KILN_TAPS; ++tap) {
            taps[i].at[tap].at -= first;
        }
    }
    bool const wide = width.input % kVector == 0 && beginsVector<kVector>(from);
    bool const pairs = columns % kStripColumns == 0 && beginsVector<kStripColumns>(to);

    int64_t const allRows =
        arguments.outer * arguments.axes[0].output * arguments.axes[1].output;
    int64_t const firstRow = static_cast<int64_t>(blockIdx.x) * arguments.rowsOfBlock;
    int64_t const rest = allRows - firstRow;
    int const rows = rest < arguments.rowsOfBlock ? static_cast<int>(rest) : arguments.rowsOfBlock;
    findLines(arguments, firstRow, rows, lines);
    for (int start = 0; start < rows; start += groups * arguments.turns) {
        __syncthreads(); // the lines are written, the sums were read
        for (int turn = 0; turn < arguments.turns; ++turn) {
            int const slot = turn * groups + group;
            if (start + slot < rows) {
                Line const* const own = lines + (start + slot) * perRow;
                Sum* const result = sums + slot * arguments.pitch;
                if (wide) {
                    joinLines<kVector>(from, own, perRow, first, length, lane, lanes, result);
                } else {
                    joinLines<1>(from, own, perRow, first, length, lane, lanes, result);
                }
            }
        }
        __syncthreads();
        for (int turn = 0; turn < arguments.turns; ++turn) {
            int const slot = turn * groups + group;
            if (start + slot >= rows || x >= columns) {
                continue;
            }
            Sum const* const own = sums + slot * arguments.pitch;
            Pack<Element, kStripColumns> result;
#pragma unroll
            for (int i = 0; i < kStripColumns; ++i) {
                Sum sum = Sum{};
#pragma unroll
                for (int tap = 0; tap < KILN_TAPS; ++tap) {
                    if (tap < width.taps) {
#if KILN_MOVES
                        sum = own[taps[i].at[tap].at];
#else
                        sum += taps[i].at[tap].weight * own[taps[i].at[tap].at];
#endif
                    }
                }
                result.at[i] = resultOf(sum);
            }
            Element* const target = to + (firstRow + start + slot) * width.output + x;
            if (pairs) {
                *reinterpret_cast<Pack<Element, kStripColumns>*>(target) = result;
            } else {
                target[0] = result.at[0];
                if (x + 1 < columns) {
                    target[1] = result.at[1];
                }
            }
        }
    }
}

template <int kWidth>
__device__ inline void resizeRows(Element const* from, Element* to, void const* workspace,
                                  Arguments const& arguments) {
    Taps const* const tables = static_cast<Taps const*>(workspace);
    Axis const& width = arguments.axes[2];
    int64_t const across = width.output / kWidth;
    int64_t const count =
        arguments.outer * arguments.axes[0].output * arguments.axes[1].output * across;
    int const tapsZ = arguments.axes[0].taps;
    int const tapsY = arguments.axes[1].taps;
    bool const aligned = beginsVector<kWidth>(to);
    for (int64_t index = threadIndex(); index < count; index += threadCount()) {
        int64_t const rowIndex = quotient(index, across);
        int64_t const x = (index - rowIndex * across) * kWidth;
        Row const row(arguments, tables, rowIndex);
        Taps taps[kWidth];
        Sum sums[kWidth];
#pragma unroll
        for (int i = 0; i < kWidth; ++i) {
            taps[i] = read(tables, width, x + i);
            sums[i] = Sum{};
        }
        for (int z = 0; z < tapsZ; ++z) {
            for (int y = 0; y < tapsY; ++y) {
                Element const* const line = from + row.source(arguments, z, y) * width.input;
                float const weight = row.weight(z, y);
#pragma unroll
                for (int i = 0; i < kWidth; ++i) {
#pragma unroll
                    for (int tap = 0; tap < KILN_TAPS; ++tap) {
                        add(sums[i], weight * taps[i].at[tap].weight, line[taps[i].at[tap].at]);
                    }
                }
            }
        }
        Pack<Element, kWidth> result;
#pragma unroll
        for (int i = 0; i < kWidth; ++i) {
            result.at[i] = resultOf(sums[i]);
        }
        Element* const target = to + rowIndex * width.output + x;
        storePack(target, result, aligned);
    }
}

template <int kWidth>
__device__ inline void resizeVectors(Element const* from, Element* to, void const* workspace,
                                     Arguments const& arguments) {
    Taps const* const tables = static_cast<Taps const*>(workspace);
    Axis const& width = arguments.axes[2];
    int64_t const across = arguments.inner / kWidth;
    int64_t const count = arguments.outer * arguments.axes[0].output * arguments.axes[1].output *
                          width.output * across;
    bool const aligned = beginsVector<kWidth>(to) && beginsVector<kWidth>(from);
    for (int64_t index = threadIndex(); index < count; index += threadCount()) {
        int64_t const position = quotient(index, across);
        int64_t const first = (index - position * across) * kWidth;
        int64_t const rowIndex = quotient(position, width.output);
        Row const row(arguments, tables, rowIndex);
        Taps const taps = read(tables, width, position - rowIndex * width.output);
        Sum sums[kWidth];
#pragma unroll
        for (int i = 0; i < kWidth; ++i) {
            sums[i] = Sum{};
        }
        for (int z = 0; z < arguments.axes[0].taps; ++z) {
            for (int y = 0; y < arguments.axes[1].taps; ++y) {
                int64_t const line = row.source(arguments, z, y) * width.input;
                for (int tap = 0; tap < width.taps; ++tap) {
                    Tap const chosen = tapAt(taps, tap);
                    Element const* const source =
                        from + (line + chosen.at) * arguments.inner + first;
                    float const weight = row.weight(z, y) * chosen.weight;
                    Pack<Element, kWidth> const pack = loadPack<kWidth>(source, aligned);
#pragma unroll
                    for (int i = 0; i < kWidth; ++i) {
                        add(sums[i], weight, pack.at[i]);
                    }
                }
            }
        }
        Pack<Element, kWidth> result;
#pragma unroll
        for (int i = 0; i < kWidth; ++i) {
            result.at[i] = resultOf(sums[i]);
        }
        Element* const target = to + position * arguments.inner + first;
        storePack(target, result, aligned);
    }
}

#define KILN_RESIZE(NAME, FUNCTION, WIDTH)                                                         \
    KILN_KERNEL void NAME(Element const* from, KILN_EXTENTS Element* to, void* workspace,          \
                          KILN_IN_PLACE Arguments arguments) {                                     \
        FUNCTION<WIDTH>(from, to, workspace, arguments);                                           \
    }

KILN_RESIZE(resize_rows, resizeRows, widthFor(sizeof(Element)))
KILN_RESIZE(resize_rows_single, resizeRows, 1)
KILN_RESIZE(resize_vectors, resizeVectors, widthFor(sizeof(Element)))
KILN_RESIZE(resize_vectors_single, resizeVectors, 1)

KILN_KERNEL void resize_any(Element const* from, KILN_EXTENTS Element* to, void* workspace,
                            KILN_IN_PLACE Arguments arguments) {
    Taps const* const tables = static_cast<Taps const*>(workspace);
    int64_t count = arguments.outer * arguments.inner;
    int64_t samples = 1;
    for (int i = 0; i < arguments.rank; ++i) {
        count *= arguments.axes[i].output;
        samples *= arguments.axes[i].taps;
    }
    for (int64_t index = threadIndex(); index < count; index += threadCount()) {
        Sum sum = Sum{};
        for (int64_t sample = 0; sample < samples; ++sample) {
            int64_t rest = quotient(index, arguments.inner);
            int64_t at = index - rest * arguments.inner;
            int64_t step = arguments.inner;
            int64_t tap = sample;
            float weight = 1.0F;
            for (int i = arguments.rank - 1; i >= 0; --i) {
                Axis const& axis = arguments.axes[i];
                int64_t const next = quotient(rest, axis.output);
                int64_t const nextTap = quotient(tap, axis.taps);
                Taps const taps = read(tables, axis, rest - next * axis.output);
                Tap const chosen = tapAt(taps, tap - nextTap * axis.taps);
                at += chosen.at * step;
                weight *= chosen.weight;
                step *= axis.input;
                rest = next;
                tap = nextTap;
            }
            add(sum, weight, from[at + rest * step]);
        }
        to[index] = resultOf(sum);
    }
}
