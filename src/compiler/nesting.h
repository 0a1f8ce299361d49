// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// A network says where values enter and leave its loops and conditionals. This finds which layers
// lie between, and in which order bodies and layers run.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/ids.h"
#include "graph/network.h"

namespace kiln::compiler {

enum class PlaceId : int32_t { kNone = -1, kOutside = 0 };
enum class BlockId : int32_t { kNone = -1 };

/// A loop or a conditional, with the layers at its border that the network's outputs need.
struct FlowBlock {
    bool repeats = false;
    graph::Node const* first = nullptr; ///< one of these layers, for messages
    graph::Tensor* count = nullptr;     ///< of a loop: the number of passes; null: no limit
    graph::Tensor* condition = nullptr; ///< of a pass (or null), or of a conditional
    std::vector<graph::Node*> recurrences;
    std::vector<graph::Node*> iterators;
    std::vector<graph::Node*> outputs;
    PlaceId place = PlaceId::kNone; ///< where it lies
    PlaceId bodies[2] = {PlaceId::kNone, PlaceId::kNone};
};

/// A layer, a loop or conditional as a whole, or the test of a pass: all in front of it is needed
/// for the condition.
struct PlacedItem {
    graph::Node* node = nullptr;
    BlockId block = BlockId::kNone;

    bool isTest() const noexcept { return node == nullptr && block == BlockId::kNone; }
};

/// The network outside of all bodies, or a body.
struct FlowPlace {
    PlaceId parent = PlaceId::kNone;
    bool repeats = false;          ///< the body of a loop
    std::vector<PlacedItem> items; ///< producers before users
    /// What it reads of its surroundings, bodies in it included, each once.
    std::vector<graph::Tensor*> reads;
};

/// Whether a node stands at the border of a loop or conditional. Inputs of conditionals do not.
bool isBorder(graph::Node const& node);
/// Whether it gives a loop its number of passes.
bool countsPasses(graph::Node const& node);

/// The nodes that the outputs of a network and its assertions need.
std::unordered_set<graph::Node const*> neededNodes(graph::Network const& network);

/// Bodies and order of a network. A layer is in a loop if it depends on one of its recurrences or
/// iterators. It is in a branch if nothing else needs it. Whatever a loop does not change stays in
/// front of it.
class Nesting {
public:
    /// The network must have been inferred. Throws kInvalidArgument if the blocks do not nest, a
    /// block lacks a part, or a value leaves a loop other than by a loop output.
    Nesting(graph::Network const& network, std::unordered_set<graph::Node const*> const& needed);

    FlowPlace const& place(PlaceId id) const { return places_[indexOf(id)]; }
    FlowBlock const& block(BlockId id) const { return blocks_[indexOf(id)]; }

    /// The tensor itself: inputs of conditionals only give another name to a tensor.
    static graph::Tensor* origin(graph::Tensor* tensor);

private:
    friend class NestingFinder;

    std::vector<FlowPlace> places_;
    std::vector<FlowBlock> blocks_;
};

} // namespace kiln::compiler
