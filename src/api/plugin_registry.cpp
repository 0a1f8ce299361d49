// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "api/plugin_registry.h"

#include <NvInfer.h>

#include "api/global_logger.h"
#include "base/text.h"
#include "plugin/creator_table.h"

namespace kiln::api {
namespace {

using nvinfer1::IPluginCreator;
using nvinfer1::IPluginCreatorInterface;
using plugin::CreatorTable;

} // namespace

PluginRegistry& PluginRegistry::instance() {
    static auto* const registry = new PluginRegistry;
    return *registry;
}

void PluginRegistry::report(ErrorKind kind, std::string const& text) const noexcept {
    Reporter sink(globalLog());
    sink.report(kind, text);
    if (recorder_ != nullptr) {
        recorder_->reportError(codeOf(kind), text.c_str());
    }
}

template <typename T, typename Body>
T PluginRegistry::guard(T otherwise, Body&& body) const noexcept {
    try {
        return body();
    } catch (Error const& error) {
        report(error.kind(), error.what());
    } catch (std::exception const& error) {
        report(ErrorKind::kInternal, error.what());
    }
    return otherwise;
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
        if (pluginPath == nullptr) {
            fail(ErrorKind::kInvalidArgument, "[registry] loadLibrary: expected a path, got null.");
        }
        return libraries_.load(pluginPath);
    });
}

void PluginRegistry::deregisterLibrary(PluginLibraryHandle handle) noexcept {
    guard(false, [&] {
        libraries_.release(handle);
        return true;
    });
}

bool PluginRegistry::registerCreator(IPluginCreatorInterface& creator,
                                     nvinfer1::AsciiChar const* pluginNamespace) noexcept {
    return guard(false, [&] {
        bool const added = CreatorTable::instance().add(creator, orEmpty(pluginNamespace));
        if (!added) {
            globalLog().warning("[registry] a creator for plugin {} is registered already; the new "
                                "one is not used.",
                                plugin::idOf(creator, orEmpty(pluginNamespace)).text());
        }
        return added;
    });
}

bool PluginRegistry::registerCreator(IPluginCreator& creator,
                                     nvinfer1::AsciiChar const* pluginNamespace) noexcept {
    return registerCreator(static_cast<IPluginCreatorInterface&>(creator), pluginNamespace);
}

bool PluginRegistry::deregisterCreator(IPluginCreatorInterface const& creator) noexcept {
    return CreatorTable::instance().remove(creator);
}

bool PluginRegistry::deregisterCreator(IPluginCreator const& creator) noexcept {
    return CreatorTable::instance().remove(creator);
}

IPluginCreatorInterface* const* PluginRegistry::getAllCreators(
    int32_t* numCreators) const noexcept {
    return guard<IPluginCreatorInterface* const*>(nullptr, [&] {
        std::lock_guard const lock(mutex_);
        listed_ = CreatorTable::instance().all();
        if (numCreators != nullptr) {
            *numCreators = static_cast<int32_t>(listed_.size());
        }
        return listed_.empty() ? nullptr : listed_.data();
    });
}

IPluginCreatorInterface* const* PluginRegistry::getAllCreatorsRecursive(
    int32_t* numCreators) noexcept {
    return getAllCreators(numCreators); // one registry: there is no parent
}

IPluginCreatorInterface* PluginRegistry::getCreator(
    nvinfer1::AsciiChar const* pluginName, nvinfer1::AsciiChar const* pluginVersion,
    nvinfer1::AsciiChar const* pluginNamespace) noexcept {
    return guard<IPluginCreatorInterface*>(nullptr, [&] {
        plugin::PluginId const id{orEmpty(pluginName), orEmpty(pluginVersion),
                                  orEmpty(pluginNamespace)};
        IPluginCreatorInterface* const found = CreatorTable::instance().find(id);
        if (found == nullptr) {
            report(ErrorKind::kInvalidArgument,
                   "[registry] " + CreatorTable::instance().missText(id) + ".");
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
    return guard<IPluginCreator* const*>(nullptr, [&] {
        std::lock_guard const lock(mutex_);
        listedV2_.clear();
        for (IPluginCreatorInterface* creator : CreatorTable::instance().all()) {
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
    nvinfer1::AsciiChar const*, nvinfer1::IPluginResource*) noexcept {
    report(ErrorKind::kUnsupported,
           "[registry] acquirePluginResource: plugin resources are not supported yet.");
    return nullptr;
}

int32_t PluginRegistry::releasePluginResource(nvinfer1::AsciiChar const*) noexcept {
    report(ErrorKind::kUnsupported,
           "[registry] releasePluginResource: plugin resources are not supported yet.");
    return -1;
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
    return nullptr; // the safety runtime does not exist here
}

} // namespace nvinfer1
