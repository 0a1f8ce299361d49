// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "backend/backend_registry.h"

#include <cstdlib>

#include "base/text.h"

namespace kiln::backend {
namespace {

std::mutex chosenMutex;
std::string chosen; // by setDefaultTarget; empty: not chosen

} // namespace

/// Generated: the one file that names the backends.
void registerAllBackends(BackendRegistry& registry);

BackendRegistry& BackendRegistry::instance() {
    static BackendRegistry* const registry = [] {
        auto* filled = new BackendRegistry; // engines may outlive static objects: never destroyed
        registerAllBackends(*filled);
        return filled;
    }();
    return *registry;
}

void BackendRegistry::add(std::string_view name, Factory factory) {
    std::lock_guard const lock(mutex_);
    entries_.emplace(name, Entry{std::move(factory), nullptr});
}

Backend& BackendRegistry::open(std::string_view name) {
    std::lock_guard const lock(mutex_);
    auto const found = entries_.find(name);
    if (found == entries_.end()) {
        std::vector<std::string> known;
        for (auto const& entry : entries_) {
            known.push_back(entry.first);
        }
        fail(ErrorKind::kInvalidArgument,
             "[target] expected one of: {}; got '{}'. Set KILN_TARGET to a target of this build.",
             join(known, ", "), name);
    }
    Entry& entry = found->second;
    if (entry.backend == nullptr) {
        entry.backend = entry.factory();
    }
    return *entry.backend;
}

std::vector<std::string> BackendRegistry::names() const {
    std::lock_guard const lock(mutex_);
    std::vector<std::string> names;
    for (auto const& entry : entries_) {
        names.push_back(entry.first);
    }
    return names;
}

std::string defaultTarget() {
    {
        std::lock_guard const lock(chosenMutex);
        if (!chosen.empty()) {
            return chosen;
        }
    }
    if (char const* wanted = std::getenv("KILN_TARGET"); wanted != nullptr && *wanted != '\0') {
        return wanted;
    }
    BackendRegistry& registry = BackendRegistry::instance();
    for (std::string const& name : registry.names()) {
        if (name != "cpu") {
            try {
                registry.open(name);
                return name;
            } catch (Error const&) { // not usable here: the cpu always is
            }
        }
    }
    return "cpu";
}

void setDefaultTarget(std::string_view name) {
    if (!name.empty()) {
        BackendRegistry::instance().open(name);
    }
    std::lock_guard const lock(chosenMutex);
    chosen = name;
}

} // namespace kiln::backend
