// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "api/plan_libraries.h"

#include "api/global_logger.h"
#include "api/loaded_libraries.h"
#include "api/python_source.h"

namespace kiln::api {
namespace {

using plugin::CreatorTable;
using plugin::PluginLibrary;

std::shared_ptr<CreatorTable const> loadAll(plan::Document const& document,
                                            CreatorTable const& parent, HandOver const& ways) {
    auto table = std::make_shared<CreatorTable>(&parent);
    for (plan::LibraryRecord const& record : document.libraries) {
        std::shared_ptr<PluginLibrary> const library =
            PluginLibrary::openBytes(record.data, record.name, ways, loggerFinder());
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

runtime::Engine::Creators creatorsFor(PluginRegistry const& registry, HandOver ways,
                                      bool pythonSourceAllowed, Log log) {
    CreatorTable const* const table = &registry.table();
    return [=, ways = std::move(ways)](plan::Document const& document) {
        std::shared_ptr<CreatorTable const> const found =
            document.libraries.empty()
                ? std::shared_ptr<CreatorTable const>(std::shared_ptr<void>(), table)
                : loadAll(document, *table, ways);
        provideSources(document, *found, pythonSourceAllowed, log);
        return found;
    };
}

} // namespace kiln::api
