// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "api/step_description.h"

#include "api/operation_names.h"
#include "graph/op_registry.h"
#include "graph/ops/region.h"

namespace kiln::api {

Json operationsOf(target::KernelRecord const& kernel) {
    Json names = Json::array();
    std::unique_ptr<graph::Op> op;
    try {
        op = graph::OpRegistry::instance().load(kernel.op, kernel.parameters);
    } catch (Error const&) { // opening the plan says it; its other parts can be shown
        names.push_back(kernel.op);
        return names;
    }
    if (auto const* region = dynamic_cast<graph::Region const*>(op.get())) {
        for (graph::Region::Node const& node : region->nodes()) {
            names.push_back(operationName(*node.op));
        }
    } else {
        names.push_back(operationName(*op));
    }
    return names;
}

Json candidatesOf(plan::StepRecord const& step) {
    Json list = Json::array();
    for (plan::CandidateRecord const& one : step.candidates) {
        Json entry = Json::object("kernel", one.kernel);
        if (one.seconds > 0.0) {
            entry["microseconds"] = one.seconds * 1e6;
            entry["measured"] = one.timed;
        }
        if (!one.refusal.empty()) {
            entry["refusal"] = one.refusal;
        }
        list.push_back(std::move(entry));
    }
    return list;
}

} // namespace kiln::api
