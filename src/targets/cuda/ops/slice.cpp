// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// slice: out[p] = data at start + p * stride along each axis; the mode defines values outside the
// data. Start, stride and axes may be operands, which each launch reads and checks. Any type of
// whole bytes.
#include "graph/ops/slice.h"

#include "targets/cuda/op_kernel.h"
#include "targets/cuda/slice_axes.h"
#include "targets/cuda/words.h"

namespace kiln::targets::cuda {
namespace {

using graph::Slice;

/// Whether the kernel reads and checks start, stride and axes, because one of them is an operand.
template <typename Operands>
bool readsSteps(Operands const& operands) {
    return operands.has(Slice::kStart) || operands.has(Slice::kSize) ||
           operands.has(Slice::kStride) || operands.has(Slice::kAxes);
}

struct SliceMove {
    using Op = Slice;
    static constexpr bool kInputArray = true;
    struct Arguments {
        int64_t count = 0;
        int64_t total = 0;
        int64_t offset = 0;
        int32_t outer = 0;
        int32_t listed = 0;
        int64_t listedStart[Dims::MAX_DIMS] = {};
        int64_t listedStride[Dims::MAX_DIMS] = {};
        int64_t listedAxes[Dims::MAX_DIMS] = {};
        SliceAxis axes[Dims::MAX_DIMS];
    };

    static std::string refuse(Op const&, NodeSpec const& node) {
        return refuseSubByte(node.inputs[0].type.type);
    }

    static SourceText source(Op const& op, NodeSpec const& node) {
        std::vector<std::pair<std::string, std::string>> defines{
            {"T", moverTypeName(node.inputs[0].type.type)},
            {"MODE", std::to_string(static_cast<int32_t>(op.mode))},
            {"INPUTS", std::to_string(node.inputs.size())},
            {"FILL_INPUT", std::to_string(placeOf(node, Slice::kFillValue))}};
        bool const narrow =
            !needsWide(node) && (readsSteps(node) || alwaysNarrow(op, node.inputs[0].max));
        defines.emplace_back("WIDE", narrow ? "0" : "1");
        if (readsSteps(node)) {
            defines.emplace_back("FROM_OPERANDS", "1");
            defines.emplace_back("RANK", std::to_string(std::max(node.inputs[0].opt.nbDims, 1)));
            constexpr std::pair<Slice::Role, char const*> kRoles[] = {
                {Slice::kStart, "START"}, {Slice::kStride, "STRIDE"}, {Slice::kAxes, "AXES"}};
            for (auto const& [role, name] : kRoles) {
                int32_t const input = placeOf(node, role);
                defines.emplace_back(fmt::format("{}_INPUT", name), std::to_string(input));
                defines.emplace_back(
                    name, kernelTypeName(node.inputs[static_cast<std::size_t>(input)].type.type));
            }
        }
        return sourceOf("slice", std::move(defines));
    }

    static std::vector<GridLaunch> prepare(Op const& op, Workload const& workload,
                                           Arguments& arguments) {
        Dims const& input = workload.inputs[0];
        Dims const& output = workload.outputs[0];
        arguments.count = volume(output, "slice");
        arguments.total = volume(input, "slice");
        std::vector<SliceAxis> axes = axesOf(op, workload.has(Slice::kAxes), input, output);
        if (readsSteps(workload)) {
            return prepareReading(op, workload, std::move(axes), arguments);
        }
        SliceLoops loops = mergeAxes(axes, op.mode);
        bool const narrow =
            loops.narrow() && fitsNarrow(arguments.count) && fitsNarrow(arguments.total);
        constexpr std::size_t kShallow = 3;
        bool const shallow = narrow && loops.contiguousRows() && loops.axes.size() <= kShallow;
        while (shallow && loops.axes.size() < kShallow) {
            loops.axes.insert(loops.axes.begin(), SliceAxis{});
        }
        arguments.offset = loops.offset;
        setAxes(loops.axes, arguments);
        int64_t const bytes = static_cast<int64_t>(bytesFor(workload.type(), 1));
        if (narrow && takesPairs(loops.axes.back(), 16 / bytes)) {
            return {launchElements("slice_pairs", arguments.count / (16 / bytes))};
        }
        return launch(workload, arguments.count, {loops.contiguousRows(), shallow, narrow});
    }

    static std::string faultText(Op const&, Workload const& workload, int64_t fault) {
        char const* const problems[] = {"expected different axes of the data.",
                                        "expected coordinates of 64 bits.",
                                        "expected elements inside the data."};
        auto const known = static_cast<std::size_t>(std::clamp<int64_t>(fault, 1, 3));
        return fmt::format("[slice] data {}, output {}: {} Change start, stride or axes.",
                           toText(workload.inputs[0]), toText(workload.outputs[0]),
                           problems[known - 1]);
    }

private:
    /// Whether rows are every other element of the data, and of whole words of `perWord` elements.
    static bool takesPairs(SliceAxis const& axis, int64_t perWord) {
        int64_t const size = axis.size.divisor;
        return axis.stride == 2 && axis.step == 1 && perWord >= 4 && size % perWord == 0 &&
               size > 0 && axis.start >= 0 && axis.start + 2 * (size - 1) < axis.extent;
    }

    /// The number of an operand; 0, that of the data, if it is absent.
    static int32_t placeOf(NodeSpec const& node, Slice::Role role) {
        return node.has(role) ? role : 0;
    }

    static void setAxes(std::vector<SliceAxis> const& axes, Arguments& arguments) {
        std::copy(axes.begin(), axes.end(), arguments.axes);
        arguments.outer = static_cast<int32_t>(axes.size()) - 1;
    }

    static std::vector<GridLaunch> prepareReading(Op const& op, Workload const& workload,
                                                  std::vector<SliceAxis> axes,
                                                  Arguments& arguments) {
        arguments.listed = listedAxes(op, workload);
        if (axes.empty()) {
            axes.push_back({}); // a scalar
        }
        setAxes(axes, arguments);
        for (Slice::Role const role : {Slice::kStart, Slice::kSize, Slice::kStride, Slice::kAxes}) {
            if (workload.has(role)) {
                checkLength(workload, role, arguments.listed);
            }
        }
        for (int32_t i = 0; i < arguments.listed; ++i) {
            arguments.listedStart[i] = op.start.d[i];
            arguments.listedStride[i] = op.stride.d[i];
            arguments.listedAxes[i] = op.axes.nbDims < 0 ? i : op.axes.d[i];
        }
        // Copying rows by words pays only if their stride is known to be 1.
        bool const known = !workload.has(Slice::kStride) && !workload.has(Slice::kAxes);
        bool const narrow = fitsNarrow(arguments.count) && fitsNarrow(arguments.total);
        return launch(workload, arguments.count, {known && axes.back().stride == 1, false, narrow});
    }

    struct Kind {
        bool words;
        bool shallow;
        bool narrow;
    };

    static std::vector<GridLaunch> launch(Workload const& workload, int64_t count, Kind kind) {
        if (!kind.words) {
            return {launchElements(kind.narrow ? "slice_elements" : "slice_elements_wide", count)};
        }
        return {launchWords(kind.shallow  ? "slice_words_shallow"
                            : kind.narrow ? "slice_words"
                                          : "slice_words_wide",
                            count, static_cast<int64_t>(bytesFor(workload.type(), 1)))};
    }

    static int32_t listedAxes(Op const& op, Workload const& workload) {
        if (workload.has(Slice::kAxes)) {
            Dims const& dims = workload.inputs[Slice::kAxes];
            return static_cast<int32_t>(
                std::min<int64_t>(volume(dims, "slice axes"), Dims::MAX_DIMS));
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
};

} // namespace

void registerKernel_slice(KernelRegistry& registry) {
    registry.add(entryOf<SliceMove>("slice_words"));
}

} // namespace kiln::targets::cuda
