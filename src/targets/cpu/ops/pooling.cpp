// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// pooling: the largest element, the mean, or a blend of both over windows of the 1 to 3 spatial
// axes of [batch, channels, spatial...]. float32, float16 and bfloat16, computed in float32.
// Padding is never the largest element; the layer chooses whether it counts in the mean. A window
// entirely in the padding has mean 0.
//
//   pooling_rows      linear: the input rows of a window are combined to one padded row, along
//   which
//                     the window then slides. Threads share the rows of the output
//   pooling_channels  channels last: all channels of a position are one vector. Threads share the
//                     positions of the output
//   reference         linear: window by window
#include "graph/ops/pooling.h"

#include "targets/cpu/block.h"
#include "targets/cpu/copy.h"

namespace kiln::targets::cpu {
namespace {

using nvinfer1::PoolingType;

/// One spatial axis.
struct PoolAxis {
    int64_t input = 1;
    int64_t output = 1;
    int64_t size = 1;
    int64_t stride = 1;
    int64_t before = 0; ///< padding
    int64_t after = 0;
};

/// The positions of one window: inside the input, and inside the padded input.
struct PoolRange {
    int64_t begin = 0;
    int64_t end = 0;
    int64_t padded = 0; ///< number of positions, padding included
};

PoolRange rangeOf(PoolAxis const& axis, int64_t position) {
    int64_t const begin = position * axis.stride - axis.before;
    int64_t const end = begin + axis.size;
    PoolRange range;
    range.begin = std::max<int64_t>(begin, 0);
    range.end = std::max(range.begin, std::min(end, axis.input));
    range.padded = std::max<int64_t>(0, std::min(end, axis.input + axis.after) - begin);
    return range;
}

/// A workload, in whichever order.
struct PoolingState {
    int64_t batch = 0;
    int64_t channels = 0;
    PoolAxis depth; ///< extent 1 if there are fewer than three spatial axes
    PoolAxis height;
    PoolAxis width;
    float ofLargest = 1.0F; ///< weights of the two terms
    float ofMean = 0.0F;
    bool countsPadding = false;

    bool needsLargest() const { return ofLargest != 0.0F; }
    bool needsMean() const { return ofMean != 0.0F; }
    int64_t inputs() const { return depth.input * height.input * width.input; }
    /// Rows of one output plane.
    int64_t rows() const { return depth.output * height.output; }
    int64_t windowSize() const { return depth.size * height.size * width.size; }
};

PoolingState poolingOf(graph::Pooling const& op, Dims const& input, Dims const& output) {
    auto const axisOf = [&](int32_t i) {
        auto const padding = op.window.padding(i, input.d[2 + i], output.d[2 + i]);
        return PoolAxis{input.d[2 + i],        output.d[2 + i], op.window.size.d[i],
                        op.window.stride.d[i], padding.before,  padding.after};
    };
    PoolingState state;
    state.batch = input.d[0];
    state.channels = input.d[1];
    int32_t const axes = op.window.size.nbDims;
    state.depth = axes > 2 ? axisOf(axes - 3) : PoolAxis{};
    state.height = axes > 1 ? axisOf(axes - 2) : PoolAxis{};
    state.width = axisOf(axes - 1);
    state.ofMean = op.type == PoolingType::kMAX       ? 0.0F
                   : op.type == PoolingType::kAVERAGE ? 1.0F
                                                      : op.blendFactor;
    state.ofLargest = 1.0F - state.ofMean;
    state.countsPadding = !op.averageCountExcludesPadding;
    return state;
}

/// The ranges of an output row along depth and height.
struct RowWindow {
    PoolRange z;
    PoolRange y;
};

RowWindow rowWindow(PoolingState const& state, int64_t row) {
    return {rangeOf(state.depth, row / state.height.output % state.depth.output),
            rangeOf(state.height, row % state.height.output)};
}

/// Number of elements that count in the mean of a window.
int64_t countOf(PoolingState const& state, RowWindow const& rows, PoolRange const& x) {
    return state.countsPadding
               ? rows.z.padded * rows.y.padded * x.padded
               : (rows.z.end - rows.z.begin) * (rows.y.end - rows.y.begin) * (x.end - x.begin);
}

/// largest[i] = result, from the largest element and the sum of each window. A term with weight 0
/// is not there, so that it does not turn an infinity into NaN.
void blend(PoolingState const& state, float* largest, float const* sums, float const* inverses,
           int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
        float const mean = state.needsMean() ? sums[i] * inverses[i] : 0.0F;
        largest[i] = !state.needsMean()      ? largest[i]
                     : !state.needsLargest() ? mean
                                             : state.ofLargest * largest[i] + state.ofMean * mean;
    }
}

void combineInto(CombineFunction function, float const* x, float* totals, int64_t count) {
    isa().combines[static_cast<std::size_t>(function)][0](totals, x, totals, count);
}

struct PoolingRows {
    using Op = graph::Pooling;
    using State = PoolingState;

    static std::string refuse(Op const& op, NodeSpec const& node) {
        if (std::string const reason = refuseUnlessFloat(node); !reason.empty()) {
            return reason;
        }
        // The width of the row grows with that of the input and of the output.
        State const state = poolingOf(op, node.inputs[0].max, node.outputs[0].max);
        return fits(state) ? std::string()
                           : fmt::format("expected padded rows of at most {} elements, got {}",
                                         kLongestRow, paddedWidth(state));
    }

    static double estimate(Op const& op, NodeSpec const& node) {
        State const state = poolingOf(op, node.inputs[0].opt, node.outputs[0].opt);
        auto const planes = static_cast<double>(state.batch * state.channels);
        auto const rows = planes * static_cast<double>(state.rows());
        double const taps = static_cast<double>(
            state.depth.size * state.height.size * state.width.stride + state.width.size);
        return rows * (1e-7 + static_cast<double>(state.width.output) * taps * 1e-10);
    }

    static target::KernelFunction prepare(Op const& op, Workload const& workload, State& state) {
        state = poolingOf(op, workload.inputs[0], workload.outputs[0]);
        if (!fits(state)) {
            fail(ErrorKind::kCorruptData,
                 "[plan] kernel 'pooling_rows': expected padded rows of at most {} elements, got "
                 "{}. Build the plan again.",
                 kLongestRow, paddedWidth(state));
        }
        return dispatchFloat(workload.type(), "pooling", [](auto value) -> target::KernelFunction {
            return launchOf<&run<decltype(value)>>;
        });
    }

private:
    static constexpr int64_t kLongestRow = 4096;

    /// Elements of a row that windows cover.
    static int64_t paddedWidth(State const& state) {
        return std::max((state.width.output - 1) * state.width.stride + state.width.size,
                        state.width.before + state.width.input);
    }
    static bool fits(State const& state) { return paddedWidth(state) <= kLongestRow; }

    /// Buffers of one thread.
    struct Rows {
        float input[kLongestRow];
        float largest[kLongestRow];
        float sums[kLongestRow];
        float slidLargest[kLongestRow];
        float slidSums[kLongestRow];
        float inverses[kLongestRow];
    };

    template <typename T>
    static void run(State const& state, KernelCall const& call) {
        auto const* from = static_cast<T const*>(call.inputs[0]);
        auto* to = static_cast<T*>(call.outputs[0]);
        int64_t const width = state.width.output;
        int64_t const rows = state.rows();
        int64_t const steps = width * state.windowSize() / 4;
        parallelFor(state.batch * state.channels * rows, grainFor(steps),
                    [&](int64_t begin, int64_t end) {
                        Rows buffers;
                        for (int64_t row = begin; row < end; ++row) {
                            poolRow(state, from + row / rows * state.inputs(), row % rows, buffers);
                            fromFloats(buffers.slidLargest, to + row * width, width);
                        }
                    });
    }

    template <typename T>
    static void poolRow(State const& state, T const* plane, int64_t row, Rows& rows) {
        int64_t const padded = paddedWidth(state);
        PoolAxis const& width = state.width;
        RowWindow const window = rowWindow(state, row);
        if (state.needsLargest()) {
            std::fill_n(rows.largest, padded, -std::numeric_limits<float>::infinity());
        }
        if (state.needsMean()) {
            std::fill_n(rows.sums, padded, 0.0F);
        }
        for (int64_t z = window.z.begin; z < window.z.end; ++z) {
            for (int64_t y = window.y.begin; y < window.y.end; ++y) {
                float const* x = readBlockOf(plane + (z * state.height.input + y) * width.input,
                                             rows.input, width.input);
                if (state.needsLargest()) {
                    combineInto(CombineFunction::kMaximum, x, rows.largest + width.before,
                                width.input);
                }
                if (state.needsMean()) {
                    combineInto(CombineFunction::kSum, x, rows.sums + width.before, width.input);
                }
            }
        }
        Isa const& functions = isa();
        if (state.needsLargest()) {
            functions.slideMaximum(rows.largest, width.size, width.stride, rows.slidLargest,
                                   width.output);
        }
        if (state.needsMean()) {
            functions.slideSum(rows.sums, width.size, width.stride, rows.slidSums, width.output);
            fillInverses(state, window, rows.inverses);
            blend(state, rows.slidLargest, rows.slidSums, rows.inverses, width.output);
        }
    }

    static void fillInverses(State const& state, RowWindow const& window, float* inverses) {
        for (int64_t i = 0; i < state.width.output; ++i) {
            int64_t const count = countOf(state, window, rangeOf(state.width, i));
            inverses[i] = count == 0 ? 0.0F : 1.0F / static_cast<float>(count);
        }
    }

    template <typename T>
    static float const* readBlockOf(T const* from, float* buffer, int64_t count) {
        if constexpr (std::is_same_v<T, float>) {
            return from;
        }
        toFloats(from, buffer, count);
        return buffer;
    }
};

struct PoolingChannels {
    using Op = graph::Pooling;
    using State = PoolingState;
    static constexpr bool kAnyFormat = true;

    static std::string refuse(Op const&, NodeSpec const& node) {
        if (std::string const reason = refuseUnlessFloat(node); !reason.empty()) {
            return reason;
        }
        auto const input = memoryOrderOf(node.inputs[0].type.format);
        auto const output = memoryOrderOf(node.outputs[0].type.format);
        bool const last =
            input && input == output && input->channelsFromEnd == node.inputs[0].opt.nbDims - 1;
        return last ? std::string()
                    : fmt::format("expected dense channels last, got {} and {}",
                                  nameOf(node.inputs[0].type.format),
                                  nameOf(node.outputs[0].type.format));
    }

    static double estimate(Op const& op, NodeSpec const& node) {
        State const state = poolingOf(op, node.inputs[0].opt, node.outputs[0].opt);
        return elementsOf(node) * static_cast<double>(state.windowSize()) * 1.5e-10;
    }

    static target::KernelFunction prepare(Op const& op, Workload const& workload, State& state) {
        state = poolingOf(op, workload.inputs[0], workload.outputs[0]);
        return dispatchFloat(workload.type(), "pooling", [](auto value) -> target::KernelFunction {
            return launchOf<&run<decltype(value)>>;
        });
    }

private:
    static constexpr int64_t kChannels = 512; // of a block

    template <typename T>
    static void run(State const& state, KernelCall const& call) {
        auto const* from = static_cast<T const*>(call.inputs[0]);
        auto* to = static_cast<T*>(call.outputs[0]);
        int64_t const rows = state.rows();
        int64_t const rowLength = state.width.output * state.channels;
        int64_t const steps = rowLength * state.windowSize() / 8;
        parallelFor(state.batch * rows, grainFor(steps), [&](int64_t begin, int64_t end) {
            for (int64_t row = begin; row < end; ++row) {
                RowWindow const window = rowWindow(state, row % rows);
                T const* image = from + row / rows * state.inputs() * state.channels;
                for (int64_t i = 0; i < state.width.output; ++i) {
                    PoolRange const x = rangeOf(state.width, i);
                    T* const target = to + row * rowLength + i * state.channels;
                    for (int64_t first = 0; first < state.channels; first += kChannels) {
                        poolBlock(state, window, x, image + first, target + first,
                                  std::min(kChannels, state.channels - first));
                    }
                }
            }
        });
    }

    template <typename T>
    static void poolBlock(State const& state, RowWindow const& window, PoolRange const& x,
                          T const* image, T* to, int64_t count) {
        float largest[kChannels];
        float sums[kChannels];
        float buffer[kChannels];
        std::fill_n(largest, count, -std::numeric_limits<float>::infinity());
        if (state.needsMean()) {
            std::fill_n(sums, count, 0.0F);
        }
        for (int64_t z = window.z.begin; z < window.z.end; ++z) {
            for (int64_t y = window.y.begin; y < window.y.end; ++y) {
                int64_t const row = (z * state.height.input + y) * state.width.input;
                for (int64_t at = x.begin; at < x.end; ++at) {
                    float const* values =
                        readBlock(image + (row + at) * state.channels, 1, count, buffer);
                    if (state.needsLargest()) {
                        combineInto(CombineFunction::kMaximum, values, largest, count);
                    }
                    if (state.needsMean()) {
                        combineInto(CombineFunction::kSum, values, sums, count);
                    }
                }
            }
        }
        if (state.needsMean()) {
            int64_t const elements = countOf(state, window, x);
            std::fill_n(buffer, count, elements == 0 ? 0.0F : 1.0F / static_cast<float>(elements));
            blend(state, largest, sums, buffer, count);
        }
        fromFloats(largest, to, count);
    }
};

struct PoolingReference {
    using Op = graph::Pooling;
    using State = PoolingState;

    static std::string refuse(Op const&, NodeSpec const& node) { return refuseUnlessFloat(node); }

    static double estimate(Op const& op, NodeSpec const& node) {
        State const state = poolingOf(op, node.inputs[0].opt, node.outputs[0].opt);
        return elementsOf(node) * (5e-9 + static_cast<double>(state.windowSize()) * 1.5e-9);
    }

    static target::KernelFunction prepare(Op const& op, Workload const& workload, State& state) {
        state = poolingOf(op, workload.inputs[0], workload.outputs[0]);
        return dispatchFloat(workload.type(), "pooling", [](auto value) -> target::KernelFunction {
            return launchOf<&run<decltype(value)>>;
        });
    }

private:
    template <typename T>
    static void run(State const& state, KernelCall const& call) {
        auto const* from = static_cast<T const*>(call.inputs[0]);
        auto* to = static_cast<T*>(call.outputs[0]);
        int64_t const rows = state.depth.output * state.height.output; // of one plane
        int64_t const steps =
            state.width.output * state.depth.size * state.height.size * state.width.size;
        int64_t const inputs = state.depth.input * state.height.input * state.width.input;
        parallelFor(
            state.batch * state.channels * rows, grainFor(steps), [&](int64_t begin, int64_t end) {
                for (int64_t row = begin; row < end; ++row) {
                    T const* source = from + row / rows * inputs;
                    Window at;
                    at.z = rangeOf(state.depth, row / state.height.output % state.depth.output);
                    at.y = rangeOf(state.height, row % state.height.output);
                    for (int64_t i = 0; i < state.width.output; ++i) {
                        at.x = rangeOf(state.width, i);
                        to[row * state.width.output + i] = store<T>(combine(state, source, at));
                    }
                }
            });
    }

    /// The positions of one window.
    struct Window {
        PoolRange z;
        PoolRange y;
        PoolRange x;
    };

    template <typename T>
    static float combine(State const& state, T const* plane, Window const& at) {
        float largest = -std::numeric_limits<float>::infinity();
        float sum = 0.0F;
        for (int64_t z = at.z.begin; z < at.z.end; ++z) {
            for (int64_t y = at.y.begin; y < at.y.end; ++y) {
                T const* row = plane + (z * state.height.input + y) * state.width.input;
                for (int64_t x = at.x.begin; x < at.x.end; ++x) {
                    float const value = load(row[x]);
                    largest = value > largest || std::isnan(value) ? value : largest;
                    sum += value;
                }
            }
        }
        int64_t const inside =
            (at.z.end - at.z.begin) * (at.y.end - at.y.begin) * (at.x.end - at.x.begin);
        int64_t const padded = at.z.padded * at.y.padded * at.x.padded;
        int64_t const count = state.countsPadding ? padded : inside;
        float const mean = count == 0 ? 0.0F : sum / static_cast<float>(count);
        // A term with weight 0 must not turn an infinity into NaN.
        if (state.ofMean == 0.0F) {
            return largest;
        }
        return state.ofLargest == 0.0F ? mean : state.ofLargest * largest + state.ofMean * mean;
    }
};

} // namespace

void registerKernel_pooling(KernelRegistry& registry) {
    registry.add(entryOf<PoolingRows>("pooling_rows"));
    registry.add(entryOf<PoolingChannels>("pooling_channels"));
    registry.add(entryOf<PoolingReference>("pooling_reference"));
}

} // namespace kiln::targets::cpu
