// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "plan/decode_values.h"

namespace kiln::plan {

void decodeSources(fb::Plan const& plan, PartReader& libraries, Budget& budget,
                   Document& document) {
    decodeAll(plan.sources(), budget, document.sources, [&](fb::Source const& source) {
        SourceRecord record;
        record.name = decodeText(source.name(), budget);
        decodeAll(source.plugins(), budget, record.plugins, [&](fb::PluginName const& plugin) {
            return plugin::PluginId{decodeText(plugin.name(), budget),
                                    decodeText(plugin.version(), budget),
                                    decodeText(plugin.space(), budget)};
        });
        record.text = libraries.view(source.bytes(), record.name);
        return record;
    });
    libraries.finish();
}

} // namespace kiln::plan
