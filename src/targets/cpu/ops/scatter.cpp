// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// scatter: copies the data, then writes updates over it. kELEMENT: element by element; threads
// share the coordinates other than that of the axis, so that the last of several updates of one
// element wins. kND: indices [count, tuple], updates [count, inner]; threads share long inner
// parts, else the tuples. Negative indices count from the end; updates outside of the data are left
// out. Any type of whole bytes; int32 and int64 indices.
#include "graph/ops/scatter.h"

#include "graph/ops/gather.h"
#include "targets/cpu/copy.h"
#include "targets/cpu/scattered_elements.h"

namespace kiln::targets::cpu {
namespace {

using graph::Scatter;

struct ScatterReference {
    using Op = Scatter;
    struct State : ScatteredElements { // for kELEMENT
        BytesToCopy data;
        DataType indexType = DataType::kINT32;
        int64_t count = 0;      ///< kND: tuples
        int64_t innerBytes = 0; ///< written for each
        int32_t tuple = 1;
        std::array<int64_t, Dims::MAX_DIMS> extents{}; ///< of the axes that a tuple selects from
        std::array<int64_t, Dims::MAX_DIMS> steps{};   ///< their strides, in bytes
    };

    static std::string refuse(Op const& op, NodeSpec const& node) {
        return op.reduction == ScatterReduction::kNONE ? refuseSubByte(node, 0)
                                                       : "expected no reduction, got one";
    }

    static target::KernelFunction prepare(Op const& op, Workload const& workload, State& state) {
        Dims const& data = workload.inputs[Scatter::kData];
        Dims const& indices = workload.inputs[Scatter::kIndices];
        int64_t const bytes = elementBytes(workload.type());
        state = {};
        state.data.count = bytesFor(workload.type(), volume(data, "scatter"));
        state.indexType = workload.inputTypes[Scatter::kIndices].type;
        auto const strides = denseStrides(data);
        if (op.mode == nvinfer1::ScatterMode::kELEMENT) {
            state.set(op.axisFor(data.nbDims), data, indices);
            return dispatchWidth(workload.type(), "scatter", [](auto unit) {
                return target::KernelFunction{launchOf<&runElements<decltype(unit)>>};
            });
        }
        state.tuple = static_cast<int32_t>(indices.d[indices.nbDims - 1]);
        state.count = volume(indices, "scatter") / state.tuple;
        state.innerBytes = bytes;
        for (int32_t i = state.tuple; i < data.nbDims; ++i) {
            state.innerBytes *= data.d[i];
        }
        for (int32_t i = 0; i < state.tuple; ++i) {
            auto const at = static_cast<std::size_t>(i);
            state.extents[at] = data.d[i];
            state.steps[at] = strides[at] * bytes;
        }
        return launchOf<&runTuples>;
    }

private:
    /// Neighbouring coordinates of the innermost of the other axes are done together.
    template <typename Unit>
    static void runElements(State const& state, KernelCall const& call) {
        copyBytes(state.data, call);
        Nest<2> const& nest = state.others;
        int64_t const inner = nest.inner();
        parallelFor(nest.count(), grainFor(2 * state.along), [&](int64_t begin, int64_t end) {
            for (int64_t first = begin; first < end;) {
                int64_t const many = std::min(inner - first % inner, end - first);
                writeRun<Unit>(state, call, nest.atElement(first), many);
                first += many;
            }
        });
    }

    template <typename Unit>
    static void writeRun(State const& state, KernelCall const& call,
                         Nest<2>::Offsets const& offsets, int64_t many) {
        auto const* const updates = static_cast<Unit const*>(call.inputs[Scatter::kUpdates]);
        auto* const to = static_cast<Unit*>(call.outputs[0]);
        int64_t const perIndex = state.others.innerStride(0);
        int64_t const perElement = state.others.innerStride(1);
        auto const write = [&](int64_t i, int64_t along) {
            int64_t const from = offsets[0] + i * perIndex + along * state.stride;
            int64_t const index = graph::wrappedIndex(
                integerAt(call.inputs[Scatter::kIndices], state.indexType, from), state.extent);
            if (index >= 0) {
                to[offsets[1] + i * perElement + index * state.step] = updates[from];
            }
        };
        if (state.stride == 1) { // the axis is the innermost one
            for (int64_t i = 0; i < many; ++i) {
                for (int64_t along = 0; along < state.along; ++along) {
                    write(i, along);
                }
            }
            return;
        }
        for (int64_t along = 0; along < state.along; ++along) {
            for (int64_t i = 0; i < many; ++i) {
                write(i, along);
            }
        }
    }

    /// The offset in bytes that a tuple selects; -1 if it is outside of the data.
    static int64_t find(State const& state, void const* indices, int64_t number) {
        int64_t offset = 0;
        for (int32_t i = 0; i < state.tuple; ++i) {
            auto const at = static_cast<std::size_t>(i);
            int64_t const index = graph::wrappedIndex(
                integerAt(indices, state.indexType, number * state.tuple + i), state.extents[at]);
            if (index < 0) {
                return -1;
            }
            offset += index * state.steps[at];
        }
        return offset;
    }

    /// Writes the bytes [first, last) of the parts of tuples [begin, end).
    static void writeTuples(State const& state, KernelCall const& call, int64_t begin, int64_t end,
                            int64_t first, int64_t last) {
        auto const* const updates = static_cast<std::byte const*>(call.inputs[Scatter::kUpdates]);
        auto* const to = static_cast<std::byte*>(call.outputs[0]);
        for (int64_t i = begin; i < end; ++i) {
            int64_t const offset = find(state, call.inputs[Scatter::kIndices], i);
            if (offset >= 0) {
                std::memcpy(to + offset + first, updates + i * state.innerBytes + first,
                            static_cast<std::size_t>(last - first));
            }
        }
    }

    static void runTuples(State const& state, KernelCall const& call) {
        copyBytes(state.data, call);
        if (state.innerBytes == 0) {
            return;
        }
        constexpr int64_t kLongInner = 1 << 10; // also, the last of several updates then wins
        if (state.innerBytes >= kLongInner) {
            constexpr int64_t kLine = 64;
            parallelFor((state.innerBytes + kLine - 1) / kLine, grainFor(4 * state.count),
                        [&](int64_t begin, int64_t end) {
                            writeTuples(state, call, 0, state.count, begin * kLine,
                                        std::min(end * kLine, state.innerBytes));
                        });
            return;
        }
        parallelFor(state.count, grainFor(4 + state.innerBytes / 16),
                    [&](int64_t begin, int64_t end) {
                        writeTuples(state, call, begin, end, 0, state.innerBytes);
                    });
    }
};

/// The updates may be written over data that nothing else reads: then nothing is copied.
std::optional<target::Overwriting> overData(NodeSpec const&, target::KernelRecord const& record,
                                            std::size_t input) {
    return input == Scatter::kData ? std::optional<target::Overwriting>({record.code, 0})
                                   : std::nullopt;
}

} // namespace

void registerKernel_scatter(KernelRegistry& registry) {
    KernelEntry entry = entryOf<ScatterReference>("scatter_reference");
    entry.overwriting = overData;
    registry.add(std::move(entry));
}

} // namespace kiln::targets::cpu
