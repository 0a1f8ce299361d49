// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/attributes.h"

#include "onnx/import_error.h"
#include "onnx/text.h"

#include <array>
#include <utility>

namespace kiln::onnx {

std::string_view nameOf(AttributeType type) {
    static constexpr std::array<std::string_view, 15> kNames{
        "UNDEFINED",      "FLOAT",      "INT",        "STRING",  "TENSOR", "GRAPH",
        "FLOATS",         "INTS",       "STRINGS",    "TENSORS", "GRAPHS", "SPARSE_TENSOR",
        "SPARSE_TENSORS", "TYPE_PROTO", "TYPE_PROTOS"};
    auto const index = static_cast<size_t>(type);
    return index < kNames.size() ? kNames[index] : "unknown";
}

Attributes::Attributes(NodeProto const& node) {
    for (AttributeProto const& attribute : node.attributes) {
        if (!byName_.emplace(attribute.name, &attribute).second) {
            throw ImportError(ErrorCode::kINVALID_NODE,
                              text("expected one attribute '", attribute.name, "', got two."));
        }
    }
}

AttributeProto const* Attributes::find(std::string_view name) {
    auto const found = byName_.find(name);
    if (found == byName_.end()) {
        return nullptr;
    }
    used_.insert(found->first);
    return found->second;
}

AttributeProto const* Attributes::find(std::string_view name, AttributeType type) {
    AttributeProto const* attribute = find(name);
    if (attribute != nullptr && attribute->type != type) {
        throw ImportError(ErrorCode::kUNSUPPORTED_NODE_ATTR,
                          text("attribute '", name, "': expected type ", nameOf(type), ", got ",
                               nameOf(attribute->type), "."));
    }
    return attribute;
}

int64_t Attributes::integer(std::string_view name, int64_t otherwise) {
    AttributeProto const* attribute = find(name, AttributeType::kInt);
    return attribute != nullptr ? attribute->intValue : otherwise;
}

bool Attributes::flag(std::string_view name, bool otherwise) {
    int64_t const value = integer(name, otherwise ? 1 : 0);
    if (value != 0 && value != 1) {
        throw ImportError(ErrorCode::kUNSUPPORTED_NODE_ATTR,
                          text("attribute '", name, "': expected 0 or 1, got ", value, "."));
    }
    return value == 1;
}

float Attributes::real(std::string_view name, float otherwise) {
    AttributeProto const* attribute = find(name, AttributeType::kFloat);
    return attribute != nullptr ? attribute->floatValue : otherwise;
}

std::string Attributes::string(std::string_view name, std::string_view otherwise) {
    AttributeProto const* attribute = find(name, AttributeType::kString);
    return attribute != nullptr ? attribute->stringValue : std::string(otherwise);
}

std::vector<int64_t> Attributes::integers(std::string_view name, std::vector<int64_t> otherwise) {
    AttributeProto const* attribute = find(name, AttributeType::kInts);
    return attribute != nullptr ? attribute->ints : std::move(otherwise);
}

std::vector<std::string> Attributes::unused() const {
    std::vector<std::string> names;
    for (auto const& [name, attribute] : byName_) {
        if (!used_.contains(name)) {
            names.push_back(name);
        }
    }
    return names;
}

} // namespace kiln::onnx
