// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Loops, branches and what must hold. The host decides. Where it knows the values before the
// control step starts, a stream is never waited for, and a capture records the passes that run.
// Else it waits for the kernels that compute them: see Decisions.
#include <algorithm>

#include "base/tensor_layout.h"
#include "runtime/context.h"
#include "runtime/control.h"
#include "runtime/loop_slices.h"
#include "runtime/loop_values.h"

namespace kiln::runtime {

void Context::runSteps(std::size_t first, std::size_t last, target::StreamHandle stream) {
    while (first < last) {
        std::size_t const step = first++;
        auto const& control = document_.steps[step].control;
        if (!control.has_value()) {
            runStep(step, stream);
            continue;
        }
        StepRanges::Scope const range(ranges_.get(), step, shapes_.profile());
        watchers_.beforeStep(step, stream);
        runControl(step, stream);
        watchers_.afterStep(step, stream);
        watchers_.show(step, shapes_.dims(), bindings_.addresses(), stream);
        first += control->steps();
    }
}

/// The number that decides what a control step does.
int64_t Context::decision(std::size_t step, target::StreamHandle stream) {
    plan::StepRecord const& record = document_.steps[step];
    plan::ControlRecord const& control = *record.control;
    if (control.decider.isNone()) {
        return shapes_.values()[static_cast<std::size_t>(control.value)];
    }
    auto const found = std::find(record.inputs.begin(), record.inputs.end(), control.decider);
    void const* const from = bindings_.callOf(step).inputs[found - record.inputs.begin()];
    DataType const type = document_.tensors[control.decider].type.type;
    if (control.kind == plan::ControlKind::kRequire) {
        Dims const& dims = shapes_.dims()[control.decider];
        int64_t const count = dims.nbDims == 0 ? 1 : dims.d[0];
        return decisions_.holds(type, from, count, stream) ? 1 : 0;
    }
    return decisions_.number(type, from, stream);
}

void Context::runControl(std::size_t step, target::StreamHandle stream) {
    plan::StepRecord const& record = document_.steps[step];
    plan::ControlRecord const& control = *record.control;
    int64_t const value = decision(step, stream);
    if (control.kind == plan::ControlKind::kRepeat) {
        repeat(step, value, stream);
        return;
    }
    if (control.kind == plan::ControlKind::kRequire) {
        require(record, value);
        return;
    }
    std::size_t first = step + 1;
    for (std::size_t i = 0; i < control.bodies.size(); ++i) {
        plan::Body const& body = control.bodies[i];
        std::size_t const last = first + static_cast<std::size_t>(body.steps);
        if (i == (value != 0 ? 0U : 1U)) {
            prepareBody(step, first, last);
            runSteps(first, last, stream);
            findExtents(step, &body, stream);
            for (std::size_t output = 0; output < record.outputs.size(); ++output) {
                copyResult(record, body.outputs[output], record.outputs[output], stream);
            }
        } else {
            watchers_.skip(first, last, stream);
        }
        first = last;
    }
    prepareBehind(step);
}

/// Where bodies find sizes, steps are prepared up to the first of these, at the beginning of a run
/// and behind each size. The body that runs may be another one than the first, or none.
void Context::prepareBody(std::size_t control, std::size_t first, std::size_t last) {
    if (points_.findsInside(control)) {
        prepareSteps(first, std::min(last, points_.next(first)));
    }
}

void Context::prepareBehind(std::size_t control) {
    if (points_.findsInside(control) || !document_.steps[control].control->extents.empty()) {
        std::size_t const behind = control + 1 + document_.steps[control].control->steps();
        prepareSteps(behind, points_.nextBehind(control, behind));
    }
}

/// Extents of a branch are those of the body that ran, those of a loop's stacks are those of its
/// first pass. Without a body, they are 0.
void Context::findExtents(std::size_t step, plan::Body const* body, target::StreamHandle stream) {
    plan::ControlRecord const& control = *document_.steps[step].control;
    if (control.extents.empty()) {
        return;
    }
    int32_t const before = std::min(shapes_.knownUpTo(), static_cast<int32_t>(step) - 1);
    for (plan::FoundExtent const& extent : control.extents) {
        auto const output = static_cast<std::size_t>(extent.output);
        // A stack has one axis more than its slices, in front.
        int32_t const axis =
            control.kind == plan::ControlKind::kRepeat ? extent.axis - 1 : extent.axis;
        shapes_.setSize(step, extent.size,
                        body == nullptr ? 0 : shapes_.dims()[body->outputs[output]].d[axis]);
    }
    settleSizes(before, stream);
}

void Context::require(plan::StepRecord const& step, int64_t value) {
    if (value == 0) {
        fail(ErrorKind::kInvalidArgument,
             "[run] layer '{}': expected its condition to be true, got false: {}", step.name,
             step.control->message);
    }
}

/// What shapes and host values decide, when they change.
void Context::checkRequirements() const {
    for (plan::StepRecord const& step : document_.steps) {
        if (step.control.has_value() && isCheckedBefore(*step.control) &&
            points_.knownAfter(step.control->value) == SizePoints::kAlways) {
            require(step, shapes_.values()[static_cast<std::size_t>(step.control->value)]);
        }
    }
}

void Context::repeat(std::size_t step, int64_t passes, target::StreamHandle stream) {
    plan::StepRecord const& record = document_.steps[step];
    plan::Body const& body = record.control->bodies[0];
    auto const carried = static_cast<std::size_t>(record.control->carried);
    std::size_t const first = step + 1;
    std::size_t const tested = first + static_cast<std::size_t>(body.testedAfter);
    std::size_t const last = first + record.control->steps();
    bool const tests = !body.condition.isNone();
    LoopValues values(document_, record, bindings_);
    if (!tests && passes > 0 && passes % 2 == 1) { // each other pass exchanges, too
        values.exchange();
    }
    target::KernelCall const call = bindings_.callOf(step);
    for (std::size_t i = 0; i < carried; ++i) {
        copyTensor(call.inputs[i], record.outputs[i], stream);
    }
    prepareBody(step, first, last);
    LoopSlices slices(document_, record, bindings_, device_, shapes_.dims(), call, passes);
    int64_t pass = 0;
    for (; pass < passes; ++pass) {
        slices.bring(pass, stream);
        runSteps(first, tested, stream);
        if (tests && decisions_.number(document_.tensors[body.condition].type.type,
                                       address(body.condition), stream) == 0) {
            break;
        }
        runSteps(tested, last, stream);
        if (pass == 0) {
            findExtents(step, &body, stream);
        }
        slices.keep(pass, stream);
        for (std::size_t i = 0; i < carried; ++i) {
            if (!values.isExchanged(i)) {
                copyResult(record, body.outputs[i], record.outputs[i], stream);
            }
        }
        if (tests || pass + 1 < passes) {
            values.exchange();
        }
    }
    if (pass == 0) {
        findExtents(step, nullptr, stream);
    }
    slices.finish(pass, stream);
    if (tests && values.areExchanged()) { // the number of passes was not known
        for (std::size_t i = 0; i < carried; ++i) {
            if (values.isExchanged(i)) {
                void const* const from = address(record.outputs[i]);
                copyTensor(from, body.outputs[i], stream);
            }
        }
    }
    if (pass == 0) {
        watchers_.skip(tests && passes > 0 ? tested : first, last, stream);
    }
    prepareBehind(step);
}

/// Extents may differ from what the network declares only if shapes decide them.
void Context::copyResult(plan::StepRecord const& step, plan::TensorId from, plan::TensorId to,
                         target::StreamHandle stream) {
    if (!sameDims(shapes_.dims()[from], shapes_.dims()[to])) {
        fail(ErrorKind::kInvalidArgument,
             "[run] {} '{}': expected '{}' to have shape {}, got {}. Use shapes that stay the same "
             "in all passes and branches.",
             step.control->kind == plan::ControlKind::kRepeat ? "loop" : "branch", step.name,
             document_.tensors[from].name, toText(shapes_.dims()[to]),
             toText(shapes_.dims()[from]));
    }
    copyTensor(address(from), to, stream);
}

void Context::copyTensor(void const* from, plan::TensorId to, target::StreamHandle stream) {
    plan::TensorRecord const& record = document_.tensors[to];
    std::size_t const bytes =
        storageBytes(record.type.type, record.type.format, shapes_.dims()[to], record.name);
    if (bytes != 0 && from != address(to)) {
        device_.copy(address(to), from, bytes, target::CopyKind::kDeviceToDevice, stream);
    }
}

} // namespace kiln::runtime
