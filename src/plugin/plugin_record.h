// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "plugin/code/code_record.h"

namespace kiln::plugin {

/// The plugin API generation of an object. Values are part of the plan format. The last two are
/// decorated functions: just in time, and compiled into the plan.
enum class PluginStyle : uint8_t {
    kV2DynamicExt = 0,
    kV3 = 1,
    kV2 = 2,
    kV2Ext = 3,
    kV2IOExt = 4,
    kQuick = 5,
    kQuickAot = 6
};

char const* nameOf(PluginStyle style) noexcept;

/// Whether plugins of that style are IPluginV3 objects, whose state consists of fields.
bool isV3(PluginStyle style) noexcept;

/// The key under which a creator is registered.
struct PluginId {
    std::string name;
    std::string version;
    std::string space;     ///< the plugin namespace
    bool inPython = false; ///< how messages name its callbacks; not compared

    bool operator==(PluginId const& other) const {
        return name == other.name && version == other.version && space == other.space;
    }
    /// "space::name (version 1)", the form that messages use.
    std::string text() const;
};

/// A copy of one PluginField with its data.
struct FieldValue {
    std::string name;
    int32_t type = 0;   ///< PluginFieldType
    int32_t length = 0; ///< number of elements, as the plugin gave it
    Bytes data;

    bool operator==(FieldValue const&) const = default;
};

/// What a plan stores of one plugin layer: enough to create the plugin again, or to run its `code`.
struct PluginRecord {
    PluginStyle style = PluginStyle::kV3;
    PluginId id;
    bool needsPython = false;
    std::string layer;              ///< name of the layer, given to the creator
    int32_t tactic = 0;             ///< 0: none
    Bytes blob;                     ///< V2: what serialize() wrote
    std::vector<FieldValue> fields; ///< V3: what getFieldsToSerialize() gave
    std::vector<AotVariant> code;   ///< kQuickAot: by target and architecture

    bool operator==(PluginRecord const&) const = default;
};

} // namespace kiln::plugin
