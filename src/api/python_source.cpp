// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "api/python_source.h"

#include <algorithm>
#include <atomic>

#include "api/builder_config.h"
#include "api/runtime.h"
#include "base/text.h"
#include "plugin/failure.h"

namespace kiln {
namespace api {
namespace {

std::atomic<PythonSourceRunner> theRunner{nullptr};
std::atomic<bool> allowedByDefault{false};

/// A plugin of the plan that the module registers and that is not registered yet; null if none.
plugin::PluginRecord const* missingFrom(plan::SourceRecord const& source,
                                        plan::Document const& document,
                                        plugin::CreatorTable const& creators) {
    auto const& ids = source.plugins;
    auto const found = std::find_if(
        document.plugins.begin(), document.plugins.end(), [&](plugin::PluginRecord const& record) {
            return record.style != plugin::PluginStyle::kQuickAot &&
                   std::find(ids.begin(), ids.end(), record.id) != ids.end() &&
                   creators.find(record.id).creator == nullptr;
        });
    return found == document.plugins.end() ? nullptr : &*found;
}

void run(plan::SourceRecord const& source, plugin::PluginRecord const& needed, Log const& log) {
    PythonSourceRunner const runner = theRunner.load();
    if (runner == nullptr) {
        fail(ErrorKind::kInvalidState,
             "[plan] layer '{}' needs plugin {}, whose Python source '{}' the plan carries: "
             "expected a process that runs Python, got one that does not. Import kiln in Python, "
             "or open the plan in trtexec --allowPythonSource.",
             needed.layer, needed.id.text(), source.name);
    }
    std::vector<PythonSourcePlugin> plugins;
    for (plugin::PluginId const& id : source.plugins) {
        plugins.push_back({id.name.c_str(), id.version.c_str(), id.space.c_str()});
    }
    log.info("[plan] running the Python source '{}' of the plan for plugin {}: {} bytes.",
             source.name, needed.id.text(), source.text.size());
    PythonSource const module{source.name.c_str(),
                              reinterpret_cast<char const*>(source.text.data()), source.text.size(),
                              plugins.data(), static_cast<int32_t>(plugins.size())};
    plugin::takeReportedText();
    if (!runner(module)) {
        fail(ErrorKind::kPlugin, "[plan] Python source '{}' of the plan failed:\n{}", source.name,
             plugin::takeReportedText());
    }
}

} // namespace

void addSource(std::vector<OwnedSource>& sources, PythonSource const& source) {
    OwnedSource own{orEmpty(source.name), {}, {}};
    if (source.text != nullptr) {
        own.text.assign(source.text, source.size);
    }
    for (int32_t i = 0; source.plugins != nullptr && i < source.pluginCount; ++i) {
        PythonSourcePlugin const& plugin = source.plugins[i];
        own.plugins.push_back(
            {orEmpty(plugin.name), orEmpty(plugin.version), orEmpty(plugin.space)});
    }
    if (own.name.empty() || own.text.empty() || own.plugins.empty()) {
        fail(ErrorKind::kInvalidArgument,
             "[config] Python source '{}': expected a name, a text and a plugin or more, got {} "
             "bytes and {} plugins.",
             own.name, own.text.size(), own.plugins.size());
    }
    auto const same = std::find_if(sources.begin(), sources.end(), [&](OwnedSource const& other) {
        return other.name == own.name;
    });
    if (same == sources.end()) {
        sources.push_back(std::move(own));
    } else if (same->text != own.text) {
        fail(ErrorKind::kInvalidArgument,
             "[config] Python source '{}': expected one text for each name, got another. Rename "
             "one of the two modules.",
             own.name);
    }
}

bool sourceAllowedByDefault() noexcept {
    return allowedByDefault.load();
}

void provideSources(plan::Document const& document, plugin::CreatorTable const& creators,
                    bool allowed, Log const& log) {
    for (plan::SourceRecord const& source : document.sources) {
        plugin::PluginRecord const* const needed = missingFrom(source, document, creators);
        if (needed == nullptr) {
            log.verbose("[plan] the Python source '{}' of the plan is not run: the plan needs "
                        "nothing of it that is not registered.",
                        source.name);
            continue;
        }
        if (!allowed) {
            fail(ErrorKind::kInvalidState,
                 "[plan] layer '{}' needs plugin {} ({}): {}. The plan carries its Python source "
                 "'{}', which may not run. Call kiln.allow_python_source(runtime) before "
                 "(--allowPythonSource of trtexec) if you trust the plan, or register the plugin.",
                 needed->layer, needed->id.text(), plugin::nameOf(needed->style),
                 creators.missText(needed->id), source.name);
        }
        run(source, *needed, log);
    }
}

} // namespace api

bool addPythonSource(nvinfer1::IBuilderConfig& config, PythonSource const& source) noexcept {
    return static_cast<api::BuilderConfig&>(config).addSource(source);
}

void setPythonSourceAllowed(nvinfer1::IRuntime& runtime, bool allowed) noexcept {
    static_cast<api::Runtime&>(runtime).allowPythonSource(allowed);
}

bool getPythonSourceAllowed(nvinfer1::IRuntime const& runtime) noexcept {
    return static_cast<api::Runtime const&>(runtime).pythonSourceAllowed();
}

void setPythonSourceAllowedByDefault(bool allowed) noexcept {
    api::allowedByDefault.store(allowed);
}

void setPythonSourceRunner(PythonSourceRunner runner) noexcept {
    api::theRunner.store(runner);
}

} // namespace kiln
