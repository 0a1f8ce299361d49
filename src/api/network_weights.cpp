// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// Names of weights, and which of them can be refitted.
#include "api/network.h"
#include "base/text.h"

namespace kiln::api {

/// The weights of some layer at the address of these; null if there are none.
nvinfer1::Weights const* NetworkDefinition::weightsLike(nvinfer1::Weights const& weights) {
    auto const known = weightsInUse_.find(weights.values);
    if (known != weightsInUse_.end() && known->second.type == weights.type &&
        known->second.count == weights.count) {
        return &known->second;
    }
    weightsInUse_.clear();
    for (graph::Node const* const node : graph_.nodes()) {
        try {
            for (graph::WeightSlot const& slot :
                 node->op->weights(static_cast<int32_t>(node->inputs.size()))) {
                weightsInUse_.try_emplace(slot.weights.values, slot.weights);
            }
        } catch (Error const&) { // a layer that is not complete yet
        }
    }
    auto const found = weightsInUse_.find(weights.values);
    return found == weightsInUse_.end() ? nullptr : &found->second;
}

bool NetworkDefinition::setWeightsName(nvinfer1::Weights weights, char const* name) noexcept {
    return reporter_.guard(false, [&] {
        nvinfer1::Weights const* const used =
            weights.values == nullptr ? nullptr : weightsLike(weights);
        if (used == nullptr || used->type != weights.type || used->count != weights.count) {
            fail(ErrorKind::kInvalidArgument,
                 "[network] name '{}' of weights: expected weights that a layer has, got {} of {} "
                 "{}. Add the layer first, and pass its weights.",
                 orEmpty(name), weights.count, nameOf(weights.type),
                 used == nullptr
                     ? "at an address that none has"
                     : fmt::format("at the address of {} of {}", used->count, nameOf(used->type)));
        }
        if (name == nullptr) {
            graph_.weightNames.clear(weights);
            return true;
        }
        graph::WeightNames::Entry const* const other = graph_.weightNames.find(name);
        if (*name == '\0' || (other != nullptr && other->weights.values != weights.values)) {
            fail(ErrorKind::kInvalidArgument,
                 "[network] name '{}' of weights: expected a new name, got {}. Choose another one.",
                 name, *name == '\0' ? "an empty text" : "that of other weights");
        }
        if (other == nullptr) {
            graph_.weightNames.set(weights, name);
        }
        return true;
    });
}

bool NetworkDefinition::markWeights(char const* name, bool on) noexcept {
    return reporter_.guard(false, [&] {
        if (!graph_.weightNames.mark(orEmpty(name), on)) {
            fail(ErrorKind::kInvalidArgument,
                 "[network] refittable weights '{}': expected a name that weights have, got "
                 "another one. Name the weights first.",
                 orEmpty(name));
        }
        return true;
    });
}

bool NetworkDefinition::markWeightsRefittable(char const* name) noexcept {
    return markWeights(name, true);
}

bool NetworkDefinition::unmarkWeightsRefittable(char const* name) noexcept {
    return markWeights(name, false);
}

bool NetworkDefinition::areWeightsMarkedRefittable(char const* name) const noexcept {
    graph::WeightNames::Entry const* const entry = graph_.weightNames.find(orEmpty(name));
    return entry != nullptr && entry->marked;
}

} // namespace kiln::api
