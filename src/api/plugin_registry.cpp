// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "api/plugin_registry.h"

#include <NvInfer.h>

#include "api/global_logger.h"
#include "base/message_codes.h"
#include "base/text.h"
#include "plugin/creator_table.h"

namespace kiln::api {
namespace {

using nvinfer1::IPluginCreator;
using nvinfer1::IPluginCreatorInterface;
using plugin::CreatorTable;

/// Sets the count to 0, in case the list cannot be created.
void noneYet(int32_t* count) noexcept {
    if (count != nullptr) {
        *count = 0;
    }
}

IPluginCreatorInterface* const* listIn(std::vector<IPluginCreatorInterface*>& place,
                                       std::vector<IPluginCreatorInterface*> creators,
                                       int32_t* count) {
    place = std::move(creators);
    if (count != nullptr) {
        *count = static_cast<int32_t>(place.size());
    }
    return place.empty() ? nullptr : place.data();
}

} // namespace

PluginRegistry& PluginRegistry::instance() {
    static Immortal<PluginRegistry> registry(CreatorTable::instance());
    return *registry;
}

PluginRegistry::PluginRegistry(CreatorTable& table) : table_(table), libraries_(table_) {}

PluginRegistry::PluginRegistry(Log log) : log_(log), table_(own_), libraries_(table_) {}

PluginRegistry::~PluginRegistry() {
    {
        plugin::LateReports const late(
            [this](char const* text) { report(ErrorKind::kPlugin, text); });
        resources_.releaseAll();
    }
    PluginRegistry::setErrorRecorder(nullptr);
}

Log PluginRegistry::log() const noexcept {
    return log_ ? *log_ : globalLog();
}

void PluginRegistry::report(ErrorKind kind, char const* text) const noexcept {
    std::string coded;
    text = withCode(text, coded);
    Reporter const sink(log());
    sink.report(kind, text);
    if (recorder_ != nullptr) {
        recorder_->reportError(codeOf(kind), text);
    }
}

template <typename T, typename Body>
T PluginRegistry::guard(T otherwise, Body&& body) const noexcept {
    try {
        return body();
    } catch (...) {
        Failure const failure = currentFailure();
        report(failure.kind, failure.text);
        return otherwise;
    }
}

void PluginRegistry::setErrorRecorder(nvinfer1::IErrorRecorder* recorder) noexcept {
    if (recorder != nullptr) {
        recorder->incRefCount();
    }
    if (recorder_ != nullptr) {
        recorder_->decRefCount();
    }
    recorder_ = recorder;
}

nvinfer1::IErrorRecorder* PluginRegistry::getErrorRecorder() const noexcept {
    return recorder_;
}

PluginRegistry::PluginLibraryHandle PluginRegistry::loadLibrary(
    nvinfer1::AsciiChar const* pluginPath) noexcept {
    return guard<void*>(nullptr, [&] {
        if (pluginPath == nullptr || *pluginPath == '\0') {
            fail(ErrorKind::kInvalidArgument, "[registry] plugin library: expected a path, got {}.",
                 pluginPath == nullptr ? "null" : "an empty text");
        }
        return libraries_.load(pluginPath, log());
    });
}

void PluginRegistry::deregisterLibrary(PluginLibraryHandle handle) noexcept {
    guard(false, [&] {
        libraries_.release(handle, log());
        return true;
    });
}

bool PluginRegistry::registerCreator(IPluginCreatorInterface& creator,
                                     nvinfer1::AsciiChar const* pluginNamespace) noexcept {
    return guard(false, [&] {
        bool const ofProcess = &table_ == &CreatorTable::instance();
        if (ofProcess && plugin::collectStatic(creator, orEmpty(pluginNamespace))) {
            return true;
        }
        return addCreator(table_, creator, orEmpty(pluginNamespace), plugin::libraryOf(&creator),
                          log());
    });
}

bool PluginRegistry::registerCreator(IPluginCreator& creator,
                                     nvinfer1::AsciiChar const* pluginNamespace) noexcept {
    return registerCreator(static_cast<IPluginCreatorInterface&>(creator), pluginNamespace);
}

bool PluginRegistry::deregisterCreator(IPluginCreatorInterface const& creator) noexcept {
    return table_.remove(creator);
}

bool PluginRegistry::deregisterCreator(IPluginCreator const& creator) noexcept {
    return table_.remove(creator);
}

IPluginCreatorInterface* const* PluginRegistry::getAllCreators(
    int32_t* numCreators) const noexcept {
    noneYet(numCreators);
    return guard<IPluginCreatorInterface* const*>(nullptr, [&] {
        std::lock_guard const lock(mutex_);
        return listIn(listed_, table_.all(), numCreators);
    });
}

IPluginCreatorInterface* const* PluginRegistry::getAllCreatorsRecursive(
    int32_t* numCreators) noexcept {
    noneYet(numCreators);
    return guard<IPluginCreatorInterface* const*>(nullptr, [&] {
        std::lock_guard const lock(mutex_);
        return listIn(listedRecursive_, table_.allWithParents(), numCreators);
    });
}

IPluginCreatorInterface* PluginRegistry::getCreator(
    nvinfer1::AsciiChar const* pluginName, nvinfer1::AsciiChar const* pluginVersion,
    nvinfer1::AsciiChar const* pluginNamespace) noexcept {
    return guard<IPluginCreatorInterface*>(nullptr, [&] {
        plugin::PluginId const id{orEmpty(pluginName), orEmpty(pluginVersion),
                                  orEmpty(pluginNamespace)};
        IPluginCreatorInterface* const found = table_.find(id).creator;
        if (found == nullptr) {
            report(ErrorKind::kInvalidArgument,
                   fmt::format("[registry] {}.", table_.missText(id)).c_str());
        }
        return found;
    });
}

IPluginCreator* PluginRegistry::getPluginCreator(
    nvinfer1::AsciiChar const* pluginName, nvinfer1::AsciiChar const* pluginVersion,
    nvinfer1::AsciiChar const* pluginNamespace) noexcept {
    return plugin::asV2Creator(getCreator(pluginName, pluginVersion, pluginNamespace));
}

IPluginCreator* const* PluginRegistry::getPluginCreatorList(int32_t* numCreators) const noexcept {
    noneYet(numCreators);
    return guard<IPluginCreator* const*>(nullptr, [&] {
        std::lock_guard const lock(mutex_);
        listedV2_.clear();
        for (IPluginCreatorInterface* creator : table_.all()) {
            if (IPluginCreator* const v2 = plugin::asV2Creator(creator)) {
                listedV2_.push_back(v2);
            }
        }
        if (numCreators != nullptr) {
            *numCreators = static_cast<int32_t>(listedV2_.size());
        }
        return listedV2_.empty() ? nullptr : listedV2_.data();
    });
}

nvinfer1::IPluginResource* PluginRegistry::acquirePluginResource(
    nvinfer1::AsciiChar const* key, nvinfer1::IPluginResource* resource) noexcept {
    return guard<nvinfer1::IPluginResource*>(
        nullptr, [&] { return resources_.acquire(orEmpty(key), resource); });
}

int32_t PluginRegistry::releasePluginResource(nvinfer1::AsciiChar const* key) noexcept {
    return guard(-1, [&] {
        plugin::ResourceTable::Released const released = resources_.release(orEmpty(key));
        if (!released.problem.empty()) {
            report(ErrorKind::kInvalidArgument, released.problem.c_str());
        }
        return released.code;
    });
}

} // namespace kiln::api

extern "C" nvinfer1::IPluginRegistry* getPluginRegistry() noexcept {
    return &kiln::api::PluginRegistry::instance();
}

namespace nvinfer1 {

extern "C" IPluginRegistry* getBuilderPluginRegistry(EngineCapability) noexcept {
    return &kiln::api::PluginRegistry::instance();
}

extern "C" safe::IPluginRegistry* getBuilderSafePluginRegistry(EngineCapability) noexcept {
    return nullptr; // Kiln has no safety runtime
}

} // namespace nvinfer1
