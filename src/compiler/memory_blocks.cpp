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
            for (int32_t const output : step.outputs) {
                write(output, i);
            }
            for (int32_t const input : step.inputs) {
                read(input, i);
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
        for (std::size_t i = 0; i < document_.tensors.size(); ++i) {
            document_.tensors[i].offset = blocks_[ownerOf(static_cast<int32_t>(i))].offset;
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
    std::size_t ownerOf(int32_t index) const {
        int32_t const shared = document_.tensors[static_cast<std::size_t>(index)].sharesWith;
        return static_cast<std::size_t>(shared < 0 ? index : shared);
    }

    void write(int32_t tensor, int32_t step) {
        std::size_t const slot = ownerOf(tensor);
        if (document_.tensors[slot].role != plan::TensorRole::kInternal) {
            return;
        }
        Block& block = blocks_[slot];
        if (block.bytes == 0) {
            block = {bytes_[slot], step, step, 0};
        }
        block.last = std::max(block.last, step);
    }

    void read(int32_t tensor, int32_t step) {
        if (tensor != plan::kAbsent) {
            Block& block = blocks_[ownerOf(tensor)];
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
            for (int32_t const result : body.outputs) {
                read(result, end);
            }
            if (record.kind != plan::ControlKind::kRepeat) {
                continue;
            }
            for (int32_t const input : body.inputs) {
                read(input, end);
            }
        }
        for (int32_t const output : stepAt(control).outputs) { // written behind each body
            read(output, end);
        }
    }

    plan::Document& document_;
    std::vector<uint64_t> bytes_;
    std::vector<Block> blocks_; ///< by tensor, then by step
};

} // namespace

void placeTensors(plan::Document& document) {
    Placer(document).run();
}

} // namespace kiln::compiler
