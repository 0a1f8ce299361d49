// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/memory_blocks.h"

#include <algorithm>

#include "compiler/memory_plan.h"
#include "runtime/plan_shapes.h"

namespace kiln::compiler {
namespace {

class Placer {
public:
    explicit Placer(plan::Document& document)
        : document_(document), bytes_(runtime::capacities(document)),
          blocks_(document.tensors.size()) {}

    void run() {
        auto const count = static_cast<int32_t>(document_.steps.size());
        for (int32_t i = 0; i < count; ++i) {
            plan::StepRecord const& step = stepAt(i);
            for (plan::TensorId const output : step.outputs) {
                write(output, i);
            }
            for (plan::TensorId const input : step.inputs) {
                read(input, i);
            }
            for (plan::TensorId const slice :
                 step.control.has_value() ? step.control->slices : std::vector<plan::TensorId>()) {
                write(slice, i);
            }
            if (step.control.has_value()) {
                for (plan::FoundExtent const& extent : step.control->extents) {
                    write(extent.size, i);
                }
            }
        }
        for (int32_t i = 0; i < count; ++i) {
            if (stepAt(i).control.has_value()) {
                keepForBodies(i);
            }
        }
        for (plan::StepRecord const& step : document_.steps) {
            auto const at = static_cast<int32_t>(&step - document_.steps.data());
            blocks_.push_back({step.workspaceBytes, at, at, 0});
        }
        document_.arenaBytes = planMemory(blocks_);
        for (plan::TensorId const i : document_.tensors.ids()) {
            document_.tensors[i].offset = blocks_[indexOf(ownerOf(i))].offset;
        }
        for (std::size_t i = 0; i < document_.steps.size(); ++i) {
            document_.steps[i].workspaceOffset = blocks_[document_.tensors.size() + i].offset;
        }
    }

private:
    plan::StepRecord const& stepAt(int32_t index) const {
        return document_.steps[static_cast<std::size_t>(index)];
    }

    /// The tensor whose memory a tensor uses.
    plan::TensorId ownerOf(plan::TensorId tensor) const {
        plan::TensorId const shared = document_.tensors[tensor].sharesWith;
        return shared.isNone() ? tensor : shared;
    }

    void write(plan::TensorId tensor, int32_t step) {
        plan::TensorId const slot = ownerOf(tensor);
        if (document_.tensors[slot].role != plan::TensorRole::kInternal) {
            return;
        }
        Block& block = blocks_[indexOf(slot)];
        if (block.bytes == 0) {
            block = {bytes_[slot], step, step, 0};
        }
        block.last = std::max(block.last, step);
    }

    void read(plan::TensorId tensor, int32_t step) {
        if (tensor != plan::kAbsent) {
            Block& block = blocks_[indexOf(ownerOf(tensor))];
            block.last = std::max(block.last, step);
        }
    }

    /// Results are copied behind the last step of a body. The next pass reads what this one read
    /// from outside.
    void keepForBodies(int32_t control) {
        plan::ControlRecord const& record = *stepAt(control).control;
        int32_t end = control;
        for (plan::Body const& body : record.bodies) {
            end += body.steps;
            for (plan::TensorId const result : body.outputs) {
                read(result, end);
            }
            if (record.kind != plan::ControlKind::kRepeat) {
                continue;
            }
            for (plan::TensorId const input : body.inputs) {
                read(input, end);
            }
            for (std::size_t i = 0; i < record.slices.size(); ++i) {
                read(record.slices[i], end);
                read(stepAt(control).inputs[static_cast<std::size_t>(record.carried) + i], end);
            }
            if (!body.condition.isNone()) { // read behind the step that computes it
                read(body.condition, control + body.testedAfter);
            }
            // The next values exchange their memory with the current ones: see LoopValues.
            for (int32_t i = 0; i < record.carried; ++i) {
                plan::TensorId const result = body.outputs[static_cast<std::size_t>(i)];
                Block& block = blocks_[indexOf(ownerOf(result))];
                block.first = std::min(block.first, control);
            }
        }
        for (plan::TensorId const output : stepAt(control).outputs) { // written behind each body
            read(output, end);
        }
    }

    plan::Document& document_;
    Table<plan::TensorId, uint64_t> bytes_;
    std::vector<Block> blocks_; ///< by tensor, then by step
};

} // namespace

void placeTensors(plan::Document& document) {
    Placer(document).run();
}

} // namespace kiln::compiler
