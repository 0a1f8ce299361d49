// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "target/backend_registry.h"

#include <cstdlib>

#include "base/text.h"

namespace kiln::target {
namespace {

std::mutex chosenMutex;
std::string chosen; // set by setDefaultTarget; empty: not set

} // namespace

/// Generated: the one file that names the backends.
void registerAllBackends(BackendRegistry& registry);

BackendRegistry& BackendRegistry::instance() {
    static BackendRegistry* const registry = [] {
        auto* filled = new BackendRegistry; // never destroyed: engines may outlive static objects
        registerAllBackends(*filled);
        return filled;
    }();
    return *registry;
}

void BackendRegistry::add(std::string_view name, Factory factory, CurrentDevice current) {
    std::lock_guard const lock(mutex_);
    entries_.emplace(name, Entry{std::move(factory), current});
}

Backend& BackendRegistry::open(std::string_view text) {
    Target const target = parseTarget(text);
    std::lock_guard const lock(mutex_);
    auto const found = entries_.find(target.name);
    if (found == entries_.end()) {
        std::vector<std::string> known;
        for (auto const& entry : entries_) {
            known.push_back(entry.first);
        }
        fail(ErrorKind::kInvalidArgument,
             "[target] expected one of: {}; got '{}'. Set KILN_TARGET to a target of this build.",
             join(known, ", "), text);
    }
    std::unique_ptr<Backend>& backend = open_[target.text()];
    if (backend == nullptr) {
        backend = found->second.factory(target);
    }
    return *backend;
}

int32_t BackendRegistry::currentDevice(std::string_view name) const {
    std::lock_guard const lock(mutex_);
    auto const found = entries_.find(name);
    return found == entries_.end() || found->second.current == nullptr ? -1
                                                                       : found->second.current();
}

std::vector<std::string> BackendRegistry::names() const {
    std::lock_guard const lock(mutex_);
    std::vector<std::string> names;
    for (auto const& entry : entries_) {
        names.push_back(entry.first);
    }
    return names;
}

namespace {

std::string firstThatOpens() {
    BackendRegistry& registry = BackendRegistry::instance();
    for (std::string const& name : registry.names()) {
        if (name != "cpu") {
            try {
                registry.open(name);
                return name;
            } catch (Error const&) { // not usable here; cpu always is
            }
        }
    }
    return "cpu";
}

} // namespace

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
    static std::string const automatic = firstThatOpens(); // cached: each buffer calls this
    return automatic;
}

void setDefaultTarget(std::string_view target) {
    if (!target.empty()) {
        BackendRegistry::instance().open(target);
    }
    std::lock_guard const lock(chosenMutex);
    chosen = target;
}

} // namespace kiln::target
