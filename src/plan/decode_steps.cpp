// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "plan/decode_values.h"

namespace kiln::plan {
namespace {

target::KernelRecord decodeKernel(fb::Kernel const& kernel, std::string_view step, PartReader& code,
                                  Budget& budget) {
    target::KernelRecord record;
    record.kernel = decodeText(kernel.name(), budget);
    record.op = decodeText(kernel.op(), budget);
    record.parameters = decodeBytes(kernel.parameters(), budget);
    record.code = code.take(kernel.bytes(), step);
    return record;
}

ControlRecord decodeControl(fb::Control const& control, Budget& budget) {
    ControlRecord record;
    record.kind = static_cast<ControlKind>(control.kind());
    record.value = control.value();
    decodeAll(control.bodies(), budget, record.bodies, [&](fb::Body const& body) {
        return Body{body.steps(), decodeIds<TensorId>(body.inputs(), budget),
                    decodeIds<TensorId>(body.outputs(), budget), TensorId::of(body.condition()),
                    body.tested_after()};
    });
    record.decider = TensorId::of(control.decider());
    record.carried = control.carried();
    record.slices = decodeIds<TensorId>(control.slices(), budget);
    record.backward = control.backward();
    record.reversed = control.reversed();
    record.message = decodeText(control.message(), budget);
    std::vector<int32_t> const extents = decodeNumbers(control.extents(), budget);
    for (std::size_t i = 0; i + 2 < extents.size(); i += 3) {
        record.extents.push_back({TensorId::of(extents[i]), extents[i + 1], extents[i + 2]});
    }
    return record;
}

} // namespace

void decodeSteps(fb::Plan const& plan, PartReader& code, Budget& budget, Document& document) {
    decodeAll(plan.steps(), budget, document.steps, [&](fb::Step const& step) {
        StepRecord record;
        record.name = decodeText(step.name(), budget);
        record.inputs = decodeIds<TensorId>(step.inputs(), budget);
        record.outputs = decodeIds<TensorId>(step.outputs(), budget);
        record.workspaceBytes = step.workspace_bytes();
        record.workspaceOffset = step.workspace_offset();
        if (step.profile_workspaces() != nullptr) {
            expectAligned(step.profile_workspaces(), sizeof(uint64_t));
            record.profileWorkspaces = decodeNumbers(step.profile_workspaces(), budget);
        }
        record.plugin = PluginIndex::of(step.plugin());
        record.shapeInputs = step.shape_inputs();
        record.profilePlugins = decodeIds<PluginIndex>(step.profile_plugins(), budget);
        for (std::byte const type : decodeBytes(step.declared(), budget)) {
            record.declared.push_back(static_cast<DataType>(type));
        }
        if (step.kernel() != nullptr) {
            record.kernel = decodeKernel(*step.kernel(), record.name, code, budget);
        }
        decodeAll(step.other_kernels(), budget, record.otherKernels,
                  [&](fb::OtherKernel const& other) {
                      return OtherKernel{decodeKernel(*other.kernel(), record.name, code, budget),
                                         decodeIds<TensorId>(other.inputs(), budget)};
                  });
        record.profileKernels = decodeNumbers(step.profile_kernels(), budget);
        if (step.control() != nullptr) {
            record.control = decodeControl(*step.control(), budget);
        }
        auto const textOf = [&](fb::Reason const& reason) {
            return decodeText(reason.text(), budget);
        };
        decodeAll(step.reasons(), budget, record.reasons, textOf);
        decodeAll(step.rewrites(), budget, record.rewrites, textOf);
        decodeAll(step.candidates(), budget, record.candidates, [&](fb::Candidate const& one) {
            return CandidateRecord{decodeText(one.kernel(), budget), one.seconds(), one.timed(),
                                   decodeText(one.refusal(), budget)};
        });
        record.metadata = decodeText(step.metadata(), budget);
        return record;
    });
}

} // namespace kiln::plan
