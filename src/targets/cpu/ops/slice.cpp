// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// slice: out[p] = data at start + p * stride along each axis; the mode defines values outside the
// data. Start, stride and axes may be operands, which each launch reads and checks. A slice inside
// of the data is a strided copy. Others are written in order, and rows of step 1 inside of the data
// are copied whole. Any type of whole bytes; threads share the rows.
#include "graph/ops/slice.h"

#include "targets/cpu/copy.h"
#include "targets/cpu/strided_copy.h"

namespace kiln::targets::cpu {
namespace {

using graph::Slice;
using nvinfer1::SampleMode;

using PerAxis = std::array<int64_t, Dims::MAX_DIMS>;

/// Start and stride along each axis of the data, for one launch.
struct Steps {
    PerAxis start{};
    PerAxis stride{};
};

struct SliceReference {
    using Op = Slice;
    struct State {
        Op op;
        Dims input{};
        Dims output{};
        PerAxis byteStrides{};           ///< of the input
        int64_t bytes = 1;               ///< of one element
        std::array<DataType, 6> types{}; ///< of the operands
        std::array<bool, 6> has{};       ///< whether the operand is there
        int64_t axisCount = 0;           ///< entries of start and stride
        char const* problem = "";
    };

    static std::string refuse(Op const&, NodeSpec const& node) { return refuseSubByte(node, 0); }

    static target::KernelFunction prepare(Op const& op, Workload const& workload, State& state) {
        state = {};
        state.op = op;
        state.input = workload.inputs[0];
        state.output = workload.outputs[0];
        state.bytes = elementBytes(workload.type());
        state.byteStrides = denseStrides(state.input);
        for (int64_t& stride : state.byteStrides) {
            stride *= state.bytes;
        }
        for (std::size_t i = 0; i < workload.inputTypes.size(); ++i) {
            state.types.at(i) = workload.inputTypes[i].type;
            state.has.at(i) = workload.has(i);
        }
        state.axisCount = axisCount(op, workload);
        for (Slice::Role const role : {Slice::kStart, Slice::kSize, Slice::kStride, Slice::kAxes}) {
            if (workload.has(role)) {
                checkLength(workload, role, state.axisCount);
            }
        }
        return launchOf<&run>;
    }

    static std::string failureText(State const& state) {
        return fmt::format("[slice] data {}, output {}: {} Change start, stride or axes.",
                           toText(state.input), toText(state.output), state.problem);
    }

private:
    static int64_t axisCount(Op const& op, Workload const& workload) {
        if (workload.has(Slice::kAxes)) {
            return volume(workload.inputs[Slice::kAxes], "slice axes");
        }
        return op.axes.nbDims >= 0 ? op.axes.nbDims : workload.inputs[0].nbDims;
    }

    static void checkLength(Workload const& workload, std::size_t operand, int64_t expected) {
        Dims const& dims = workload.inputs[operand];
        DataType const type = workload.inputTypes[operand].type;
        bool const integral = type == DataType::kINT32 || type == DataType::kINT64;
        if (!integral || dims.nbDims != 1 || dims.d[0] != expected) {
            fail(ErrorKind::kInvalidArgument,
                 "[shape] Slice, input {}: expected {} integers, got {} {}. Build the plan again.",
                 operand, expected, nameOf(type), toText(dims));
        }
    }

    /// Entry `i` of a role; from the constant if the role has no operand.
    static int64_t number(State const& state, KernelCall const& call, Slice::Role role,
                          Dims const& constant, int64_t i) {
        return state.has[role] ? integerAt(call.inputs[role], state.types[role], i) : constant.d[i];
    }

    /// Returns false and sets state.problem for invalid axes or coordinates.
    static bool readSteps(State& state, KernelCall const& call, Steps& steps) {
        steps.stride.fill(1);
        int32_t const rank = state.input.nbDims;
        uint32_t seen = 0;
        for (int64_t i = 0; i < state.axisCount; ++i) {
            bool const listed = state.has[Slice::kAxes] || state.op.axes.nbDims >= 0;
            int64_t axis = listed ? number(state, call, Slice::kAxes, state.op.axes, i) : i;
            axis = axis < 0 ? axis + rank : axis;
            if (axis < 0 || axis >= rank || (seen >> axis & 1U) != 0) {
                state.problem = "expected different axes of the data.";
                return false;
            }
            seen |= 1U << axis;
            auto const at = static_cast<std::size_t>(axis);
            steps.start[at] = number(state, call, Slice::kStart, state.op.start, i);
            steps.stride[at] = number(state, call, Slice::kStride, state.op.stride, i);
        }
        for (int32_t axis = 0; axis < rank; ++axis) {
            if (!reaches(state, steps, axis)) {
                return false;
            }
        }
        return true;
    }

    static bool reaches(State& state, Steps const& steps, int32_t axis) {
        auto const at = static_cast<std::size_t>(axis);
        int64_t const extent = state.input.d[axis];
        int64_t span = 0;
        int64_t last = 0;
        if (__builtin_mul_overflow(state.output.d[axis] - 1, steps.stride[at], &span) ||
            __builtin_add_overflow(steps.start[at], span, &last)) {
            state.problem = "expected coordinates of 64 bits.";
            return false;
        }
        bool const outside =
            std::min(steps.start[at], last) < 0 || std::max(steps.start[at], last) >= extent;
        bool const strict = state.op.mode == SampleMode::kSTRICT_BOUNDS;
        if (outside && (strict || (extent == 0 && state.op.mode != SampleMode::kFILL))) {
            state.problem = "expected elements inside the data.";
            return false;
        }
        return true;
    }

    static int32_t run(State& state, KernelCall const& call) {
        int64_t rows = 1;
        for (int32_t i = 0; i + 1 < state.output.nbDims; ++i) {
            rows *= state.output.d[i];
        }
        int64_t const width =
            state.output.nbDims == 0 ? 1 : state.output.d[state.output.nbDims - 1];
        Steps steps;
        if (rows * width == 0) {
            return 0;
        }
        if (!readSteps(state, call, steps)) {
            return 1;
        }
        if (inside(state, steps)) {
            copyInside(state, steps, call);
            return 0;
        }
        State const& shared = state;
        parallelFor(rows, grainFor(width), [&](int64_t begin, int64_t end) {
            RowPlace place(shared, steps, begin);
            for (int64_t row = begin; row < end; ++row) {
                copyRow(shared, steps, call, row, width, place.offset());
                place.next();
            }
        });
        return 0;
    }

    /// Where the rows of the output begin in the input, one after the other.
    class RowPlace {
    public:
        RowPlace(State const& state, Steps const& steps, int64_t row)
            : state_(state), steps_(steps) {
            for (int32_t axis = state.output.nbDims - 2; axis >= 0; --axis) {
                position_[static_cast<std::size_t>(axis)] = row % state.output.d[axis];
                row /= state.output.d[axis];
                find(axis);
            }
        }

        /// In bytes; -1 if the row is outside.
        int64_t offset() const {
            int64_t sum = 0;
            for (int32_t axis = 0; axis + 1 < state_.output.nbDims; ++axis) {
                int64_t const part = parts_[static_cast<std::size_t>(axis)];
                if (part < 0) {
                    return -1;
                }
                sum += part;
            }
            return sum;
        }

        void next() {
            for (int32_t axis = state_.output.nbDims - 2; axis >= 0; --axis) {
                int64_t& position = position_[static_cast<std::size_t>(axis)];
                bool const wraps = ++position == state_.output.d[axis];
                position = wraps ? 0 : position;
                find(axis);
                if (!wraps) {
                    return;
                }
            }
        }

    private:
        void find(int32_t axis) {
            auto const at = static_cast<std::size_t>(axis);
            int64_t const coordinate = steps_.start[at] + position_[at] * steps_.stride[at];
            int64_t const extent = state_.input.d[axis];
            int64_t const sample =
                coordinate >= 0 && coordinate < extent
                    ? coordinate
                    : graph::sampleCoordinate(state_.op.mode, coordinate, extent);
            parts_[at] = sample < 0 ? -1 : sample * state_.byteStrides[at];
        }

        State const& state_;
        Steps const& steps_;
        PerAxis position_{};
        PerAxis parts_{}; ///< of the offset, by axis; -1 outside
    };

    /// Whether all coordinates are inside the data.
    static bool inside(State const& state, Steps const& steps) {
        for (int32_t axis = 0; axis < state.output.nbDims; ++axis) {
            auto const at = static_cast<std::size_t>(axis);
            int64_t const first = steps.start[at];
            int64_t const last = first + (state.output.d[axis] - 1) * steps.stride[at];
            if (std::min(first, last) < 0 || std::max(first, last) >= state.input.d[axis]) {
                return false;
            }
        }
        return true;
    }

    static void copyInside(State const& state, Steps const& steps, KernelCall const& call) {
        Nest<1> nest;
        int64_t start = 0; // bytes
        for (int32_t axis = 0; axis < state.output.nbDims; ++axis) {
            auto const at = static_cast<std::size_t>(axis);
            start += steps.start[at] * state.byteStrides[at];
            nest.add(state.output.d[axis],
                     {steps.stride[at] * state.byteStrides[at] / state.bytes});
        }
        copyStrided(nest, state.bytes, static_cast<std::byte const*>(call.inputs[0]) + start,
                    call.outputs[0]);
    }

    static void copyRow(State const& state, Steps const& steps, KernelCall const& call, int64_t row,
                        int64_t width, int64_t offset) {
        auto const* from = static_cast<std::byte const*>(call.inputs[0]);
        auto* to = static_cast<std::byte*>(call.outputs[0]) + row * width * state.bytes;
        static constexpr std::byte kZero[8]{};
        void const* const fill =
            state.has[Slice::kFillValue] ? call.inputs[Slice::kFillValue] : kZero;
        if (state.output.nbDims == 0) {
            std::memcpy(to, from, static_cast<std::size_t>(state.bytes));
            return;
        }
        if (offset < 0) {
            fillElements(to, fill, state.bytes, width);
            return;
        }
        auto const last = static_cast<std::size_t>(state.output.nbDims - 1);
        Row const source{from + offset, fill, state.input.d[last], state.bytes, state.op.mode};
        if (steps.stride[last] == 1) {
            source.copyRuns(to, steps.start[last], width);
        } else {
            source.copyElements(to, steps.start[last], steps.stride[last], width);
        }
    }

    /// A row of the data, and what is outside of it.
    struct Row {
        std::byte const* from;
        void const* fill;
        int64_t extent;
        int64_t bytes; ///< of one element
        SampleMode mode;

        std::byte const* at(int64_t coordinate) const { return from + coordinate * bytes; }

        void copyElements(std::byte* to, int64_t start, int64_t step, int64_t count) const {
            for (int64_t i = 0; i < count; ++i) {
                int64_t const coordinate = graph::sampleCoordinate(mode, start + i * step, extent);
                std::memcpy(to + i * bytes, coordinate < 0 ? fill : at(coordinate),
                            static_cast<std::size_t>(bytes));
            }
        }

        /// The elements start .. start + width - 1, in runs inside and outside of the row.
        void copyRuns(std::byte* to, int64_t start, int64_t width) const {
            for (int64_t done = 0; done < width;) {
                int64_t const coordinate = start + done;
                bool const inside = coordinate >= 0 && coordinate < extent;
                int64_t run = width - done;
                if (inside || mode == SampleMode::kWRAP) {
                    int64_t const first =
                        inside ? coordinate : graph::sampleCoordinate(mode, coordinate, extent);
                    run = std::min(run, extent - first);
                    copyRun(to + done * bytes, at(first), run * bytes);
                } else {
                    run = coordinate < 0 ? std::min(run, -coordinate) : run;
                    copyOutside(to + done * bytes, coordinate, run);
                }
                done += run;
            }
        }

        /// `count` elements in front of the row or behind it.
        void copyOutside(std::byte* to, int64_t coordinate, int64_t count) const {
            switch (mode) {
            case SampleMode::kCLAMP:
                fillElements(to, at(coordinate < 0 ? 0 : extent - 1), bytes, count);
                return;
            case SampleMode::kFILL: fillElements(to, fill, bytes, count); return;
            default: copyElements(to, coordinate, 1, count); return;
            }
        }
    };
};

} // namespace

void registerKernel_slice(KernelRegistry& registry) {
    registry.add(entryOf<SliceReference>("slice_reference"));
}

} // namespace kiln::targets::cpu
