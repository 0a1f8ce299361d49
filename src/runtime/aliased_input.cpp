// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/aliased_input.h"

#include "graph/ops/cast.h"
#include "graph/ops/identity.h"
#include "graph/ops/kv_cache_update.h"

namespace kiln::runtime {
namespace {

/// The step that writes a tensor and has a kernel; null if there is none.
plan::StepRecord const* writerOf(plan::Document const& document, plan::TensorId tensor) {
    for (plan::StepRecord const& step : document.steps) {
        if (step.isKernel() && !step.outputs.empty() && step.outputs[0] == tensor) {
            return &step;
        }
    }
    return nullptr;
}

} // namespace

plan::TensorId aliasedInput(plan::Document const& document, plan::TensorId output) {
    plan::StepRecord const* const update = writerOf(document, output);
    if (update == nullptr || update->kernel.op != graph::KVCacheUpdate::kKind) {
        return {};
    }
    plan::TensorId const cache = update->inputs[graph::KVCacheUpdate::kCache];
    if (document.tensors[cache].role == plan::TensorRole::kInput) {
        return cache;
    }
    plan::StepRecord const* const copy = writerOf(document, cache);
    bool const copies = copy != nullptr && (copy->kernel.op == graph::Identity::kKind ||
                                            copy->kernel.op == graph::Cast::kKind);
    if (!copies || document.tensors[copy->inputs[0]].role != plan::TensorRole::kInput ||
        document.tensors[copy->inputs[0]].type != document.tensors[cache].type) {
        return {};
    }
    return copy->inputs[0];
}

} // namespace kiln::runtime
