// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// pooling: the largest element, the mean, or a blend of both over windows of the 1 to 3 spatial
// axes of [batch, channels, spatial...]. float32, float16 and bfloat16, computed in float32.
// Padding is never the largest element; the layer chooses whether it counts in the mean. A window
// entirely in the padding has mean 0. The fast kernel combines the input rows of a window to one
// padded row, along which the window then slides; threads share the rows of the output.
// pooling_channels.cpp takes channels last.
#include "graph/ops/pooling.h"

#include "targets/cpu/block.h"
#include "targets/cpu/copy.h"
#include "targets/cpu/pooling_workload.h"

namespace kiln::targets::cpu {
namespace {

struct PoolingRows {
    using Op = graph::Pooling;
    using State = PoolingState;

    static std::string refuse(Op const& op, NodeSpec const& node) {
        if (std::string const reason = refuseUnlessFloat(node); !reason.empty()) {
            return reason;
        }
        // The sizes grow with those of the input and of the output.
        State const state = poolingOf(op, node.inputs[0].max, node.outputs[0].max);
        return fits(state)
                   ? std::string()
                   : fmt::format("expected padded rows of at most {} elements and windows "
                                 "over at most {}, got {} and {}",
                                 kLongestRow, kMostInput, paddedWidth(state), windowInput(state));
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
    static constexpr int64_t kMostInput = 16384;

    /// Elements of a row that windows cover.
    static int64_t paddedWidth(State const& state) {
        return std::max((state.width.output - 1) * state.width.stride + state.width.size,
                        state.width.before + state.width.input);
    }
    /// Elements of the input rows that a window covers at one depth.
    static int64_t windowInput(State const& state) {
        return std::min(state.height.size, state.height.input) * state.width.input;
    }
    static bool fits(State const& state) {
        return paddedWidth(state) <= kLongestRow && windowInput(state) <= kMostInput;
    }

    /// Buffers of one thread. The padded ends of a row keep their neutral elements.
    struct Buffers {
        float input[kMostInput];
        float deeper[kLongestRow];
        float largest[kLongestRow + kSlideRoom];
        float sums[kLongestRow + kSlideRoom];
        float result[kLongestRow + kSlideRoom];
        float means[kLongestRow + kSlideRoom];
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
                        Buffers buffers;
                        int64_t const padded = paddedWidth(state);
                        std::fill_n(buffers.largest, padded, kLowest);
                        std::fill_n(buffers.sums, padded, 0.0F);
                        for (int64_t row = begin; row < end; ++row) {
                            poolRow(state, from + row / rows * state.inputs(), row % rows, buffers);
                            fromFloats(buffers.result, to + row * width, width);
                        }
                    });
    }

    template <typename T>
    static void poolRow(State const& state, T const* plane, int64_t row, Buffers& buffers) {
        Isa const& functions = isa();
        PoolAxis const& width = state.width;
        RowWindow const window = rowWindow(state, row);
        PoolRange const x = rangeOf(width, 0);
        if constexpr (std::is_same_v<T, float>) {
            if (width.output == 1 && x.begin == 0 && x.end == width.input) {
                poolWholeRows(state, plane, window, buffers);
                return;
            }
        }
        combineRows(state, plane, window, buffers);
        if (state.needsLargest()) {
            functions.slideMaximum(buffers.largest, width.size, 1, width.stride, buffers.result,
                                   width.output);
        }
        if (state.needsMean()) {
            functions.slideSum(buffers.sums, width.size, 1, width.stride, buffers.means,
                               width.output);
            combineInto(CombineFunction::kProduct, state.inverses.data(), buffers.means,
                        width.output);
            scale(buffers.means, inverseOf(state, window), width.output);
            blend(state, buffers.result, buffers.means, width.output);
        }
    }

    /// One window as wide as the input, as in global pooling: its rows lie side by side.
    static void poolWholeRows(State const& state, float const* plane, RowWindow const& window,
                              Buffers& buffers) {
        auto const& folds = isa().folds;
        int64_t const width = state.width.input;
        int64_t const count = (window.y.end - window.y.begin) * width;
        double sum = 0.0;
        buffers.result[0] = kLowest;
        for (int64_t z = window.z.begin; z < window.z.end; ++z) {
            float const* x = plane + (z * state.height.input + window.y.begin) * width;
            if (state.needsMean()) {
                sum += folds[static_cast<std::size_t>(FoldFunction::kSum)](x, count);
            }
            if (state.needsLargest()) {
                auto const largest = static_cast<float>(
                    folds[static_cast<std::size_t>(FoldFunction::kMaximum)](x, count));
                combineInto(CombineFunction::kMaximum, &largest, buffers.result, 1);
            }
        }
        if (state.needsMean()) {
            buffers.means[0] =
                static_cast<float>(sum) * state.inverses[0] * inverseOf(state, window);
            blend(state, buffers.result, buffers.means, 1);
        }
    }

    /// Combines the input rows of a window to buffers.largest and buffers.sums.
    template <typename T>
    static void combineRows(State const& state, T const* plane, RowWindow const& window,
                            Buffers& buffers) {
        int64_t const count = state.width.input;
        int64_t const taps = window.y.end - window.y.begin;
        float* const largest = buffers.largest + state.width.before;
        float* const sums = buffers.sums + state.width.before;
        if (taps <= 0 || window.z.begin >= window.z.end) {
            std::fill_n(largest, count, kLowest);
            std::fill_n(sums, count, 0.0F);
            return;
        }
        for (int64_t z = window.z.begin; z < window.z.end; ++z) {
            T const* first = plane + (z * state.height.input + window.y.begin) * count;
            float const* x = nullptr;
            if constexpr (std::is_same_v<T, float>) {
                x = first;
            } else {
                toFloats(first, buffers.input, taps * count);
                x = buffers.input;
            }
            bool const begins = z == window.z.begin;
            auto const add = [&](Slide slide, CombineFunction function, float* totals) {
                slide(x, taps, count, 1, begins ? totals : buffers.deeper, count);
                if (!begins) {
                    combineInto(function, buffers.deeper, totals, count);
                }
            };
            if (state.needsLargest()) {
                add(isa().slideMaximum, CombineFunction::kMaximum, largest);
            }
            if (state.needsMean()) {
                add(isa().slideSum, CombineFunction::kSum, sums);
            }
        }
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
    registry.add(entryOf<PoolingReference>("pooling_reference"));
}

} // namespace kiln::targets::cpu
