// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/memory_layout.h"

#include <algorithm>

#include "runtime/memory_plan.h"
#include "runtime/plan_shapes.h"

namespace kiln::runtime {
namespace {

class Placer {
public:
    Placer(plan::Document const& document, Table<plan::TensorId, uint64_t> capacity,
           std::vector<uint64_t> workspaces)
        : document_(document), blocks_(document.tensors.size()) {
        layout_.capacity = std::move(capacity);
        layout_.workspaces = std::move(workspaces);
    }

    MemoryLayout run() {
        collect();
        for (std::size_t i = 0; i < document_.steps.size(); ++i) {
            auto const step = static_cast<int32_t>(i);
            blocks_.push_back({layout_.workspaces[i], step, step, 0});
        }
        layout_.bytes = planMemory(blocks_);
        layout_.offsets.resize(document_.tensors.size());
        for (plan::TensorId const i : document_.tensors.ids()) {
            layout_.offsets[i] = blocks_[indexOf(ownerOf(i))].offset;
        }
        for (std::size_t i = 0; i < document_.steps.size(); ++i) {
            layout_.workspaceOffsets.push_back(blocks_[document_.tensors.size() + i].offset);
        }
        return std::move(layout_);
    }

    Table<plan::TensorId, Life> lives() {
        collect();
        Table<plan::TensorId, Life> found(document_.tensors.size());
        for (plan::TensorId const i : document_.tensors.ids()) {
            Block const& block = blocks_[indexOf(ownerOf(i))];
            found[i] = {block.first, block.last};
        }
        return found;
    }

private:
    /// Finds out when each tensor is in use.
    void collect() {
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
        keepUnwritten();
    }

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
            block = {layout_.capacity[slot], step, step, 0};
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

    /// What no step writes has no time: it must not lie over the end of the memory.
    void keepUnwritten() {
        auto const last = static_cast<int32_t>(document_.steps.size()) - 1;
        for (plan::TensorId const i : document_.tensors.ids()) {
            Block& block = blocks_[indexOf(i)];
            if (document_.tensors[i].role == plan::TensorRole::kInternal && ownerOf(i) == i &&
                block.bytes == 0 && last >= 0) {
                block = {layout_.capacity[i], 0, last, 0};
            }
        }
    }

    plan::Document const& document_;
    std::vector<Block> blocks_; ///< by tensor, then by step
    MemoryLayout layout_;
};

std::vector<uint64_t> workspacesOf(plan::Document const& document, std::size_t profile) {
    std::vector<uint64_t> bytes;
    for (plan::StepRecord const& step : document.steps) {
        bytes.push_back(step.workspaceFor(profile));
    }
    return bytes;
}

} // namespace

MemoryLayout layOut(plan::Document const& document, Table<plan::TensorId, uint64_t> capacity,
                    std::vector<uint64_t> workspaces) {
    return Placer(document, std::move(capacity), std::move(workspaces)).run();
}

Table<plan::TensorId, Life> livesOf(plan::Document const& document,
                                    Table<plan::TensorId, uint64_t> capacity) {
    return Placer(document, std::move(capacity), {}).lives();
}

MemoryLayout layoutOfPlan(plan::Document const& document,
                          Table<plan::TensorId, uint64_t> const& capacity) {
    MemoryLayout layout;
    layout.bytes = document.arenaBytes;
    layout.capacity = capacity;
    for (plan::TensorRecord const& tensor : document.tensors) {
        layout.offsets.push_back(tensor.offset);
    }
    for (plan::StepRecord const& step : document.steps) {
        layout.workspaces.push_back(step.workspaceBytes);
        layout.workspaceOffsets.push_back(step.workspaceOffset);
    }
    return layout;
}

MemoryLayout layOutProfile(plan::Document const& document, std::size_t profile) {
    MemoryLayout own =
        layOut(document, capacities(document, profile), workspacesOf(document, profile));
    return own.bytes < document.arenaBytes ? std::move(own)
                                           : layoutOfPlan(document, capacities(document));
}

void placeTensors(plan::Document& document) {
    std::vector<uint64_t> workspaces;
    for (plan::StepRecord const& step : document.steps) {
        workspaces.push_back(step.workspaceBytes);
    }
    MemoryLayout const layout = layOut(document, capacities(document), std::move(workspaces));
    document.arenaBytes = layout.bytes;
    for (plan::TensorId const i : document.tensors.ids()) {
        document.tensors[i].offset = layout.offsets[i];
    }
    for (std::size_t i = 0; i < document.steps.size(); ++i) {
        document.steps[i].workspaceOffset = layout.workspaceOffsets[i];
    }
}

} // namespace kiln::runtime
