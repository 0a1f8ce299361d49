// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// pooling with small windows over one or two spatial axes of linear tensors, band by band of the
// plane: the rows of the input that a row of windows covers are combined to one row with padding,
// then the columns of all rows of a band. Windows of 3 by 3 that move by one element take all taps
// of a padded band at a time instead. float32, float16 and bfloat16, computed in float32; the
// results are those of pooling.cpp. Threads share the bands.
#include "graph/ops/pooling.h"

#include "targets/cpu/copy.h"
#include "targets/cpu/padded_planes.h"
#include "targets/cpu/pooling_workload.h"

namespace kiln::targets::cpu {
namespace {

struct PoolingPlanes {
    using Op = graph::Pooling;
    struct State {
        PoolingState p;
        PlaneBands bands;
        std::vector<float> inverses; ///< of means: by row of a plane, or by element if they are few
    };

    static std::string refuse(Op const& op, NodeSpec const& node) {
        if (std::string const reason = refuseUnlessFloat(node); !reason.empty()) {
            return reason;
        }
        for (auto const extents : {&target::OperandSpec::opt, &target::OperandSpec::max}) {
            std::string reason =
                problemOf(stateOf(op, node.inputs[0].*extents, node.outputs[0].*extents));
            if (!reason.empty()) {
                return reason;
            }
        }
        return {};
    }

    static double estimate(Op const& op, NodeSpec const& node) {
        State const state = stateOf(op, node.inputs[0].opt, node.outputs[0].opt);
        return target::bytesMoved(node) / 4e10 +
               elementsOf(node) * static_cast<double>(state.p.windowSize()) * 3e-11;
    }

    static target::KernelFunction prepare(Op const& op, Workload const& workload, State& state) {
        state = stateOf(op, workload.inputs[0], workload.outputs[0]);
        if (std::string const problem = problemOf(state); !problem.empty()) {
            fail(ErrorKind::kCorruptData,
                 "[plan] kernel 'pooling_planes': {}. Build the plan again.", problem);
        }
        findInverses(state);
        return dispatchFloat(workload.type(), "pooling", [](auto value) -> target::KernelFunction {
            return launchOf<&run<decltype(value)>>;
        });
    }

private:
    static constexpr int64_t kMostTaps = 64; // pooling_rows reads each element less often
    static constexpr int64_t kMostInverses = 4096;

    static State stateOf(Op const& op, Dims const& input, Dims const& output) {
        auto const axisOf = [](PoolAxis const& axis) {
            return SlideAxis{axis.input, axis.output, axis.size, axis.stride, 1, axis.before};
        };
        State state;
        state.p = poolingOf(op, input, output);
        state.bands = planeBands(axisOf(state.p.height), axisOf(state.p.width));
        return state;
    }

    static std::string problemOf(State const& state) {
        PoolingState const& p = state.p;
        if (p.depth.input != 1 || p.depth.output != 1 || p.depth.size != 1 ||
            p.windowSize() > kMostTaps) {
            return fmt::format("expected at most two spatial axes and windows of at most {} "
                               "elements, got {}",
                               kMostTaps, p.windowSize());
        }
        bool const empty = p.batch * p.channels * p.rows() * p.width.output == 0;
        return empty || state.bands.rows > 0
                   ? std::string()
                   : fmt::format("expected padded rows of a window of at most {} elements",
                                 kBandFloats);
    }

    /// Buffers of one thread. The padding of combined rows keeps its neutral elements.
    struct Buffers {
        float input[kBandFloats];
        float tallest[kBandFloats + kSlideRoom]; ///< rows that windows slide over
        float sums[kBandFloats + kSlideRoom];
        float largest[kBandFloats];
        float means[kBandFloats];
    };

    template <typename T>
    static void run(State const& state, KernelCall const& call) {
        PoolingState const& p = state.p;
        PlaneBands const& bands = state.bands;
        auto const* from = static_cast<T const*>(call.inputs[0]);
        auto* to = static_cast<T*>(call.outputs[0]);
        int64_t const plane = p.rows() * p.width.output;
        int64_t const steps =
            bands.rows * p.width.output * (p.height.size * p.width.stride + p.width.size + 4) / 8;
        int64_t const combined = bands.rows * bands.rowLength + kSlideRoom;
        parallelFor(
            p.batch * p.channels * bands.count, grainFor(steps), [&](int64_t begin, int64_t end) {
                Buffers buffers;
                std::fill_n(buffers.tallest, p.needsLargest() ? combined : 0, kLowest);
                std::fill_n(buffers.sums, p.needsMean() ? combined : 0, 0.0F);
                for (int64_t task = begin; task < end; ++task) {
                    int64_t const band = task % bands.count;
                    int64_t const channel = task / bands.count;
                    poolBand(state, band, from + channel * p.inputs(),
                             to + channel * plane + band * bands.rows * p.width.output, buffers);
                }
            });
    }

    template <typename T>
    static void poolBand(State const& state, int64_t band, T const* plane, T* to,
                         Buffers& buffers) {
        PoolingState const& p = state.p;
        PlaneWindow const window = windowOf(state, band);
        // float32 results are made where they belong.
        auto const resultOf = [&](bool last, float* buffer) {
            if constexpr (std::is_same_v<T, float>) {
                return last ? to : buffer;
            }
            return buffer;
        };
        float* const largest = resultOf(p.needsLargest(), buffers.largest);
        float* const means = resultOf(!p.needsLargest(), buffers.means);
        auto const fill = [&](Slide combine, float outside, float* rows) {
            if (isNine(p)) {
                padBand(state.bands, band, plane, outside, rows);
            } else {
                combineRows(state, band, inputOf(state, band, plane, buffers.input), combine,
                            outside, rows);
            }
        };
        if (p.needsLargest()) {
            fill(isa().slideMaximum, kLowest, buffers.tallest);
            isa().windowMaximum(window, buffers.tallest, nullptr, kLowest, largest);
        }
        if (p.needsMean()) {
            fill(isa().slideSum, 0.0F, buffers.sums);
            isa().windowSum(window, buffers.sums, nullptr, 0.0F, means);
            divide(state, band, window, means);
        }
        int64_t const count = window.rows * window.columns;
        if (p.needsLargest() && p.needsMean()) {
            blend(p, largest, means, count);
        }
        if constexpr (!std::is_same_v<T, float>) {
            fromFloats(p.needsLargest() ? largest : means, to, count);
        }
    }

    /// Whether each element of a padded plane is read once for nine taps of neighbouring windows.
    static bool isNine(PoolingState const& p) {
        return p.height.size == 3 && p.width.size == 3 && p.height.stride == 1 &&
               p.width.stride == 1;
    }

    /// Over the rows that a band is prepared as.
    static PlaneWindow windowOf(State const& state, int64_t band) {
        PlaneWindow window = state.bands.window(band);
        if (!isNine(state.p)) {
            window.height = 1;
            window.rowStride = state.bands.rowLength;
        }
        return window;
    }

    /// The rows of a plane that a band covers, as floats.
    struct BandInput {
        float const* rows;
        int64_t first;   ///< number of the first row
        int64_t spacing; ///< from row to row
        int64_t length;  ///< elements of a row that windows cover
    };

    template <typename T>
    static BandInput inputOf(State const& state, int64_t band, T const* plane, float* buffer) {
        PlaneBands const& bands = state.bands;
        int64_t const width = bands.width.input;
        int64_t const before = std::min(bands.width.before, bands.rowLength);
        int64_t const length = std::min(width, bands.rowLength - before);
        if constexpr (std::is_same_v<T, float>) {
            return {plane, 0, width, length};
        } else {
            int64_t const top = band * bands.rows * bands.height.stride - bands.height.before;
            int64_t const first = std::clamp<int64_t>(top, 0, bands.height.input);
            int64_t const end =
                std::min(top + bands.height.covered(bands.rowsAt(band)), bands.height.input);
            for (int64_t row = first; row < end; ++row) {
                toFloats(plane + row * width, buffer + (row - first) * length, length);
            }
            return {buffer, first, length, length};
        }
    }

    /// The rows of the input under each row of windows, combined to one row of `to`.
    static void combineRows(State const& state, int64_t band, BandInput const& input, Slide combine,
                            float outside, float* to) {
        PlaneBands const& bands = state.bands;
        to += std::min(bands.width.before, bands.rowLength);
        for (int64_t row = 0; row < bands.rowsAt(band); ++row, to += bands.rowLength) {
            PoolRange const y = rangeOf(state.p.height, band * bands.rows + row);
            if (y.begin < y.end) {
                combine(input.rows + (y.begin - input.first) * input.spacing, y.end - y.begin,
                        input.spacing, 1, to, input.length);
            } else {
                std::fill_n(to, input.length, outside);
            }
        }
    }

    static bool hasInversePerElement(State const& state) {
        return state.p.rows() * state.p.width.output <= kMostInverses;
    }

    static void findInverses(State& state) {
        PoolingState const& p = state.p;
        for (int64_t row = 0; row < p.rows() && p.needsMean(); ++row) {
            float const inverse = inverseOf(p, rowWindow(p, row));
            if (!hasInversePerElement(state)) {
                state.inverses.push_back(inverse);
                continue;
            }
            for (float const ofColumn : p.inverses) {
                state.inverses.push_back(ofColumn * inverse);
            }
        }
    }

    /// Sums become means.
    static void divide(State const& state, int64_t band, PlaneWindow const& window, float* sums) {
        int64_t const first = band * state.bands.rows;
        if (hasInversePerElement(state)) {
            combineInto(CombineFunction::kProduct, state.inverses.data() + first * window.columns,
                        sums, window.rows * window.columns);
            return;
        }
        float inverses[kBandFloats]; // of a row
        float known = -1.0F;
        for (int64_t row = 0; row < window.rows; ++row) {
            float const inverse = state.inverses[static_cast<std::size_t>(first + row)];
            if (inverse != known) {
                std::copy_n(state.p.inverses.data(), window.columns, inverses);
                scale(inverses, inverse, window.columns);
                known = inverse;
            }
            combineInto(CombineFunction::kProduct, inverses, sums + row * window.columns,
                        window.columns);
        }
    }
};

} // namespace

void registerKernel_pooling_planes(KernelRegistry& registry) {
    registry.add(entryOf<PoolingPlanes>("pooling_planes"));
}

} // namespace kiln::targets::cpu
