// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// resize: interpolation along axes of [outer, axes..., inner], linear or channels last. Samples and
// weights of all outputs are tables. NEAREST moves elements of any type of whole bytes, row by row
// along up to three axes; for the other modes see resize_rows.cpp. The reference takes any number
// of axes.
#include "graph/ops/resize.h"

#include <algorithm>
#include <cstring>

#include "targets/cpu/isa.h"
#include "targets/cpu/resize_kernel.h"

namespace kiln::targets::cpu {
namespace {

using graph::Resize;
using nvinfer1::InterpolationMode;

/// Writes each element twice, 16 bytes of the source at a time.
template <typename T>
void doubleRow(T const* from, T* to, int64_t count) noexcept {
    constexpr int64_t kLanes = 16 / static_cast<int64_t>(sizeof(T));
    typedef T Lanes __attribute__((vector_size(16)));
    auto const both = [&](auto const& interleave) {
        for (; count >= kLanes; count -= kLanes, from += kLanes, to += 2 * kLanes) {
            Lanes x;
            std::memcpy(&x, from, sizeof(x));
            interleave(x);
        }
    };
    auto const write = [&](Lanes low, Lanes high) {
        std::memcpy(to, &low, sizeof(low));
        std::memcpy(to + kLanes, &high, sizeof(high));
    };
    if constexpr (sizeof(T) == 4) {
        both([&](Lanes x) {
            write(__builtin_shufflevector(x, x, 0, 4, 1, 5),
                  __builtin_shufflevector(x, x, 2, 6, 3, 7));
        });
    } else if constexpr (sizeof(T) == 2) {
        both([&](Lanes x) {
            write(__builtin_shufflevector(x, x, 0, 8, 1, 9, 2, 10, 3, 11),
                  __builtin_shufflevector(x, x, 4, 12, 5, 13, 6, 14, 7, 15));
        });
    }
    for (int64_t x = 0; x < count; ++x) {
        to[2 * x] = from[x];
        to[2 * x + 1] = from[x];
    }
}

/// Moves elements of `bytes` bytes. Rows with the same source are copied.
template <typename T>
void moveRow(ResizeAxis const& width, T const* from, T* to) noexcept {
    if (width.keeps) {
        std::copy_n(from, width.output, to);
    } else if (width.doubles) {
        doubleRow(from, to, width.input);
    } else {
        int64_t const* const at = width.at.data();
        for (int64_t x = 0; x < width.output; ++x) {
            to[x] = from[at[x]];
        }
    }
}

struct ResizeMoves {
    using Op = Resize;
    using State = ResizeState;
    static constexpr bool kAnyFormat = true;

    static std::string refuse(Op const& op, NodeSpec const& node) {
        if (op.mode != InterpolationMode::kNEAREST) {
            return "expected mode NEAREST";
        }
        std::string const reason = refuseResize(node);
        return reason.empty() ? refuseManyAxes(op, node) : reason;
    }
    static double estimate(Op const&, NodeSpec const& node) { return elementsOf(node) * 5e-10; }

    static target::KernelFunction prepare(Op const& op, Workload const& workload, State& state) {
        state = fastState(op, workload);
        if (state.inner > 1) {
            return launchOf<&runVectors>;
        }
        if (state.bytes == 4 && state.axes[0].keeps && state.axes[1].doubles &&
            state.axes[2].doubles) {
            return launchOf<&runDoubled>;
        }
        return dispatchWidth(workload.type(), "resize", [](auto value) -> target::KernelFunction {
            return launchOf<&runRows<decltype(value)>>;
        });
    }

private:
    /// Each row of the input gives two, side by side.
    static void runDoubled(State const& state, KernelCall const& call) {
        auto const* from = static_cast<uint32_t const*>(call.inputs[0]);
        auto* to = static_cast<uint32_t*>(call.outputs[0]);
        int64_t const width = state.axes[2].input;
        int64_t const rows = state.outer * state.axes[0].output * state.axes[1].input;
        parallelFor(rows, grainFor(width * 4), [&](int64_t begin, int64_t end) {
            for (int64_t row = begin; row < end; ++row) {
                isa().doubleWords(from + row * width, to + row * width * 4, width * 2, width);
            }
        });
    }

    /// Calls move(from, to) for each output row that has another source than the one before it.
    template <typename Move>
    static void forRows(State const& state, KernelCall const& call, Move&& move) {
        auto const* from = static_cast<std::byte const*>(call.inputs[0]);
        auto* to = static_cast<std::byte*>(call.outputs[0]);
        ResizeAxis const& width = state.axes[2];
        int64_t const rows = state.outer * state.axes[0].output * state.axes[1].output;
        int64_t const inputBytes = width.input * state.inner * state.bytes;
        int64_t const outputBytes = width.output * state.inner * state.bytes;
        parallelFor(rows, grainFor(width.output * state.inner), [&](int64_t begin, int64_t end) {
            int64_t before = -1;
            ResizeRow place(state, begin);
            for (int64_t row = begin; row < end; ++row, place.advance(state)) {
                int64_t const source = place.source(state, 0, 0);
                std::byte* const target = to + row * outputBytes;
                if (source == before) {
                    copyShort(target, target - outputBytes, outputBytes);
                } else {
                    move(from + source * inputBytes, target);
                }
                before = source;
            }
        });
    }

    template <typename T>
    static void runRows(State const& state, KernelCall const& call) {
        forRows(state, call, [&](std::byte const* from, std::byte* to) {
            moveRow(state.axes[2], reinterpret_cast<T const*>(from), reinterpret_cast<T*>(to));
        });
    }

    static void runVectors(State const& state, KernelCall const& call) {
        int64_t const bytes = state.inner * state.bytes;
        ResizeAxis const& width = state.axes[2];
        forRows(state, call, [&](std::byte const* from, std::byte* to) {
            for (int64_t x = 0; x < width.output; ++x) {
                std::memcpy(to + x * bytes, from + width.sample(0, x) * bytes,
                            static_cast<std::size_t>(bytes));
            }
        });
    }
};

struct ResizeReference {
    using Op = Resize;
    using State = ResizeState;
    static constexpr bool kAnyFormat = true;

    static std::string refuse(Op const&, NodeSpec const& node) { return refuseResize(node); }

    static double estimate(Op const& op, NodeSpec const& node) {
        return elementsOf(node) * (2e-8 + 5e-9 * std::pow(op.taps(), 2.0));
    }

    static target::KernelFunction prepare(Op const& op, Workload const& workload, State& state) {
        state = resizeState(op, workload, 0);
        if (op.mode == InterpolationMode::kNEAREST) {
            return dispatchWidth(workload.type(), "resize",
                                 [](auto value) -> target::KernelFunction {
                                     return launchOf<&run<decltype(value), true>>;
                                 });
        }
        return dispatchComputed(workload.type(), [](auto value) -> target::KernelFunction {
            return launchOf<&run<decltype(value), false>>;
        });
    }

private:
    template <typename T, bool kMoves>
    static void run(State const& state, KernelCall const& call) {
        auto const* from = static_cast<T const*>(call.inputs[0]);
        auto* to = static_cast<T*>(call.outputs[0]);
        parallelFor(state.outputs(), grainFor(state.taps() * 10), [&](int64_t begin, int64_t end) {
            for (int64_t index = begin; index < end; ++index) {
                float sum = 0.0F;
                for (int64_t tap = 0; tap < state.taps(); ++tap) {
                    auto const [at, weight] = sampleOf(state, index, tap);
                    if constexpr (kMoves) {
                        to[index] = from[at];
                    } else {
                        sum += weight * static_cast<float>(load(from[at]));
                    }
                }
                if constexpr (!kMoves) {
                    to[index] = resized<T>(sum);
                }
            }
        });
    }

    struct Sample {
        int64_t at;
        float weight;
    };

    /// Sample `tap` of an output, counted over all axes.
    static Sample sampleOf(State const& state, int64_t index, int64_t tap) {
        Sample sample{index % state.inner, 1.0F};
        int64_t step = state.inner;
        index /= state.inner;
        for (std::size_t i = state.axes.size(); i-- > 0;) {
            ResizeAxis const& axis = state.axes[i];
            int64_t const position = index % axis.output;
            sample.at += axis.sample(tap % axis.taps, position) * step;
            sample.weight *= axis.weightOf(tap % axis.taps, position);
            index /= axis.output;
            tap /= axis.taps;
            step *= axis.input;
        }
        sample.at += index * step;
        return sample;
    }
};

} // namespace

void registerKernel_resize(KernelRegistry& registry) {
    registry.add(entryOf<ResizeMoves>("resize_moves"));
    registry.add(entryOf<ResizeReference>("resize_reference"));
}

} // namespace kiln::targets::cpu
