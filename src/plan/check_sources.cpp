// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "plan/check.h"

namespace kiln::plan {
namespace {

/// Whether a name is an ASCII identifier, which Python can import.
bool isModuleName(std::string const& name) {
    auto const letter = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    };
    auto const digit = [](char c) { return c >= '0' && c <= '9'; };
    return !name.empty() && !digit(name.front()) &&
           std::all_of(name.begin(), name.end(), [&](char c) { return letter(c) || digit(c); });
}

} // namespace

void checkSources(Document const& document, ErrorKind kind) {
    std::set<std::string> names;
    for (SourceRecord const& source : document.sources) {
        if (!isModuleName(source.name) || source.text.empty() || source.plugins.empty()) {
            fail(kind,
                 "[plan] Python source '{}': expected the name of a module, its text and a plugin "
                 "or more, got {} bytes and {} plugins. Build the plan again.",
                 source.name, source.text.size(), source.plugins.size());
        }
        if (!names.insert(source.name).second) {
            fail(kind, "[plan] Python source '{}': expected each name once. Build the plan again.",
                 source.name);
        }
    }
}

SourceRecord const* sourceOf(Document const& document, plugin::PluginId const& id) {
    auto const found = std::find_if(
        document.sources.begin(), document.sources.end(), [&](SourceRecord const& source) {
            return std::find(source.plugins.begin(), source.plugins.end(), id) !=
                   source.plugins.end();
        });
    return found == document.sources.end() ? nullptr : &*found;
}

} // namespace kiln::plan
