// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// The names of a graph, in front of those of the graphs around it. A function sees none of the
// latter.
#pragma once

#include "onnx/value.h"

#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace kiln::onnx {

class Scope {
public:
    // The graph of a model.
    Scope() = default;
    // A graph inside of another one: it sees the values of `outer`, which may be null. The names of
    // its values begin with `prefix` in the network.
    Scope(Scope* outer, int32_t depth, std::string prefix)
        : outer_(outer), depth_(depth), prefix_(std::move(prefix)) {}
    Scope(Scope const&) = delete;
    Scope& operator=(Scope const&) = delete;

    // The value of a name here or around; null if there is none. The pointer stays valid.
    Value* find(std::string_view name) {
        for (Scope* at = this; at != nullptr; at = at->outer_) {
            if (auto const found = at->values_.find(name); found != at->values_.end()) {
                Entry& entry = found->second;
                return entry.alias != nullptr ? entry.alias : &entry.own;
            }
        }
        return nullptr;
    }

    // Both return false if the graph itself has the name already.
    bool define(std::string const& name, Value const& value) {
        return values_.emplace(name, Entry{value, nullptr}).second;
    }
    // Another name for a value that lives longer.
    bool defineAlias(std::string const& name, Value* value) {
        return values_.emplace(name, Entry{Value(), value}).second;
    }

    std::string fullName(std::string_view name) const {
        return prefix_.empty() ? std::string(name) : prefix_ + "/" + std::string(name);
    }
    int32_t depth() const { return depth_; }

private:
    struct Entry {
        Value own;
        Value* alias;
    };

    Scope* outer_ = nullptr;
    int32_t depth_ = 0;
    std::string prefix_;
    std::map<std::string, Entry, std::less<>> values_;
};

} // namespace kiln::onnx
