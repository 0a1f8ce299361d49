// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "compiler/nesting_finder.h"
#include "compiler/nesting_order.h"

namespace kiln::compiler {

/// Bodies before what is around them, because a block reads what its bodies read.
void NestingFinder::fillPlaces() {
    std::vector<std::vector<PlacedItem>> items(nesting_.places_.size());
    for (Item const item : order_) {
        if (isEnd(item)) {
            auto const block = static_cast<BlockId>(blockOf(item));
            items[indexOf(nesting_.block(block).place)].push_back({nullptr, block});
        } else if (item < nodes_.size() && partOf(*nodes_[item]) < 0) {
            items[indexOf(places_[item])].push_back({nodes_[item], BlockId::kNone});
        }
    }
    for (std::size_t i = items.size(); i-- > 0;) {
        fillPlace(static_cast<PlaceId>(i), std::move(items[i]));
    }
}

/// The place where a tensor comes from.
PlaceId NestingFinder::homeOf(graph::Tensor const& tensor) const {
    if (tensor.producer == nullptr) {
        return PlaceId::kOutside;
    }
    Item const item = number_.at(tensor.producer);
    int32_t const part = partOf(*tensor.producer);
    if (part < 0) {
        return places_[item];
    }
    std::size_t const block = blockOfPart_.at(part);
    bool const isResult = before_[item].front() == endOf(block);
    return isResult ? nesting_.blocks_[block].place : nesting_.blocks_[block].bodies[0];
}

void NestingFinder::fillPlace(PlaceId id, std::vector<PlacedItem> items) {
    FlowPlace& place = nesting_.places_[indexOf(id)];
    std::vector<graph::Tensor*> ending; // what the end of the block reads here
    graph::Tensor* tested = nullptr;
    for (FlowBlock const& block : nesting_.blocks_) {
        for (std::size_t body = 0; body < 2; ++body) {
            if (block.bodies[body] == id) {
                ending = innerTensors(block, body);
                tested = block.repeats ? block.condition : nullptr;
            }
        }
    }
    if (tested != nullptr) { // first, so that only what it depends on precedes it
        items.insert(items.begin(), PlacedItem());
    }
    std::unordered_map<graph::Node const*, std::size_t> local; // which item makes a node's outputs
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (items[i].node != nullptr) {
            local.emplace(items[i].node, i);
        } else if (items[i].block != BlockId::kNone) {
            for (graph::Node const* result : nesting_.block(items[i].block).outputs) {
                local.emplace(result, i);
            }
        }
    }
    std::unordered_set<graph::Tensor const*> known;
    auto const read = [&](graph::Tensor* tensor, std::vector<std::size_t>* before) {
        graph::Tensor* const own = Nesting::origin(tensor);
        if (own == nullptr) {
            return;
        }
        if (homeOf(*own) != id) {
            if (id != PlaceId::kOutside && known.insert(own).second) {
                place.reads.push_back(own);
            }
        } else if (auto const found = local.find(own->producer);
                   before != nullptr && found != local.end()) {
            before->push_back(found->second);
        }
    };
    std::vector<std::vector<std::size_t>> before(items.size());
    for (std::size_t i = 0; i < items.size(); ++i) {
        std::vector<graph::Tensor*> reads;
        if (items[i].isTest()) {
            reads = {tested};
        } else if (items[i].node != nullptr) {
            reads = items[i].node->inputs;
        } else {
            FlowBlock const& block = nesting_.block(items[i].block);
            reads = outerTensors(block);
            for (std::size_t body = 0; body < (block.repeats ? 1U : 2U); ++body) {
                std::vector<graph::Tensor*> const& inside =
                    nesting_.place(block.bodies[body]).reads;
                reads.insert(reads.end(), inside.begin(), inside.end());
            }
        }
        for (graph::Tensor* tensor : reads) {
            read(tensor, &before[i]);
        }
    }
    for (graph::Tensor* tensor : ending) {
        read(tensor, nullptr);
    }
    auto const onCycle = [&](std::size_t i) {
        failCycle(items[i].node != nullptr ? number_.at(items[i].node)
                                           : endOf(indexOf(items[i].block)));
    };
    for (std::size_t const i : orderedBy(before, onCycle)) {
        place.items.push_back(items[i]);
    }
}

} // namespace kiln::compiler
