// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Loops and branches. The host decides, by values that it knows before the control step starts, so
// a stream is never waited for and a capture records the passes that run.
#include "base/tensor_layout.h"
#include "runtime/context.h"
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
        watchers_.beforeStep(step, stream);
        runControl(step, stream);
        watchers_.afterStep(step, stream);
        watchers_.show(step, shapes_.dims(), bindings_.addresses(), stream);
        first += control->steps();
    }
}

void Context::runControl(std::size_t step, target::StreamHandle stream) {
    plan::StepRecord const& record = document_.steps[step];
    plan::ControlRecord const& control = *record.control;
    int64_t const value = shapes_.values()[static_cast<std::size_t>(control.value)];
    if (control.kind == plan::ControlKind::kRepeat) {
        repeat(step, value, stream);
        return;
    }
    std::size_t first = step + 1;
    for (std::size_t i = 0; i < control.bodies.size(); ++i) {
        plan::Body const& body = control.bodies[i];
        std::size_t const last = first + static_cast<std::size_t>(body.steps);
        if (i == (value != 0 ? 0U : 1U)) {
            runSteps(first, last, stream);
            for (std::size_t output = 0; output < record.outputs.size(); ++output) {
                copyTensor(address(body.outputs[output]), record.outputs[output], stream);
            }
        } else {
            watchers_.skip(first, last, stream);
        }
        first = last;
    }
}

void Context::repeat(std::size_t step, int64_t passes, target::StreamHandle stream) {
    plan::StepRecord const& record = document_.steps[step];
    plan::Body const& body = record.control->bodies[0];
    std::size_t const first = step + 1;
    std::size_t const last = first + record.control->steps();
    LoopValues values(document_, record, bindings_);
    if (passes > 0 && passes % 2 == 1) { // each other pass exchanges, too
        values.exchange();
    }
    target::KernelCall const call = bindings_.callOf(step);
    for (std::size_t i = 0; i < record.outputs.size(); ++i) {
        copyTensor(call.inputs[i], record.outputs[i], stream);
    }
    for (int64_t pass = 0; pass < passes; ++pass) {
        runSteps(first, last, stream);
        for (std::size_t i = 0; i < record.outputs.size(); ++i) {
            if (!values.isExchanged(i)) {
                copyTensor(address(body.outputs[i]), record.outputs[i], stream);
            }
        }
        if (pass + 1 < passes) {
            values.exchange();
        }
    }
    if (passes <= 0) {
        watchers_.skip(first, last, stream);
    }
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
