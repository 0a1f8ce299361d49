// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "compiler/nesting_finder.h"
#include "graph/boundary/conditional.h"
#include "graph/boundary/loop.h"

namespace kiln::compiler {
namespace {

graph::LoopOutput const* asLoopOutput(graph::Node const& node) {
    return dynamic_cast<graph::LoopOutput const*>(node.op.get());
}

} // namespace

void NestingFinder::collect() {
    for (graph::Node* node : network_.ordered()) {
        if (needed_.count(node) == 0) {
            continue;
        }
        if (partOf(*node) >= 0) {
            addToBlock(*node);
        }
        bool const isName = node->op->kind() == graph::ConditionalInput::kKind;
        if (!isLimit(*node) && !isName) {
            number_.emplace(node, nodes_.size());
            nodes_.push_back(node);
        }
    }
    for (FlowBlock const& block : nesting_.blocks_) {
        checkBlock(block);
    }
}

void NestingFinder::addToBlock(graph::Node& node) {
    auto const [found, added] = blockOfPart_.try_emplace(partOf(node), nesting_.blocks_.size());
    if (added) {
        nesting_.blocks_.emplace_back();
        nesting_.blocks_.back().first = &node;
    }
    FlowBlock& block = nesting_.blocks_[found->second];
    switch (node.op->layerType()) {
    case nvinfer1::LayerType::kTRIP_LIMIT: {
        bool const counts =
            static_cast<graph::TripLimit const&>(*node.op).limit == nvinfer1::TripLimit::kCOUNT;
        (counts ? block.count : block.condition) = Nesting::origin(node.inputs[0]);
        break;
    }
    case nvinfer1::LayerType::kCONDITION: block.condition = Nesting::origin(node.inputs[0]); return;
    case nvinfer1::LayerType::kCONDITIONAL_OUTPUT: block.outputs.push_back(&node); return;
    case nvinfer1::LayerType::kRECURRENCE: block.recurrences.push_back(&node); break;
    case nvinfer1::LayerType::kITERATOR: block.iterators.push_back(&node); break;
    default: block.outputs.push_back(&node);
    }
    block.repeats = true;
}

void NestingFinder::checkBlock(FlowBlock const& block) const {
    graph::Node const& first = *block.first;
    if (!block.repeats && block.condition == nullptr) {
        fail(ErrorKind::kInvalidArgument,
             "[builder] layer '{}' ({}): its conditional has no condition. Set one.", first.name,
             first.op->kind());
    }
    if (block.repeats && block.condition == nullptr && block.count == nullptr) {
        fail(ErrorKind::kInvalidArgument,
             "[builder] layer '{}' ({}): its loop has no trip limit. Add one.", first.name,
             first.op->kind());
    }
    for (graph::Node const* node : block.recurrences) {
        if (node->inputs.size() < 2 || node->inputs[1] == nullptr) {
            fail(ErrorKind::kInvalidArgument,
                 "[builder] layer '{}' ({}), input 1: expected the value for the next pass, got "
                 "none. Set the input.",
                 node->name, node->op->kind());
        }
    }
    for (graph::Node const* node : block.outputs) {
        graph::Tensor const* const value = Nesting::origin(node->inputs[0]);
        if (block.repeats && asLoopOutput(*node)->isLast() &&
            (value->producer == nullptr ||
             value->producer->op->kind() != graph::Recurrence::kKind ||
             partOf(*value->producer) != partOf(*node))) {
            fail(ErrorKind::kInvalidArgument,
                 "[builder] layer '{}' ({}), last value: expected the output of a recurrence of "
                 "the same loop, got tensor '{}'. Add a recurrence whose second input is this "
                 "tensor.",
                 node->name, node->op->kind(), value->name);
        }
    }
}

std::vector<graph::Tensor*> NestingFinder::outerTensors(FlowBlock const& block) const {
    std::vector<graph::Tensor*> tensors;
    if (!block.repeats) {
        return {block.condition};
    }
    if (block.count != nullptr) {
        tensors.push_back(block.count);
    }
    for (auto const* nodes : {&block.recurrences, &block.iterators}) {
        for (graph::Node const* node : *nodes) {
            tensors.push_back(Nesting::origin(node->inputs[0]));
        }
    }
    for (graph::Node const* node : block.outputs) {
        if (!asLoopOutput(*node)->isLast()) {
            tensors.push_back(Nesting::origin(node->inputs[1]));
        }
    }
    return tensors;
}

std::vector<graph::Tensor*> NestingFinder::innerTensors(FlowBlock const& block,
                                                        std::size_t body) const {
    std::vector<graph::Tensor*> tensors;
    for (graph::Node const* node : block.recurrences) {
        tensors.push_back(Nesting::origin(node->inputs[1]));
    }
    for (graph::Node const* node : block.outputs) {
        tensors.push_back(Nesting::origin(node->inputs[body]));
    }
    if (block.repeats && block.condition != nullptr) {
        tensors.push_back(block.condition);
    }
    return tensors;
}

void NestingFinder::dependOn(std::vector<Item>& list,
                             std::vector<graph::Tensor*> const& tensors) const {
    for (graph::Tensor* tensor : tensors) {
        graph::Tensor const* const own = Nesting::origin(tensor);
        if (own != nullptr && own->producer != nullptr) {
            list.push_back(number_.at(own->producer));
        }
    }
}

std::vector<std::vector<NestingFinder::Item>> NestingFinder::dependencies() const {
    std::vector<std::vector<Item>> before(nodes_.size() + 2 * nesting_.blocks_.size());
    for (Item item = 0; item < nodes_.size(); ++item) {
        graph::Node const& node = *nodes_[item];
        if (int32_t const part = partOf(node); part >= 0) {
            std::size_t const block = blockOfPart_.at(part);
            std::vector<graph::Node*> const& results = nesting_.blocks_[block].outputs;
            bool const isResult = std::find(results.begin(), results.end(), &node) != results.end();
            before[item].push_back(isResult ? endOf(block) : beginOf(block));
        } else {
            dependOn(before[item], node.inputs);
        }
    }
    for (std::size_t i = 0; i < nesting_.blocks_.size(); ++i) {
        FlowBlock const& block = nesting_.blocks_[i];
        dependOn(before[beginOf(i)], outerTensors(block));
        before[endOf(i)].push_back(beginOf(i));
        for (std::size_t body = 0; body < (block.repeats ? 1U : 2U); ++body) {
            dependOn(before[endOf(i)], innerTensors(block, body));
        }
    }
    return before;
}

void NestingFinder::failCycle(Item item) const {
    fail(ErrorKind::kInvalidArgument,
         "[builder] layer '{}' ({}) depends on itself through a loop or a conditional: what is "
         "computed in a loop is known outside only behind its last pass. Use the layer on one "
         "side of the loop only.",
         nodeOf(item).name, nodeOf(item).op->kind());
}

} // namespace kiln::compiler
