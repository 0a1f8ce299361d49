// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Typed access to the attributes of a node. Records which attributes were read, so that unknown
// ones can be reported.
#pragma once

#include "onnx/proto/messages.h"

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace kiln::onnx {

class Attributes {
public:
    // Throws ImportError if two attributes have one name. Keeps a reference to the node.
    explicit Attributes(NodeProto const& node);

    bool has(std::string_view name) const { return byName_.contains(name); }

    // The value, or the default if the attribute is absent; ImportError if it has another type.
    int64_t integer(std::string_view name, int64_t otherwise);
    bool flag(std::string_view name, bool otherwise);
    float real(std::string_view name, float otherwise);
    std::string string(std::string_view name, std::string_view otherwise);
    std::vector<int64_t> integers(std::string_view name, std::vector<int64_t> otherwise);

    // The attribute itself; null if it is absent.
    AttributeProto const* find(std::string_view name);

    // Names of the attributes that were not read.
    std::vector<std::string> unused() const;

private:
    AttributeProto const* find(std::string_view name, AttributeType type);

    std::map<std::string, AttributeProto const*, std::less<>> byName_;
    std::set<std::string, std::less<>> used_;
};

std::string_view nameOf(AttributeType type);

} // namespace kiln::onnx
