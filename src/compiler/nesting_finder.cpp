// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "compiler/nesting_finder.h"

#include <algorithm>

#include "compiler/nesting_order.h"
#include "graph/boundary/assertion.h"

namespace kiln::compiler {

void NestingFinder::run() {
    collect();
    auto const onCycle = [&](Item item) { failCycle(item); };
    before_ = dependencies();
    order_ = orderedBy(before_, onCycle);
    findLoops();
    addOuterLoops();
    holdAssertions();
    order_ = orderedBy(before_, onCycle);
    place();
    fillPlaces();
}

/// By item, the loops whose passes it depends on. What leaves a loop depends on it as a whole.
void NestingFinder::findLoops() {
    loops_.resize(before_.size());
    for (Item const item : order_) {
        Loops& own = loops_[item];
        for (Item const other : before_[item]) {
            own.insert(loops_[other].begin(), loops_[other].end());
        }
        if (isEnd(item)) {
            own.erase(static_cast<BlockId>(blockOf(item)));
        } else if (item < nodes_.size() && partOf(*nodes_[item]) >= 0) {
            std::size_t const block = blockOfPart_.at(partOf(*nodes_[item]));
            if (before_[item].front() == beginOf(block)) {
                own.insert(static_cast<BlockId>(block));
            }
        }
    }
}

/// A loop in a loop that lies in a third one lies in that one, too.
void NestingFinder::addOuterLoops() {
    std::size_t const count = nesting_.blocks_.size();
    for (std::size_t i = 0; i < count; ++i) {
        around_.push_back(loops_[endOf(i)]);
    }
    for (bool grows = true; grows;) {
        grows = false;
        for (std::size_t i = 0; i < count; ++i) {
            Loops const before = around_[i];
            for (BlockId const outer : before) {
                around_[i].insert(around_[indexOf(outer)].begin(), around_[indexOf(outer)].end());
            }
            grows = grows || around_[i].size() != before.size();
            if (around_[i].count(static_cast<BlockId>(i)) != 0) {
                failCycle(endOf(i));
            }
        }
    }
}

BlockId NestingFinder::innermost(Loops const& loops, graph::Node const& node) const {
    BlockId deepest = BlockId::kNone;
    for (BlockId const loop : loops) {
        if (deepest == BlockId::kNone ||
            around_[indexOf(loop)].size() > around_[indexOf(deepest)].size()) {
            deepest = loop;
        }
    }
    for (BlockId const loop : loops) {
        if (loop != deepest && around_[indexOf(deepest)].count(loop) == 0) {
            fail(ErrorKind::kInvalidArgument,
                 "[builder] layer '{}' ({}) depends on the passes of two loops of which none lies "
                 "in the other, at layers '{}' and '{}'. Use a loop output of one of them.",
                 node.name, node.op->kind(), nesting_.block(loop).first->name,
                 nesting_.block(deepest).first->name);
        }
    }
    return deepest;
}

BlockId NestingFinder::innermostOf(Item item) const {
    if (item >= nodes_.size()) {
        return innermost(around_[blockOf(item)], nodeOf(item));
    }
    return innermost(loops_[item], *nodes_[item]);
}

/// No result depends on an assertion, but the end of its loop stands behind it.
void NestingFinder::holdAssertions() {
    for (Item item = 0; item < nodes_.size(); ++item) {
        BlockId const loop = nodes_[item]->outputs.empty() ? innermostOf(item) : BlockId::kNone;
        if (loop != BlockId::kNone) {
            before_[endOf(indexOf(loop))].push_back(item);
        }
    }
}

/// Users come before what they read, so that all places where an item is read are known.
void NestingFinder::place() {
    users_.assign(before_.size(), PlaceId::kNone);
    places_.assign(before_.size(), PlaceId::kNone);
    nesting_.places_.emplace_back();
    for (graph::Tensor* output : network_.outputs()) {
        use(output, PlaceId::kOutside);
    }
    for (auto item = order_.rbegin(); item != order_.rend(); ++item) {
        if (isEnd(*item)) {
            placeBlock(blockOf(*item));
        } else if (*item < nodes_.size()) {
            placeLayer(*item);
        }
    }
}

void NestingFinder::placeLayer(Item item) {
    graph::Node const& node = *nodes_[item];
    BlockId const loop = innermostOf(item);
    if (partOf(node) >= 0) { // it lies at the border of its block
        std::size_t const block = blockOfPart_.at(partOf(node));
        if (before_[item].front() == endOf(block)) {
            PlaceId& users = users_[endOf(block)];
            users = common(users, users_[item]);
        } else {
            static_cast<void>(settled(users_[item], loop, node));
        }
        return;
    }
    places_[item] = settled(users_[item], loop, node);
    for (graph::Tensor const* input : node.inputs) {
        use(input, places_[item]);
    }
}

void NestingFinder::placeBlock(std::size_t index) {
    FlowBlock& block = nesting_.blocks_[index];
    Item const end = endOf(index);
    block.place = settled(users_[end], innermostOf(end), *block.first);
    for (std::size_t body = 0; body < (block.repeats ? 1U : 2U); ++body) {
        block.bodies[body] = static_cast<PlaceId>(nesting_.places_.size());
        FlowPlace place;
        place.parent = block.place;
        place.repeats = block.repeats;
        nesting_.places_.push_back(std::move(place));
        for (graph::Tensor const* tensor : innerTensors(block, body)) {
            use(tensor, block.bodies[body]);
        }
    }
    for (graph::Tensor const* tensor : outerTensors(block)) {
        use(tensor, block.place);
    }
}

void NestingFinder::use(graph::Tensor const* tensor, PlaceId place) {
    graph::Tensor const* const own = Nesting::origin(const_cast<graph::Tensor*>(tensor));
    if (own != nullptr && own->producer != nullptr) {
        PlaceId& users = users_[number_.at(own->producer)];
        users = common(users, place);
    }
}

PlaceId NestingFinder::bodyOf(BlockId loop) const {
    return loop == BlockId::kNone ? PlaceId::kOutside : nesting_.block(loop).bodies[0];
}

/// The innermost place around both. Places have larger numbers than those around them.
PlaceId NestingFinder::common(PlaceId a, PlaceId b) const {
    if (a == PlaceId::kNone || b == PlaceId::kNone) {
        return a == PlaceId::kNone ? b : a;
    }
    while (a != b) {
        PlaceId& inner = a > b ? a : b;
        inner = nesting_.place(inner).parent;
    }
    return a;
}

/// Where an item goes that is read at `users` and depends on the passes of `loop`: as deep as
/// possible, but into no further loop, where it would be computed in each pass.
PlaceId NestingFinder::settled(PlaceId users, BlockId loop, graph::Node const& node) const {
    PlaceId const home = bodyOf(loop);
    if (users == PlaceId::kNone) {
        return home;
    }
    if (common(users, home) != home) {
        fail(ErrorKind::kInvalidArgument,
             "[builder] layer '{}' ({}) lies in a loop, but something outside reads its result. "
             "Let it leave the loop by a loop output.",
             node.name, node.op->kind());
    }
    PlaceId deepest = users;
    for (PlaceId at = users; at != home; at = nesting_.place(at).parent) {
        if (nesting_.place(at).repeats) {
            deepest = nesting_.place(at).parent;
        }
    }
    return deepest;
}

} // namespace kiln::compiler
