// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// resize_rows: LINEAR and CUBIC along up to three axes, in float32. Without axes behind the resized
// ones, rows of the input are resized along the last axis, kept as long as neighbouring outputs
// need them, and added with the weights of the other axes; else vectors of neighbours are added.
// See resize.cpp for the operation.
#include "graph/ops/resize.h"

#include <algorithm>

#include "targets/cpu/resize_kernel.h"

namespace kiln::targets::cpu {
namespace {

using graph::Resize;
using nvinfer1::InterpolationMode;

/// Consecutive elements as floats; `from` itself for float32.
template <typename T>
float const* asFloats(T const* from, int64_t count, float* buffer) noexcept {
    if constexpr (std::is_same_v<T, float>) {
        return from;
    } else if constexpr (std::is_integral_v<T>) {
        std::transform(from, from + count, buffer, [](T x) { return static_cast<float>(x); });
        return buffer;
    } else {
        toFloats(from, buffer, count);
        return buffer;
    }
}

template <typename T>
void putFloats(float const* from, T* to, int64_t count) noexcept {
    if constexpr (std::is_integral_v<T>) {
        std::transform(from, from + count, to, resized<T>);
    } else {
        fromFloats(from, to, count);
    }
}

target::ResizeWorkload optimumOf(Resize const& op, NodeSpec const& node) {
    return target::resizeWorkload(op, node.inputs[0].opt, node.outputs[0].opt,
                                  node.inputs[0].type.format);
}

/// Rows of the input, resized along the last axis: kept while neighbouring output rows need them.
template <typename T>
class ResizedRows {
public:
    static constexpr int64_t kColumns = 1024; // of the output, in a block
    static constexpr int64_t kSpan = 4096;    // of the input
    static constexpr int64_t kSlots = 4;

    /// Output columns of a block such that the samples are a span that fits.
    static int64_t columnsFor(ResizeAxis const& width) {
        int64_t const perColumn = (width.input + width.output - 1) / width.output;
        return std::clamp<int64_t>((kSpan - 8) / std::max<int64_t>(perColumn, 1), 1, kColumns);
    }

    ResizedRows(ResizeAxis const& width, T const* from, int64_t first, int64_t count)
        : width_(width), from_(from), first_(first), count_(count), begin_(lowest(width, first)),
          end_(highest(width, first + count - 1) + 1) {}

    /// `needed` rows of the input; slots[i] is where row i is.
    void fetch(int64_t const* rows, int64_t needed, int64_t* slots) noexcept {
        for (int64_t i = 0; i < needed; ++i) {
            int64_t slot = std::find(held_, held_ + kSlots, rows[i]) - held_;
            if (slot == kSlots) {
                slot = std::find_if(held_, held_ + kSlots,
                                    [&](int64_t row) {
                                        return std::find(rows, rows + needed, row) == rows + needed;
                                    }) -
                       held_;
                held_[slot] = rows[i];
                resize(rows[i], values_ + slot * kColumns);
            }
            slots[i] = slot;
        }
    }
    float const* at(int64_t slot) const noexcept { return values_ + slot * kColumns; }

private:
    static int64_t lowest(ResizeAxis const& width, int64_t x) { return width.sample(0, x); }
    static int64_t highest(ResizeAxis const& width, int64_t x) {
        return width.sample(width.taps - 1, x);
    }

    void resize(int64_t row, float* to) noexcept {
        float const* const x =
            asFloats(from_ + row * width_.input + begin_, end_ - begin_, span_) - begin_;
        if (width_.keeps) {
            std::copy_n(x + first_, count_, to);
            return;
        }
        int64_t const* const at = width_.at.data() + first_;
        float const* const weight = width_.weight.data() + first_;
        int64_t const step = width_.output;
        if (width_.taps == 2) {
            for (int64_t i = 0; i < count_; ++i) {
                to[i] = weight[i] * x[at[i]] + weight[step + i] * x[at[step + i]];
            }
            return;
        }
        for (int64_t i = 0; i < count_; ++i) {
            float sum = 0.0F;
            for (int64_t tap = 0; tap < width_.taps; ++tap) {
                sum += weight[tap * step + i] * x[at[tap * step + i]];
            }
            to[i] = sum;
        }
    }

    ResizeAxis const& width_;
    T const* from_;
    int64_t first_;
    int64_t count_;
    int64_t begin_; // of the samples
    int64_t end_;
    int64_t held_[kSlots] = {-1, -1, -1, -1};
    float values_[kSlots * kColumns];
    float span_[kSpan];
};

struct ResizeRows {
    using Op = Resize;
    using State = ResizeState;
    static constexpr bool kAnyFormat = true;

    static std::string refuse(Op const& op, NodeSpec const& node) {
        if (op.mode == InterpolationMode::kNEAREST) {
            return "expected mode LINEAR or CUBIC";
        }
        std::string const reason = refuseResize(node);
        return reason.empty() ? refuseManyAxes(op, node) : reason;
    }

    static double estimate(Op const& op, NodeSpec const& node) {
        double const taps = optimumOf(op, node).inner > 1 ? 2.0 * op.taps() : op.taps();
        return elementsOf(node) * 5e-10 * taps;
    }

    static target::KernelFunction prepare(Op const& op, Workload const& workload, State& state) {
        state = fastState(op, workload);
        bool const vectors = state.inner > 1;
        return dispatchComputed(workload.type(), [&](auto value) -> target::KernelFunction {
            using T = decltype(value);
            return vectors ? launchOf<&runVectors<T>> : launchOf<&runRows<T>>;
        });
    }

private:
    static constexpr int64_t kRows = 32; // of a task: the first few are computed anew
    static constexpr int64_t kMostSources = 4;

    struct Sources {
        int64_t count = 0;
        int64_t rows[kMostSources];
        float weights[kMostSources];

        Sources(State const& state, ResizeRow const& place) {
            for (int64_t z = 0; z < state.axes[0].taps; ++z) {
                for (int64_t y = 0; y < state.axes[1].taps; ++y) {
                    rows[count] = place.source(state, z, y);
                    weights[count++] =
                        state.axes[0].weightOf(z, place.z) * state.axes[1].weightOf(y, place.y);
                }
            }
        }
    };

    template <typename T>
    static void runRows(State const& state, KernelCall const& call) {
        auto const* from = static_cast<T const*>(call.inputs[0]);
        auto* to = static_cast<T*>(call.outputs[0]);
        ResizeAxis const& width = state.axes[2];
        int64_t const rows = state.outer * state.axes[0].output * state.axes[1].output;
        int64_t const columns = width.output == 0 ? 1 : ResizedRows<T>::columnsFor(width);
        int64_t const across = (width.output + columns - 1) / columns;
        int64_t const down = (rows + kRows - 1) / kRows;
        parallelFor(across * down, grainFor(kRows * std::min(columns, width.output) * 2),
                    [&](int64_t begin, int64_t end) {
                        for (int64_t task = begin; task < end; ++task) {
                            int64_t const first = task % across * columns;
                            int64_t const count = std::min(columns, width.output - first);
                            int64_t const row = task / across * kRows;
                            addRows(state, from, to, row, std::min(rows, row + kRows), first,
                                    count);
                        }
                    });
    }

    template <typename T>
    static void addRows(State const& state, T const* from, T* to, int64_t row, int64_t end,
                        int64_t first, int64_t count) {
        ResizedRows<T> resized(state.axes[2], from, first, count);
        float sums[ResizedRows<T>::kColumns];
        ResizeRow place(state, row);
        for (; row < end; ++row, place.advance(state)) {
            Sources const sources(state, place);
            int64_t slots[kMostSources];
            resized.fetch(sources.rows, sources.count, slots);
            T* const target = to + row * state.axes[2].output + first;
            if (sources.count == 1) {
                putFloats(resized.at(slots[0]), target, count);
                continue;
            }
            float* result = sums;
            if constexpr (std::is_same_v<T, float>) {
                result = target;
            }
            std::fill_n(result, count, 0.0F);
            for (int64_t i = 0; i < sources.count; i += 2) { // always 2 or 4
                isa().weightedSum(sources.weights + i, 2, resized.at(slots[i]),
                                  (slots[i + 1] - slots[i]) * ResizedRows<T>::kColumns, count,
                                  result);
            }
            if constexpr (!std::is_same_v<T, float>) {
                putFloats(sums, target, count);
            }
        }
    }

    template <typename T>
    static void runVectors(State const& state, KernelCall const& call) {
        auto const* from = static_cast<T const*>(call.inputs[0]);
        auto* to = static_cast<T*>(call.outputs[0]);
        ResizeAxis const& width = state.axes[2];
        int64_t const positions =
            state.outer * state.axes[0].output * state.axes[1].output * width.output;
        parallelFor(positions, grainFor(state.inner * state.taps()),
                    [&](int64_t begin, int64_t end) {
                        for (int64_t at = begin; at < end; ++at) {
                            Sources const sources(state, ResizeRow(state, at / width.output));
                            for (int64_t first = 0; first < state.inner; first += kBlock) {
                                addVectors(state, sources, at % width.output, from + first,
                                           to + at * state.inner + first,
                                           std::min(kBlock, state.inner - first));
                            }
                        }
                    });
    }

    template <typename T>
    static void addVectors(State const& state, Sources const& sources, int64_t x, T const* from,
                           T* to, int64_t count) {
        ResizeAxis const& width = state.axes[2];
        float sums[kBlock];
        float buffer[kBlock];
        std::fill_n(sums, count, 0.0F);
        for (int64_t i = 0; i < sources.count; ++i) {
            for (int64_t tap = 0; tap < width.taps; ++tap) {
                float const weight = sources.weights[i] * width.weightOf(tap, x);
                T const* const source =
                    from + (sources.rows[i] * width.input + width.sample(tap, x)) * state.inner;
                isa().weightedSum(&weight, 1, asFloats(source, count, buffer), 0, count, sums);
            }
        }
        putFloats(sums, to, count);
    }
};

} // namespace

void registerKernel_resize_rows(KernelRegistry& registry) {
    registry.add(entryOf<ResizeRows>("resize_rows"));
}

} // namespace kiln::targets::cpu
