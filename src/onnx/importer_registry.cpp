// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/importer_registry.h"

#include "onnx/operator_table.h"

#include <utility>

namespace kiln::onnx {

// Generated from the file names of importers/.
void registerAllImporters(ImporterRegistry& registry);

void ImporterRegistry::add(std::string opType, Importer importer) {
    importers_.emplace(std::move(opType), importer);
}

// Operators of other domains have names with a dot, which no standard one has.
void ImporterRegistry::add(std::string const& domain, std::string const& opType,
                           Importer importer) {
    add(domain + "." + opType, importer);
}

Importer ImporterRegistry::find(NodeProto const& node) const {
    return isStandardDomain(node.domain) ? find(node.opType)
                                         : find(node.domain + "." + node.opType);
}

Importer ImporterRegistry::find(std::string_view opType) const {
    auto const found = importers_.find(opType);
    return found != importers_.end() ? found->second : nullptr;
}

std::vector<std::string> ImporterRegistry::names() const {
    std::vector<std::string> result;
    for (auto const& [name, importer] : importers_) {
        if (name.find('.') == std::string::npos) {
            result.push_back(name);
        }
    }
    return result;
}

ImporterRegistry const& ImporterRegistry::all() {
    static ImporterRegistry const registry = [] {
        ImporterRegistry filled;
        registerAllImporters(filled);
        return filled;
    }();
    return registry;
}

} // namespace kiln::onnx
