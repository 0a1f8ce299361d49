// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "plugin/resource_table.h"

#include <utility>

#include "base/error.h"
#include "plugin/failure.h"
#include "plugin/late_reports.h"

namespace kiln::plugin {
namespace {

using nvinfer1::IPluginResource;

[[noreturn]] void failResource(std::string const& key, std::string const& problem) {
    std::string const reported = takeReportedText();
    fail(ErrorKind::kPlugin, "[registry] plugin resource '{}', {}{}{}", key, problem,
         reported.empty() ? "" : "\n", reported);
}

std::unique_ptr<IPluginResource> cloneOf(std::string const& key, IPluginResource& resource) {
    takeReportedText();
    std::unique_ptr<IPluginResource> clone(resource.clone());
    if (clone.get() == &resource) {
        clone.release(); // owned by the caller
        failResource(key, "clone: expected a new object, returned the object itself. Return a "
                          "copy.");
    }
    if (clone == nullptr || hasReportedText()) {
        failResource(key, clone == nullptr ? "clone: expected a new object, returned null."
                                           : "clone: raised an error");
    }
    return clone;
}

ResourceTable::Released releaseObject(std::string const& key,
                                      std::unique_ptr<IPluginResource> object) {
    takeReportedText();
    ResourceTable::Released result{object->release(), ""};
    std::string reported = takeReportedText();
    if (result.code != 0 || !reported.empty()) {
        std::string const problem = result.code == 0
                                        ? "raised an error"
                                        : fmt::format("expected 0, returned {}", result.code);
        result.code = result.code == 0 ? -1 : result.code;
        result.problem = fmt::format("[registry] plugin resource '{}', release: {}{}{}", key,
                                     problem, reported.empty() ? "" : "\n", reported);
    }
    object.reset();
    if (std::string const late = takeReportedText(); !late.empty()) {
        result.problem += fmt::format("{}[registry] plugin resource '{}', destruction: raised an "
                                      "error\n{}",
                                      result.problem.empty() ? "" : "\n", key, late);
    }
    return result;
}

/// Passes an error that a resource reported during its release to LateReports.
void takeLate(std::string const& key, char const* phase) noexcept {
    if (!hasReportedText()) {
        return;
    }
    try {
        LateReports::take(fmt::format("[registry] plugin resource '{}', {}", key, phase));
    } catch (...) {
        LateReports::take("[registry]");
    }
}

} // namespace

ResourceTable::~ResourceTable() {
    releaseAll();
}

void ResourceTable::releaseAll() noexcept {
    for (auto& [key, kept] : kept_) {
        takeReportedText(); // drops an error of an earlier callback
        kept.object->release();
        takeLate(key, "release");
        kept.object.reset();
        takeLate(key, "destruction");
    }
    kept_.clear();
}

IPluginResource* ResourceTable::use(std::string const& key) {
    std::lock_guard const lock(mutex_);
    auto const found = kept_.find(key);
    if (found == kept_.end()) {
        return nullptr;
    }
    ++found->second.users;
    return found->second.object.get();
}

IPluginResource* ResourceTable::acquire(std::string const& key, IPluginResource* resource) {
    if (key.empty()) {
        fail(ErrorKind::kInvalidArgument,
             "[registry] plugin resource: expected a key, got an empty text or null.");
    }
    if (IPluginResource* const known = use(key)) {
        return known;
    }
    if (resource == nullptr) {
        fail(ErrorKind::kInvalidArgument,
             "[registry] plugin resource '{}': expected a resource for a new key, got null. Pass "
             "the object to clone.",
             key);
    }
    Kept fresh{libraryOf(resource), cloneOf(key, *resource), 1};
    std::unique_lock lock(mutex_);
    auto const [place, added] = kept_.try_emplace(key);
    if (added) {
        place->second = std::move(fresh);
    } else { // another thread was faster
        ++place->second.users;
    }
    IPluginResource* const object = place->second.object.get();
    lock.unlock();
    if (!added) {
        releaseObject(key, std::move(fresh.object));
    }
    return object;
}

ResourceTable::Released ResourceTable::release(std::string const& key) {
    Kept last;
    {
        std::lock_guard const lock(mutex_);
        auto const found = kept_.find(key);
        if (found == kept_.end()) {
            return {-1, fmt::format("[registry] plugin resource to release: expected the key of "
                                    "one that is in use, got '{}'.",
                                    key)};
        }
        if (--found->second.users > 0) {
            return {};
        }
        last = std::move(found->second);
        kept_.erase(found);
    }
    return releaseObject(key, std::move(last.object));
}

} // namespace kiln::plugin
