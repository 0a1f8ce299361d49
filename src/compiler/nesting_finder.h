// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string_view>

#include "compiler/nesting.h"

namespace kiln::compiler {

/// The number of the loop or conditional at whose border a node stands; -1: another node, or an
/// input of a conditional, which is no border.
int32_t partOf(graph::Node const& node);
/// Whether it is a limit of a loop, or the condition of a conditional.
bool isLimit(graph::Node const& node);

/// Fills a Nesting. Works on items: the needed layers, and the beginning and the end of each block.
/// Recurrences and iterators depend on the beginning of their loop, results on the end of their
/// block, which depends on all that decides or makes results; so the items form no cycle.
class NestingFinder {
public:
    NestingFinder(graph::Network const& network,
                  std::unordered_set<graph::Node const*> const& needed, Nesting& nesting)
        : network_(network), needed_(needed), nesting_(nesting) {}

    void run();

private:
    using Item = std::size_t;
    using Loops = std::set<BlockId>;

    // nesting_parts.cpp: what there is.
    void collect();
    void addToBlock(graph::Node& node);
    void checkBlock(FlowBlock const& block) const;
    /// What a block reads where it lies, not in its bodies.
    std::vector<graph::Tensor*> outerTensors(FlowBlock const& block) const;
    /// What its end reads in a body.
    std::vector<graph::Tensor*> innerTensors(FlowBlock const& block, std::size_t body) const;
    Item beginOf(std::size_t block) const { return nodes_.size() + 2 * block; }
    Item endOf(std::size_t block) const { return beginOf(block) + 1; }
    std::vector<std::vector<Item>> dependencies() const;
    void dependOn(std::vector<Item>& list, std::vector<graph::Tensor*> const& tensors) const;
    [[noreturn]] void failCycle(Item item) const;

    // nesting_finder.cpp: where it lies.
    void findLoops();
    void addOuterLoops();
    BlockId innermost(Loops const& loops, graph::Node const& node) const;
    BlockId innermostOf(Item item) const;
    void holdAssertions();
    void place();
    void placeLayer(Item item);
    void placeBlock(std::size_t block);
    void use(graph::Tensor const* tensor, PlaceId place);
    PlaceId bodyOf(BlockId loop) const;
    PlaceId common(PlaceId a, PlaceId b) const;
    PlaceId settled(PlaceId users, BlockId loop, graph::Node const& node) const;

    // nesting_items.cpp: the order inside of bodies.
    void fillPlaces();
    void fillPlace(PlaceId id, std::vector<PlacedItem> items);
    PlaceId homeOf(graph::Tensor const& tensor) const;

    graph::Node const& nodeOf(Item item) const {
        return item < nodes_.size() ? *nodes_[item] : *nesting_.blocks_[blockOf(item)].first;
    }
    std::size_t blockOf(Item item) const { return (item - nodes_.size()) / 2; }
    bool isEnd(Item item) const { return item >= nodes_.size() && (item - nodes_.size()) % 2 == 1; }

    graph::Network const& network_;
    std::unordered_set<graph::Node const*> const& needed_;
    Nesting& nesting_;
    std::vector<graph::Node*> nodes_; ///< layers, results, recurrences and iterators
    std::unordered_map<graph::Node const*, Item> number_;
    std::unordered_map<int32_t, std::size_t> blockOfPart_;
    std::vector<std::vector<Item>> before_;
    std::vector<Item> order_;
    std::vector<Loops> loops_;    ///< by item: those whose passes it depends on
    std::vector<Loops> around_;   ///< by block: the loops that it lies in
    std::vector<PlaceId> users_;  ///< by item: where it is read
    std::vector<PlaceId> places_; ///< by item
};

} // namespace kiln::compiler
