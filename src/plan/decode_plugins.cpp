// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "plan/decode_values.h"

namespace kiln::plan {

void decodePlugins(fb::Plan const& plan, PartReader& states, Budget& budget, Document& document) {
    decodeAll(plan.plugins(), budget, document.plugins, [&](fb::Plugin const& plugin) {
        plugin::PluginRecord record;
        record.style = static_cast<plugin::PluginStyle>(plugin.style());
        record.id.name = decodeText(plugin.name(), budget);
        record.id.version = decodeText(plugin.version(), budget);
        record.id.space = decodeText(plugin.space(), budget);
        record.needsPython = plugin.needs_python();
        record.id.inPython = record.needsPython;
        record.layer = decodeText(plugin.layer(), budget);
        record.tactic = plugin.tactic();
        record.blob = states.take(plugin.bytes(), record.layer);
        decodeAll(plugin.fields(), budget, record.fields, [&](fb::Field const& field) {
            plugin::FieldValue value;
            value.name = decodeText(field.name(), budget);
            value.type = field.type();
            value.length = field.length();
            value.data = states.take(field.bytes(), record.layer);
            return value;
        });
        return record;
    });
    states.finish();
}

} // namespace kiln::plan
