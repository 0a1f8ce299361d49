// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "api/plan_libraries.h"

#include "api/global_logger.h"
#include "api/loaded_libraries.h"

namespace kiln::api {
namespace {

using plugin::CreatorTable;
using plugin::PluginLibrary;

std::shared_ptr<CreatorTable const> loadAll(plan::Document const& document,
                                            CreatorTable const& parent, HostCode const& hostCode) {
    auto table = std::make_shared<CreatorTable>(&parent);
    for (plan::LibraryRecord const& record : document.libraries) {
        std::shared_ptr<PluginLibrary> const library =
            PluginLibrary::openBytes(record.data, record.name, hostCode.ways, loggerFinder());
        for (plugin::StaticCreator const& own : library->staticCreators()) {
            table->add(*own.creator, own.space, library);
        }
        for (nvinfer1::IPluginCreatorInterface* creator : library->exportedCreators()) {
            table->add(*creator, "", library);
        }
    }
    return table;
}

} // namespace

runtime::Engine::Creators creatorsFor(PluginRegistry const& registry, HostCode hostCode) {
    CreatorTable const* const table = &registry.table();
    return [table, hostCode = std::move(hostCode)](
               plan::Document const& document) -> std::shared_ptr<CreatorTable const> {
        if (document.libraries.empty()) {
            return {std::shared_ptr<void>(), table}; // the registry's
        }
        if (!hostCode.allowed) {
            runtime::refuseLibraries(document);
        }
        return loadAll(document, *table, hostCode);
    };
}

} // namespace kiln::api
