// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// resize: interpolation along axes; see kernels/resize.cuh.
#include "graph/ops/resize.h"

#include <numeric>

#include "target/workload/map_formats.h"
#include "target/workload/resize.h"
#include "targets/cuda/op_kernel.h"

namespace kiln::targets::cuda {
namespace {

using graph::Resize;
using nvinfer1::InterpolationMode;

struct ResizeKernel {
    using Op = Resize;
    static constexpr bool kAnyFormat = true;

    struct Axis {
        int64_t input = 1;
        int64_t output = 1;
        int64_t table = 0;
        float scale = 0.0F;
        int32_t taps = 1;
        int32_t keeps = 1;
        int32_t unused = 0;
    };
    struct Arguments {
        int64_t outer = 1;
        int64_t inner = 1;
        int64_t tables = 0;
        int32_t rank = 0;
        int32_t mode = 0;
        int32_t transformation = 0;
        int32_t selector = 0;
        int32_t rounding = 0;
        int32_t excludesOutside = 0;
        float cubic = 0.0F;
        Axis axes[Dims::MAX_DIMS];
    };

    static std::string refuse(Op const& op, NodeSpec const& node) {
        DataType const type = node.inputs[0].type.type;
        std::string reason = refuseSubByte(type);
        if (reason.empty()) {
            reason = target::refuseMapFormats(node.inputs[0].type, node.outputs[0].type,
                                              node.inputs[0].opt.nbDims);
        }
        for (int32_t axis = 0; reason.empty() && axis < node.inputs[0].max.nbDims; ++axis) {
            if (node.inputs[0].max.d[axis] > INT32_MAX && op.taps() > 0) {
                reason = "expected input extents of at most 31 bits";
            }
        }
        return reason;
    }

    static SourceText source(Op const& op, NodeSpec const& node) {
        bool const moves = op.mode == InterpolationMode::kNEAREST;
        DataType const type = node.inputs[0].type.type;
        bool const extents = node.inputs.size() > 1; // a parameter that kernels ignore
        return sourceOf("resize",
                        {{"KILN_ELEMENT", moves ? moverTypeName(type) : kernelTypeName(type)},
                         {"KILN_EXTENTS", extents ? "void const*," : ""},
                         {"KILN_TAPS", std::to_string(op.taps())},
                         {"KILN_MOVES", moves ? "1" : "0"}});
    }

    static std::size_t workspaceBytes(Op const& op, Workload const& workload) {
        // An axis may keep its extent at the largest shapes alone, so all of them count.
        Dims const& output = workload.outputs[0];
        int64_t const positions = std::accumulate(output.d, output.d + output.nbDims, int64_t{0});
        constexpr int64_t kTapBytes = 8;
        return static_cast<std::size_t>(positions * op.taps() * kTapBytes);
    }

    static std::vector<GridLaunch> prepare(Op const& op, Workload const& workload,
                                           Arguments& arguments) {
        describe(op, workload, arguments);
        int64_t const count = volume(workload.outputs[0], "resized tensor");
        std::vector<GridLaunch> launches;
        if (count == 0) {
            return launches;
        }
        if (arguments.tables > 0) {
            launches.push_back(launchOver("resize_tables", arguments.tables));
        }
        if (arguments.rank > kAxes) {
            launches.push_back(launchOver("resize_any", count));
            return launches;
        }
        bool const rows = arguments.inner == 1;
        int64_t const vector = 128 / bitsOf(workload.type());
        int64_t const length = rows ? arguments.axes[kAxes - 1].output : arguments.inner;
        constexpr int64_t kEnoughThreads = 1 << 16; // fewer leave a large GPU idle
        bool const wide = length % vector == 0 && count / vector >= kEnoughThreads;
        if (wide) {
            launches.push_back(launchOver(rows ? "resize_rows" : "resize_vectors", count / vector));
        } else {
            launches.push_back(
                launchOver(rows ? "resize_rows_single" : "resize_vectors_single", count));
        }
        return launches;
    }

private:
    static constexpr int32_t kAxes = 3; // of the fast functions

    static void describe(Op const& op, Workload const& workload, Arguments& arguments) {
        target::ResizeWorkload const p = target::resizeWorkload(
            op, workload.inputs[0], workload.outputs[0], workload.inputTypes[0].format);
        auto const count = static_cast<int32_t>(p.axes.size());
        // Without axes, the whole tensor is one vector.
        arguments.outer = count == 0 ? 1 : p.outer;
        arguments.inner = count == 0 ? p.outer : p.inner;
        arguments.rank = std::max(count, kAxes);
        for (int32_t i = 0; i < count; ++i) {
            auto const& from = p.axes[static_cast<std::size_t>(i)];
            Axis& axis = arguments.axes[arguments.rank - count + i];
            axis = {from.input, from.output, arguments.tables,
                    from.scale, from.taps,   from.keeps ? 1 : 0,
                    0};
            arguments.tables += from.keeps ? 0 : from.output;
        }
        arguments.mode = static_cast<int32_t>(op.mode);
        arguments.transformation = static_cast<int32_t>(op.transformation);
        arguments.selector = static_cast<int32_t>(op.selector);
        arguments.rounding = static_cast<int32_t>(op.rounding);
        arguments.excludesOutside = op.excludesOutside ? 1 : 0;
        arguments.cubic = op.cubic;
    }
};

} // namespace

void registerKernel_resize(KernelRegistry& registry) {
    registry.add(entryOf<ResizeKernel>("resize_reference"));
}

} // namespace kiln::targets::cuda
