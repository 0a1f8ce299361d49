// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// interleave: the phases of a transposed convolution side by side; see kernels/interleave.cuh.
#include "target/workload/interleave.h"

#include "target/workload/map_formats.h"
#include "targets/cuda/fast_divide.h"
#include "targets/cuda/op_kernel.h"
#include "targets/cuda/words.h"

namespace kiln::targets::cuda {
namespace {

struct InterleaveKernel {
    using Op = graph::Interleave;
    static constexpr bool kAnyFormat = true;

    struct Axis {
        FastDivide output;
        FastDivide stride;
        int64_t input = 1;
        int64_t before = 0;
    };
    struct Arguments {
        int64_t count = 0;
        FastDivide across;
        FastDivide groups;
        FastDivide maps;
        int64_t phases = 1;
        Axis depth;
        Axis height;
        Axis width;
    };

    static std::string refuse(Op const&, NodeSpec const& node) {
        std::string const reason = refuseSubByte(node.inputs[0].type.type);
        return reason.empty() ? target::refuseMapFormats(node.inputs[0].type, node.outputs[0].type,
                                                         node.inputs[0].opt.nbDims)
                              : reason;
    }

    static SourceText source(Op const&, NodeSpec const& node) {
        return sourceOf("interleave", {{"KILN_ELEMENT", moverTypeName(node.inputs[0].type.type)},
                                       {"KILN_WIDE", needsWide(node) ? "1" : "0"}});
    }

    static std::vector<GridLaunch> prepare(Op const& op, Workload const& workload,
                                           Arguments& arguments) {
        target::InterleaveWorkload const p = target::interleaveWorkload(op, workload);
        int64_t const count = volume(workload.outputs[0], "interleaved tensor");
        bool const narrow =
            fitsNarrow(count) && fitsNarrow(volume(workload.inputs[0], "interleaved tensor"));
        int64_t const vector = 128 / bitsOf(workload.type());
        bool const linear = workload.outputTypes[0].format == TensorFormat::kLINEAR;
        int64_t const length = linear ? p.width.output : p.maps;
        constexpr int64_t kEnoughThreads = 1 << 16; // fewer leave a large GPU idle
        bool const vectors = narrow && length % vector == 0 && count / vector >= kEnoughThreads;
        int64_t const width = vectors ? vector : 1;
        arguments.count = count / width;
        arguments.across = fastDivide(length / width);
        arguments.groups = fastDivide(p.groups);
        arguments.maps = fastDivide(p.maps);
        arguments.phases = p.phases;
        arguments.depth = axisOf(p.depth);
        arguments.height = axisOf(p.height);
        arguments.width = axisOf(p.width);
        if (vectors) {
            return {launchOver(linear ? "interleave" : "interleave_last", arguments.count)};
        }
        if (narrow) {
            return {launchOver(linear ? "interleave_single" : "interleave_last_single", count)};
        }
        return {launchOver(linear ? "interleave_wide" : "interleave_last_wide", count)};
    }

private:
    static Axis axisOf(target::InterleaveWorkload::Axis const& axis) {
        return {fastDivide(axis.output), fastDivide(axis.stride), axis.input, axis.before};
    }
};

} // namespace

void registerKernel_interleave(KernelRegistry& registry) {
    registry.add(entryOf<InterleaveKernel>("interleave_reference"));
}

} // namespace kiln::targets::cuda
