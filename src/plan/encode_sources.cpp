// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "plan/encode_values.h"

namespace kiln::plan {

flatbuffers::Offset<flatbuffers::Vector<flatbuffers::Offset<fb::Source>>> encodeSources(
    flatbuffers::FlatBufferBuilder& builder, std::vector<SourceRecord> const& sources) {
    if (sources.empty()) {
        return 0;
    }
    return encodeAll(builder, sources, [&](SourceRecord const& source) {
        auto const plugins = encodeAll(builder, source.plugins, [&](plugin::PluginId const& id) {
            auto const name = builder.CreateString(id.name);
            auto const version = builder.CreateString(id.version);
            auto const space = builder.CreateString(id.space);
            return fb::CreatePluginName(builder, name, version, space);
        });
        auto const name = builder.CreateString(source.name);
        return fb::CreateSource(builder, name, plugins, source.text.size());
    });
}

} // namespace kiln::plan
