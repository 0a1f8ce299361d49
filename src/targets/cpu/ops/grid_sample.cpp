// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// grid_sample: images at the coordinates of a grid. float32, float16 and bfloat16, computed in
// float32, linear or channels last. Blocks of output positions get a table of their samples and
// weights, which all channels use, in vectors of positions or of channels; threads share the
// blocks. Source: PyTorch's grid_sample.
#include "graph/ops/grid_sample.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "target/workload/grid_sample.h"
#include "targets/cpu/block.h"
#include "targets/cpu/copy.h"

namespace kiln::targets::cpu {
namespace {

using nvinfer1::InterpolationMode;
using nvinfer1::SampleMode;

/// Samples along one axis.
struct AxisSamples {
    int64_t at[4];
    float weight[4]; ///< 0 for samples outside that count as 0
};

/// How coordinates of one axis become samples.
struct GridAxis {
    int64_t size = 1;
    InterpolationMode interpolation = InterpolationMode::kLINEAR;
    SampleMode mode = SampleMode::kFILL;
    bool aligned = false;

    void sample(float coordinate, AxisSamples& samples) const noexcept {
        auto const extent = static_cast<float>(size);
        float x = aligned ? (coordinate + 1.0F) / 2.0F * (extent - 1.0F)
                          : ((coordinate + 1.0F) * extent - 1.0F) / 2.0F;
        if (interpolation == InterpolationMode::kCUBIC) {
            float const low = std::floor(x);
            cubicWeights(x - low, samples.weight);
            for (int32_t tap = 0; tap < 4; ++tap) {
                place(inside(low - 1.0F + static_cast<float>(tap)), samples, tap);
            }
            return;
        }
        x = inside(x);
        if (interpolation == InterpolationMode::kNEAREST) {
            samples.weight[0] = 1.0F;
            place(std::nearbyint(x), samples, 0);
            return;
        }
        float const low = std::floor(x);
        samples.weight[0] = 1.0F - (x - low);
        samples.weight[1] = x - low;
        place(low, samples, 0);
        place(low + 1.0F, samples, 1);
    }

private:
    /// The coordinate where the sample mode puts it.
    float inside(float x) const noexcept {
        auto const last = static_cast<float>(size - 1);
        if (mode == SampleMode::kFILL) {
            return x;
        }
        if (mode == SampleMode::kREFLECT) {
            x = aligned ? reflected(x, 0.0F, last) : reflected(x, -0.5F, last + 1.0F);
        }
        return std::fmin(std::fmax(x, 0.0F), last); // NaN becomes 0
    }

    /// Mirrors at `low` and at low + span.
    static float reflected(float x, float low, float span) noexcept {
        if (span == 0.0F) {
            return 0.0F;
        }
        float const distance = std::fabs(x - low);
        float const rest = std::fmod(distance, span);
        bool const even = std::fmod(std::floor(distance / span), 2.0F) == 0.0F;
        return even ? rest + low : span - rest + low;
    }

    void place(float at, AxisSamples& samples, int32_t tap) const noexcept {
        bool const known = at >= 0.0F && at <= static_cast<float>(size - 1);
        samples.at[tap] = known ? static_cast<int64_t>(at) : 0;
        samples.weight[tap] = known ? samples.weight[tap] : 0.0F;
    }

    static void cubicWeights(float t, float (&weight)[4]) noexcept {
        constexpr float a = -0.75F;
        auto const near = [](float x) { return ((a + 2.0F) * x - (a + 3.0F)) * x * x + 1.0F; };
        auto const far = [](float x) { return ((a * x - 5.0F * a) * x + 8.0F * a) * x - 4.0F * a; };
        weight[0] = far(t + 1.0F);
        weight[1] = near(t);
        weight[2] = near(1.0F - t);
        weight[3] = far(2.0F - t);
    }
};

struct GridSampleBlocks {
    using Op = graph::GridSample;
    struct State {
        target::GridSampleWorkload p;
        GridAxis axes[2];
        int32_t taps = 2; ///< along an axis
        DataType grid = DataType::kFLOAT;
        int64_t positions = 1; ///< of a block
    };
    static constexpr bool kAnyFormat = true;

    static std::string refuse(Op const&, NodeSpec const& node) {
        return target::refuseGridSample(node);
    }

    static double estimate(Op const& op, NodeSpec const& node) {
        double const samples = static_cast<double>(op.taps() * op.taps());
        double const channels = static_cast<double>(std::max<int64_t>(node.inputs[0].opt.d[1], 1));
        return elementsOf(node) * (samples * 8e-10 + 2e-8 / channels);
    }

    static target::KernelFunction prepare(Op const& op, Workload const& workload, State& state) {
        state.p = target::gridSampleWorkload(workload);
        state.taps = op.taps();
        state.grid = workload.inputTypes[1].type;
        state.positions = positionsOf(state);
        for (std::size_t i = 0; i < 2; ++i) {
            state.axes[i] = {state.p.size[i], op.interpolation, op.mode, op.alignCorners};
        }
        return dispatchFloat(
            workload.type(), "grid sample",
            [](auto value) -> target::KernelFunction { return launchOf<&run<decltype(value)>>; });
    }

private:
    static constexpr int64_t kSamples = 8192; // of a block
    // At most. The more positions use a plane at once, the more often do its lines serve again
    // before those of the other channels displace them.
    static constexpr int64_t kPositions = 2048;

    /// Samples of a block, tap after tap: their places in an image without its channels, and their
    /// weights. A sample outside that counts as 0 has weight 0 and is not read.
    struct Table {
        int64_t count = 0;   ///< positions
        int32_t samples = 0; ///< of a position
        int64_t at[kSamples];
        float weight[kSamples];
        int64_t result[kPositions]; ///< where the position is in the output
    };

    /// Enough blocks for all threads, and at most kPositions positions.
    static int64_t positionsOf(State const& state) {
        int64_t const most = std::min(kPositions, kSamples / (state.taps * state.taps));
        int64_t const all = state.p.batch * state.p.output[0] * state.p.output[1];
        return std::clamp<int64_t>(all / (4 * threadCount()), std::min<int64_t>(most, 64), most);
    }

    template <typename T>
    static void run(State const& state, KernelCall const& call) {
        target::GridSampleWorkload const& p = state.p;
        auto const* image = static_cast<T const*>(call.inputs[0]);
        auto* to = static_cast<T*>(call.outputs[0]);
        int64_t const positions = p.output[0] * p.output[1];
        int64_t const length = state.positions;
        int64_t const blocks = (positions + length - 1) / length;
        int64_t const steps = length * (p.channels * state.taps * state.taps + 20);
        parallelFor(p.batch * blocks, grainFor(steps), [&](int64_t begin, int64_t end) {
            Table table;
            for (int64_t task = begin; task < end; ++task) {
                int64_t const n = task / blocks;
                int64_t const first = task % blocks * length;
                fill(state, call.inputs[1], n * p.grid[0], first,
                     std::min(length, positions - first), table);
                T const* const source = image + n * p.image[0];
                T* const target = to + n * p.result[0];
                if (p.channelsLast()) {
                    addVectors(state, table, source, target);
                } else if (p.size[0] * p.size[1] == 0) {
                    fillZeros(p, table, target);
                } else {
                    addPlanes(state, table, source, target);
                }
            }
        });
    }

    static float coordinate(void const* grid, DataType type, int64_t at) noexcept {
        switch (type) {
        case DataType::kHALF: return load(static_cast<Half const*>(grid)[at]);
        case DataType::kBF16: return load(static_cast<BFloat16 const*>(grid)[at]);
        default: return static_cast<float const*>(grid)[at];
        }
    }

    /// `image`: where the grid of the image begins.
    static void fill(State const& state, void const* grid, int64_t image, int64_t first,
                     int64_t count, Table& table) {
        target::GridSampleWorkload const& p = state.p;
        table.count = count;
        table.samples = state.taps * state.taps;
        for (int64_t i = 0; i < count; ++i) {
            int64_t const y = (first + i) / p.output[1];
            int64_t const x = (first + i) % p.output[1];
            int64_t const place = image + y * p.grid[1] + x * p.grid[2];
            AxisSamples samples[2]; // of the coordinates, x comes first
            state.axes[0].sample(coordinate(grid, state.grid, place + p.grid[3]), samples[0]);
            state.axes[1].sample(coordinate(grid, state.grid, place), samples[1]);
            table.result[i] = y * p.result[2] + x * p.result[3];
            for (int32_t tap = 0; tap < table.samples; ++tap) {
                int32_t const down = tap / state.taps;
                int32_t const across = tap % state.taps;
                int64_t const to = tap * state.positions + i;
                table.at[to] =
                    samples[0].at[down] * p.image[2] + samples[1].at[across] * p.image[3];
                table.weight[to] = samples[0].weight[down] * samples[1].weight[across];
            }
        }
    }

    template <typename T>
    static void addPlanes(State const& state, Table const& table, T const* from, T* to) {
        target::GridSampleWorkload const& p = state.p;
        bool const dense = table.result[table.count - 1] - table.result[0] == table.count - 1;
        bool const direct = std::is_same_v<T, float> && dense;
        int32_t places[kSamples];
        bool const near =
            std::is_same_v<T, float> && p.image[2] * p.size[0] + p.image[3] * p.size[1] < INT32_MAX;
        if (near) {
            std::copy_n(table.at, table.samples * state.positions, places);
        }
        float buffer[kPositions];
        for (int64_t channel = 0; channel < p.channels; ++channel) {
            float* sums = buffer;
            if constexpr (std::is_same_v<T, float>) {
                sums = direct ? to + table.result[0] : buffer;
                if (near) {
                    bool const last = channel + 1 == p.channels;
                    gatherPlane(state, table, places, from, last ? 0 : p.image[1], sums);
                }
            }
            if (!near) {
                addPlane(state, table, from, sums);
            }
            if (dense && !direct) {
                fromFloats(sums, to + table.result[0], table.count);
            } else if (!dense) {
                for (int64_t i = 0; i < table.count; ++i) {
                    to[table.result[i]] = store<T>(sums[i]);
                }
            }
            from += p.image[1];
            to += p.result[1];
        }
    }

    /// `next`: elements to the plane that is read next, which comes into the caches meanwhile; 0:
    /// there is none.
    static void gatherPlane(State const& state, Table const& table, int32_t const* places,
                            float const* from, int64_t next, float* to) {
        constexpr int64_t kPart = 256; // positions
        constexpr int64_t kLine = 16;  // floats
        target::GridSampleWorkload const& p = state.p;
        int64_t const plane = p.image[2] * (p.size[0] - 1) + p.image[3] * (p.size[1] - 1) + 1;
        // Fewer samples leave most lines of the plane unread.
        bool const fetches = next > 0 && table.samples * table.count >= plane / kLine * 2;
        int64_t const parts = (table.count + kPart - 1) / kPart;
        for (int64_t part = 0; part < parts; ++part) {
            for (int64_t at = plane * part / parts; fetches && at < plane * (part + 1) / parts;
                 at += kLine) {
                __builtin_prefetch(from + next + at, 0, 2);
            }
            int64_t const first = part * kPart;
            isa().weightedGather(from, places + first, table.weight + first, state.positions,
                                 table.samples, to + first, std::min(kPart, table.count - first));
        }
    }

    template <typename T>
    static void addPlane(State const& state, Table const& table, T const* from, float* to) {
        std::fill_n(to, table.count, 0.0F);
        for (int32_t tap = 0; tap < table.samples; ++tap) {
            int64_t const* const at = table.at + tap * state.positions;
            float const* const weight = table.weight + tap * state.positions;
            for (int64_t i = 0; i < table.count; ++i) {
                float const product = weight[i] * static_cast<float>(load(from[at[i]]));
                to[i] += weight[i] == 0.0F ? 0.0F : product; // what is outside may be infinite
            }
        }
    }

    template <typename T>
    static void fillZeros(target::GridSampleWorkload const& p, Table const& table, T* to) {
        for (int64_t channel = 0; channel < p.channels; ++channel) {
            for (int64_t i = 0; i < table.count; ++i) {
                to[channel * p.result[1] + table.result[i]] = store<T>(0.0F);
            }
        }
    }

    template <typename T>
    static void addVectors(State const& state, Table const& table, T const* from, T* to) {
        int64_t const channels = state.p.channels;
        bool const empty = state.p.size[0] * state.p.size[1] == 0;
        float sums[kBlock];
        float buffer[kBlock];
        for (int64_t i = 0; i < table.count; ++i) {
            for (int64_t first = 0; first < channels; first += kBlock) {
                int64_t const count = std::min(kBlock, channels - first);
                std::fill_n(sums, count, 0.0F);
                for (int32_t tap = 0; tap < table.samples && !empty; ++tap) {
                    int64_t const sample = tap * state.positions + i;
                    if (table.weight[sample] != 0.0F) {
                        float const* const values =
                            readBlock(from + table.at[sample] + first, 1, count, buffer);
                        isa().weightedSum(table.weight + sample, 1, values, 0, count, sums);
                    }
                }
                fromFloats(sums, to + table.result[i] + first, count);
            }
        }
    }
};

} // namespace

void registerKernel_grid_sample(KernelRegistry& registry) {
    registry.add(entryOf<GridSampleBlocks>("grid_sample_blocks"));
}

} // namespace kiln::targets::cpu
