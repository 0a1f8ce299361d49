// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

#include "kiln/api/weights.h"

namespace kiln::graph {

/// The names that a network gives to its weights, for refit. Weights are memory of the user: equal
/// addresses are the same weights.
class WeightNames {
public:
    struct Entry {
        nvinfer1::Weights weights{};
        std::string name;
        bool marked = false; ///< as refittable, one by one
    };

    /// Null if the weights have no name.
    Entry const* find(nvinfer1::Weights const& weights) const {
        auto const found = entries_.find(weights.values);
        bool const same = found != entries_.end() && found->second.weights.type == weights.type &&
                          found->second.weights.count == weights.count;
        return same ? &found->second : nullptr;
    }
    Entry const* find(std::string_view name) const {
        auto const found = byName_.find(name);
        return found == byName_.end() ? nullptr : &entries_.at(found->second);
    }

    /// Gives the weights a name that no others have. Strong exception safety.
    void set(nvinfer1::Weights const& weights, std::string_view name) {
        Entry entry{weights, std::string(name), false};
        std::string key(name);
        auto const [place, isNew] = entries_.try_emplace(weights.values);
        try {
            byName_.emplace(std::move(key), weights.values);
        } catch (...) {
            if (isNew) {
                entries_.erase(place);
            }
            throw;
        }
        if (!isNew && place->second.name != entry.name) {
            byName_.erase(place->second.name);
        }
        place->second = std::move(entry);
    }
    void clear(nvinfer1::Weights const& weights) {
        if (auto const found = entries_.find(weights.values); found != entries_.end()) {
            byName_.erase(found->second.name);
            entries_.erase(found);
        }
    }
    /// Returns false if no weights have the name.
    bool mark(std::string_view name, bool on) {
        auto const found = byName_.find(name);
        if (found == byName_.end()) {
            return false;
        }
        entries_.at(found->second).marked = on;
        return true;
    }

private:
    std::unordered_map<void const*, Entry> entries_;
    std::map<std::string, void const*, std::less<>> byName_;
};

} // namespace kiln::graph
