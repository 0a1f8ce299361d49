// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "api/target_description.h"

#include "base/json.h"
#include "target/backend_registry.h"

namespace kiln::api {
namespace {

Json describe(target::LibraryStatus const& library) {
    if (!library.problem.empty()) {
        return Json::object("name", library.name, "problem", library.problem);
    }
    return Json::object("name", library.name, "version", library.version, "file", library.file);
}

void addTo(Json& json, target::Backend& backend) {
    json["architectures"] = backend.codeArchitectures();
    target::Device const* const device = backend.device();
    json["runs_here"] = device != nullptr;
    if (device != nullptr && !device->isHost()) {
        target::DeviceProperties const about = device->properties();
        json["device"] =
            Json::object("name", about.name, "number", device->number(), "architecture",
                         about.architecture, "memory", about.totalBytes);
    }
    json["libraries"] = Json::array();
    for (target::LibraryStatus const& library : backend.libraries()) {
        json["libraries"].push_back(describe(library));
    }
}

} // namespace

std::string targetDescription(std::string_view target) {
    Json json = Json::object("target", target, "problem", "");
    try {
        addTo(json, target::BackendRegistry::instance().open(target));
    } catch (Error const& error) {
        json["problem"] = error.what();
    }
    return json.dump();
}

} // namespace kiln::api
