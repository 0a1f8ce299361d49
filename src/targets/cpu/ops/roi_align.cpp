// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// roi align: boxes of images, brought to one size. float32, float16 and bfloat16, computed in
// float32. The mean of bilinear samples is separable: each box gets a table of the rows and columns
// of each bin with the sums of their weights. A row of bins then is a sum of image rows, in
// vectors, whose columns are summed for each bin. Threads share boxes and channels. Sources: He et
// al., "Mask R-CNN" (2017); ONNX RoiAlign-16.
#include "graph/ops/roi_align.h"

#include <algorithm>
#include <limits>

#include "targets/cpu/block.h"
#include "targets/cpu/box_axis.h"
#include "targets/cpu/copy.h"

namespace kiln::targets::cpu {
namespace {

using graph::RoiAlign;

struct Tap {
    int32_t at;
    float weight;
};

struct RoiAlignState {
    RoiAlignParams params;
    int64_t images = 0;
    int64_t channels = 0;
    int64_t boxes = 0;
    int64_t size[2] = {};   ///< height and width of the images
    int64_t output[2] = {}; ///< of the output
    DataType boxType = DataType::kFLOAT;
    DataType batchType = DataType::kINT64;
};

/// Where the taps of a box's bins are in the workspace: offsets of the bins, then taps.
struct BoxTable {
    int64_t room[2]; ///< taps
    int64_t bins[2];

    explicit BoxTable(RoiAlignState const& state) {
        for (int i = 0; i < 2; ++i) {
            bins[i] = state.output[i];
            // Bins follow one another along the axis and share at most two elements.
            room[i] = state.size[i] + 4 * bins[i] + 4;
        }
    }
    int64_t bytes() const noexcept {
        int64_t const offsets = bins[0] + bins[1] + 2;
        return (offsets + offsets % 2) * 4 + (room[0] + room[1]) * 8;
    }
    int32_t* offsets(std::byte* table, int axis) const noexcept {
        return reinterpret_cast<int32_t*>(table) + (axis == 0 ? 0 : bins[0] + 1);
    }
    Tap* taps(std::byte* table, int axis) const noexcept {
        int64_t const offsets = bins[0] + bins[1] + 2;
        return reinterpret_cast<Tap*>(table + (offsets + offsets % 2) * 4) +
               (axis == 0 ? 0 : room[0]);
    }
};

float coordinateAt(void const* boxes, DataType type, int64_t at) noexcept {
    switch (type) {
    case DataType::kHALF: return load(static_cast<Half const*>(boxes)[at]);
    case DataType::kBF16: return load(static_cast<BFloat16 const*>(boxes)[at]);
    default: return static_cast<float const*>(boxes)[at];
    }
}

/// Axis 0 is the vertical one; boxes are left, top, right, bottom.
template <typename Axis>
Axis axisOf(RoiAlignState const& state, KernelCall const& call, int64_t box, int axis) noexcept {
    void const* const boxes = call.inputs[RoiAlign::kBoxes];
    int64_t const at = box * 4 + (axis == 0 ? 1 : 0);
    return {state.params, coordinateAt(boxes, state.boxType, at),
            coordinateAt(boxes, state.boxType, at + 2), state.output[axis], state.size[axis]};
}

/// Adds weight to the tap of an element: one of the last two, if it is there.
void addWeight(Tap* taps, int32_t first, int32_t& count, int64_t room, int64_t at, float weight) {
    if (weight == 0.0F) {
        return;
    }
    for (int32_t i = count; i > std::max(first, count - 2); --i) {
        if (taps[i - 1].at == at) {
            taps[i - 1].weight += weight;
            return;
        }
    }
    if (count < room) { // always
        taps[count++] = {static_cast<int32_t>(at), weight};
    }
}

void fillTaps(BoxAxis const& axis, int64_t bins, int64_t room, int32_t* offsets, Tap* taps) {
    int32_t count = 0;
    float const share = 1.0F / static_cast<float>(std::max<int64_t>(axis.samples, 1));
    for (int64_t bin = 0; bin < bins; ++bin) {
        offsets[bin] = count;
        auto const [first, last] = axis.inside(bin);
        for (int64_t i = first; i < last; ++i) {
            int64_t low = 0;
            float fraction = 0.0F;
            if (axis.sample(bin, i, low, fraction)) {
                addWeight(taps, offsets[bin], count, room, low, (1.0F - fraction) * share);
                addWeight(taps, offsets[bin], count, room, low + 1, fraction * share);
            }
        }
    }
    offsets[bins] = count;
}

struct RoiAlignKernel {
    using Op = RoiAlign;
    using State = RoiAlignState;

    static std::string refuse(Op const&, NodeSpec const& node) { return refuseUnlessFloat(node); }

    static double estimate(Op const&, NodeSpec const& node) { return elementsOf(node) * 1e-8; }

    static std::size_t workspaceBytes(Op const& op, Workload const& workload) {
        State const state = stateOf(op, workload);
        return op.params.pooling == RoiPooling::kAVERAGE
                   ? static_cast<std::size_t>(BoxTable(state).bytes() * state.boxes)
                   : 0;
    }

    static target::KernelFunction prepare(Op const& op, Workload const& workload, State& state) {
        state = stateOf(op, workload);
        bool const average = op.params.pooling == RoiPooling::kAVERAGE;
        return dispatchFloat(workload.type(), "roi align",
                             [&](auto value) -> target::KernelFunction {
                                 using T = decltype(value);
                                 return average ? launchOf<&runAverage<T>> : launchOf<&runMax<T>>;
                             });
    }

private:
    static State stateOf(Op const& op, Workload const& workload) {
        Dims const& images = workload.inputs[Op::kImages];
        State state;
        state.params = op.params;
        state.images = images.d[0];
        state.channels = images.d[1];
        state.boxes = workload.outputs[0].d[0];
        std::copy_n(images.d + 2, 2, state.size);
        state.output[0] = op.params.height;
        state.output[1] = op.params.width;
        state.boxType = workload.inputTypes[Op::kBoxes].type;
        state.batchType = workload.inputTypes[Op::kBatch].type;
        return state;
    }

    /// Calls body(box, channel, plane of the image or null, output) in parallel.
    template <typename T, typename Body>
    static void forPlanes(State const& state, KernelCall const& call, int64_t steps, Body&& body) {
        auto const* const images = static_cast<T const*>(call.inputs[Op::kImages]);
        auto* const to = static_cast<T*>(call.outputs[0]);
        int64_t const positions = state.output[0] * state.output[1];
        int64_t const plane = state.size[0] * state.size[1];
        parallelFor(state.boxes * state.channels, grainFor(steps), [&](int64_t begin, int64_t end) {
            for (int64_t task = begin; task < end; ++task) {
                int64_t const box = task / state.channels;
                int64_t const channel = task % state.channels;
                int64_t const image = integerAt(call.inputs[Op::kBatch], state.batchType, box);
                bool const known = image >= 0 && image < state.images && plane > 0;
                body(box, known ? images + (image * state.channels + channel) * plane : nullptr,
                     to + task * positions);
            }
        });
    }

    template <typename T>
    static void runAverage(State const& state, KernelCall const& call) {
        BoxTable const layout(state);
        auto* const tables = static_cast<std::byte*>(call.workspace);
        int64_t const positions = state.output[0] * state.output[1];
        parallelFor(state.boxes, 16, [&](int64_t begin, int64_t end) {
            for (int64_t box = begin; box < end; ++box) {
                std::byte* const table = tables + box * layout.bytes();
                for (int i = 0; i < 2; ++i) {
                    fillTaps(axisOf<BoxAxis>(state, call, box, i), layout.bins[i], layout.room[i],
                             layout.offsets(table, i), layout.taps(table, i));
                }
            }
        });
        forPlanes<T>(state, call, positions * 16, [&](int64_t box, T const* plane, T* to) {
            std::byte* const table = tables + box * layout.bytes();
            int32_t const* const rows = layout.offsets(table, 0);
            Tap const* const taps = layout.taps(table, 0);
            for (int64_t y = 0; y < state.output[0]; ++y, to += state.output[1]) {
                Tap const* const first = taps + rows[y];
                averageRow(state, plane, first, plane == nullptr ? first : taps + rows[y + 1],
                           layout.offsets(table, 1), layout.taps(table, 1), to);
            }
        });
    }

    /// One row of bins, from the image rows [row, end) and the columns of each bin.
    template <typename T>
    static void averageRow(State const& state, T const* plane, Tap const* row, Tap const* end,
                           int32_t const* offsets, Tap const* columns, T* to) {
        int64_t const bins = state.output[1];
        int32_t const count = offsets[bins];
        if (row == end || count == 0) {
            std::fill_n(to, bins, store<T>(0.0F));
            return;
        }
        int32_t const ends[2] = {columns[0].at, columns[count - 1].at};
        int64_t const left = std::min(ends[0], ends[1]) > 0 ? std::min(ends[0], ends[1]) - 1 : 0;
        int64_t const right = std::min<int64_t>(std::max(ends[0], ends[1]) + 1, state.size[1] - 1);
        int64_t const width = right - left + 1;
        if (width > kBlock) {
            averageWide(state, plane, row, end, offsets, columns, to);
            return;
        }
        float sums[kBlock];
        float buffer[kBlock];
        std::fill_n(sums, width, 0.0F);
        for (; row < end; ++row) {
            float const* const values =
                readBlock(plane + row->at * state.size[1] + left, 1, width, buffer);
            isa().weightedSum(&row->weight, 1, values, 0, width, sums);
        }
        for (int64_t bin = 0; bin < bins; ++bin) {
            float total = 0.0F;
            for (int32_t i = offsets[bin]; i < offsets[bin + 1]; ++i) {
                total += columns[i].weight * sums[columns[i].at - left];
            }
            to[bin] = store<T>(total);
        }
    }

    /// The same for boxes that are too wide for a buffer.
    template <typename T>
    static void averageWide(State const& state, T const* plane, Tap const* row, Tap const* end,
                            int32_t const* offsets, Tap const* columns, T* to) {
        for (int64_t bin = 0; bin < state.output[1]; ++bin) {
            float total = 0.0F;
            for (Tap const* y = row; y < end; ++y) {
                T const* const from = plane + y->at * state.size[1];
                for (int32_t i = offsets[bin]; i < offsets[bin + 1]; ++i) {
                    total += y->weight * columns[i].weight * load(from[columns[i].at]);
                }
            }
            to[bin] = store<T>(total);
        }
    }

    template <typename T>
    static void runMax(State const& state, KernelCall const& call) {
        bool const bins = state.params.pooling == RoiPooling::kBINS;
        int64_t const positions = state.output[0] * state.output[1];
        forPlanes<T>(state, call, positions * 16, [&](int64_t box, T const* plane, T* to) {
            for (int64_t at = 0; at < positions; ++at) {
                int64_t const y = at / state.output[1];
                int64_t const x = at % state.output[1];
                float value = 0.0F;
                if (plane != nullptr && bins) {
                    value =
                        largestOfBin(state, plane, axisOf<BinAxis>(state, call, box, 0).elements(y),
                                     axisOf<BinAxis>(state, call, box, 1).elements(x));
                } else if (plane != nullptr) {
                    value = largestSample(state, plane, axisOf<BoxAxis>(state, call, box, 0),
                                          axisOf<BoxAxis>(state, call, box, 1), y, x);
                }
                to[at] = store<T>(value);
            }
        });
    }

    template <typename T>
    static float largestOfBin(State const& state, T const* plane, std::pair<int64_t, int64_t> rows,
                              std::pair<int64_t, int64_t> columns) {
        bool const empty = rows.first >= rows.second || columns.first >= columns.second;
        float result = empty ? 0.0F : -std::numeric_limits<float>::infinity();
        for (int64_t y = rows.first; y < rows.second; ++y) {
            for (int64_t x = columns.first; x < columns.second; ++x) {
                result = std::max(result, load(plane[y * state.size[1] + x]));
            }
        }
        return result;
    }

    /// The largest of the four products of each sample. A sample outside counts as 0.
    template <typename T>
    static float largestSample(State const& state, T const* plane, BoxAxis const& down,
                               BoxAxis const& across, int64_t y, int64_t x) {
        if (down.samples == 0 || across.samples == 0) {
            return 0.0F;
        }
        auto const rows = down.inside(y);
        auto const columns = across.inside(x);
        bool const all = rows.first == 0 && rows.second == down.samples && columns.first == 0 &&
                         columns.second == across.samples;
        float result = all ? -std::numeric_limits<float>::infinity() : 0.0F;
        for (int64_t i = rows.first; i < rows.second; ++i) {
            for (int64_t j = columns.first; j < columns.second; ++j) {
                int64_t low[2] = {};
                float next[2] = {};
                if (!down.sample(y, i, low[0], next[0]) || !across.sample(x, j, low[1], next[1])) {
                    result = std::max(result, 0.0F);
                    continue;
                }
                T const* const at = plane + low[0] * state.size[1] + low[1];
                int64_t const below = low[0] + 1 < state.size[0] ? state.size[1] : 0;
                int64_t const right = low[1] + 1 < state.size[1] ? 1 : 0;
                result = std::max(result, (1.0F - next[0]) * (1.0F - next[1]) * load(at[0]));
                result = std::max(result, (1.0F - next[0]) * next[1] * load(at[right]));
                result = std::max(result, next[0] * (1.0F - next[1]) * load(at[below]));
                result = std::max(result, next[0] * next[1] * load(at[below + right]));
            }
        }
        return result;
    }
};

} // namespace

void registerKernel_roi_align(KernelRegistry& registry) {
    registry.add(entryOf<RoiAlignKernel>("roi_align"));
}

} // namespace kiln::targets::cpu
