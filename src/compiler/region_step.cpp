// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/region_step.h"

#include <algorithm>
#include <unordered_map>

#include "compiler/slice_start.h"
#include "graph/ops/region.h"
#include "graph/ops/slice.h"

namespace kiln::compiler {
namespace {

using graph::Region;
using graph::Slice;

/// What the operation of a member reads in a region. A slice has no operands but its data: start
/// and size are known, see slicesFor().
std::vector<ValueId> inputsOf(Step const& step) {
    return step.as<Slice>() == nullptr ? step.inputs() : std::vector{step.inputs()[0]};
}

std::unique_ptr<graph::Op> opOf(Program const& program, Step const& step) {
    if (step.as<Slice>() == nullptr) {
        return step.op->clone();
    }
    graph::ShapeExpr const& shape = program.value(step.outputs()[0]).shape;
    auto slice = std::make_unique<Slice>();
    slice->axes = makeDims({shape.rank - 1});
    slice->start = makeDims({startOfSlice(program, step).value()});
    slice->size = makeDims({program.pool.constantOr(shape[shape.rank - 1])});
    slice->stride = makeDims({1});
    return slice;
}

bool fitsBounds(Extents const& extents, Program const& program, Step const& step) {
    auto const& region = static_cast<Region const&>(*step.op);
    for (Table<ValueId, Dims> const* bound : {&extents.min, &extents.opt, &extents.max}) {
        std::vector<Region::KnownValue> inputs;
        for (ValueId const input : step.inputs()) {
            inputs.push_back({program.value(input).type.type, (*bound)[input]});
        }
        try {
            static_cast<void>(region.valuesAt(inputs));
        } catch (Error const&) {
            return false;
        }
    }
    return true;
}

} // namespace

bool isIn(Members const& members, StepId id) {
    return std::find(members.begin(), members.end(), id) != members.end();
}

bool isSeenOutside(Program const& program, Members const& members, ValueId id) {
    Value const& value = program.value(id);
    return !value.isPrivate() ||
           std::any_of(value.users().begin(), value.users().end(),
                       [&](Use const& use) { return !isIn(members, use.step); });
}

Step regionStep(Program const& program, Members const& members) {
    std::vector<ValueId> inputs;
    for (StepId const id : members) {
        for (ValueId const input : inputsOf(program.step(id))) {
            bool const inner = isIn(members, program.value(input).producer());
            if (!inner && std::find(inputs.begin(), inputs.end(), input) == inputs.end()) {
                inputs.push_back(input);
            }
        }
    }
    std::unordered_map<ValueId, int32_t> numbers;
    for (ValueId const input : inputs) {
        numbers.emplace(input, static_cast<int32_t>(numbers.size()));
    }
    auto region = std::make_unique<Region>(static_cast<int32_t>(inputs.size()));
    std::vector<ValueId> outputs;
    std::vector<int32_t> results;
    std::string name;
    bool pinned = false;
    for (StepId const id : members) {
        Step const& step = program.step(id);
        pinned = pinned || step.pinned;
        std::vector<int32_t> operands;
        for (ValueId const input : inputsOf(step)) {
            operands.push_back(numbers.at(input));
        }
        ValueId const output = step.outputs()[0];
        numbers[output] = region->add(opOf(program, step), std::move(operands));
        if (isSeenOutside(program, members, output)) {
            outputs.push_back(output);
            results.push_back(numbers[output]);
        }
        name += (name.empty() ? "" : " + ") + step.name;
    }
    region->setResults(std::move(results));
    Step step(std::move(inputs), std::move(outputs));
    step.name = std::move(name);
    step.op = std::move(region);
    step.pinned = pinned;
    return step;
}

Offer offerForRegion(Program const& program, Extents const& extents, Step const& region) {
    if (!fitsBounds(extents, program, region)) {
        Offer offer;
        offer.refusal = "its shapes do not fit each other at the bounds of the profiles";
        return offer;
    }
    return offerFor(program, extents, region);
}

Members slicesFor(Program const& program, Members const& members) {
    Members slices;
    for (StepId const id : members) {
        for (ValueId const input : program.step(id).inputs()) {
            Step const* const step = program.producerOf(input);
            if (step == nullptr || isIn(slices, program.value(input).producer()) ||
                isSeenOutside(program, members, input)) {
                continue;
            }
            graph::ShapeExpr const& shape = program.value(input).shape;
            bool const known = shape.rank > 0 && program.pool.constantOr(shape[shape.rank - 1]) > 0;
            if (known && startOfSlice(program, *step).has_value()) {
                slices.push_back(program.value(input).producer());
            }
        }
    }
    return slices;
}

} // namespace kiln::compiler
