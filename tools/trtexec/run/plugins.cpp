// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "run/plugins.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>
#include <vector>

#include <dlfcn.h>

#include <NvInferRuntime.h>
#include <impl/NvInferPythonPlugin.h>

#include "failure.h"
#include "files.h"

namespace kiln::trtexec {
namespace {

using Creator = nvinfer1::IPluginCreatorInterface const*;
using InitPlugins = bool (*)(void* logger, char const* libNamespace);

std::set<Creator> registered() {
    int32_t count = 0;
    nvinfer1::IPluginCreatorInterface* const* const all =
        getPluginRegistry()->getAllCreators(&count);
    return {all, all + std::max(count, 0)};
}

/// "CircPad 1" or "sample::CircPad 1".
std::string describe(Creator creator) {
    auto const text = [](auto const& c) {
        std::string const space = c.getPluginNamespace();
        return fmt::format("{}{}{} {}", space, space.empty() ? "" : "::", c.getPluginName(),
                           c.getPluginVersion());
    };
    if (auto const* v3 = dynamic_cast<nvinfer1::IPluginCreatorV3One const*>(creator)) {
        return text(*v3);
    }
    if (auto const* quick = dynamic_cast<nvinfer1::IPluginCreatorV3Quick const*>(creator)) {
        return text(*quick);
    }
    if (auto const* v2 = dynamic_cast<nvinfer1::IPluginCreator const*>(creator)) {
        return text(*v2);
    }
    return creator->getInterfaceInfo().kind;
}

/// The library's own definition of `symbol`; null if it has none or only a dependency defines it.
void* ownSymbol(void* library, std::string const& path, char const* symbol) {
    void* const address = ::dlsym(library, symbol);
    Dl_info info{};
    if (address == nullptr || ::dladdr(address, &info) == 0 || info.dli_fname == nullptr) {
        return nullptr;
    }
    std::error_code ignored;
    return std::filesystem::equivalent(info.dli_fname, path, ignored) ? address : nullptr;
}

/// Opens the library, which runs its static registrations. It stays open until the process ends,
/// because the registry holds pointers into it.
void* open(std::string const& option, std::string const& path) {
    requireFile(option, path);
    // dlopen searches the system folders for a name without a slash.
    std::string const located = path.find('/') == std::string::npos ? "./" + path : path;
    void* const library = ::dlopen(located.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        fail("[plugins] {}: cannot load '{}': {}", option, path, ::dlerror());
    }
    return library;
}

void loadStatic(std::string const& path, Logger& logger) {
    void* const library = open("--staticPlugins", path);
    auto const init =
        reinterpret_cast<InitPlugins>(ownSymbol(library, path, "initLibNvInferPlugins"));
    if (init != nullptr && !init(&logger, "")) {
        fail("[plugins] --staticPlugins: initLibNvInferPlugins of '{}' failed", path);
    }
}

/// Libraries with the entry points of a loadable plugin library are loaded through the registry;
/// others register themselves when they are opened.
void loadDynamic(std::string const& path) {
    void* const library = open("--plugins", path);
    bool const loadable = ownSymbol(library, path, "getCreators") != nullptr ||
                          ownSymbol(library, path, "getPluginCreators") != nullptr;
    if (loadable && getPluginRegistry()->loadLibrary(path.c_str()) == nullptr) {
        fail("[plugins] --plugins: the registry refused '{}'; the lines above say why", path);
    }
}

template <typename Load>
void report(std::string const& path, Logger& logger, Load load) {
    std::set<Creator> const before = registered();
    load();
    std::vector<std::string> fresh;
    for (Creator const creator : registered()) {
        if (before.count(creator) == 0) {
            fresh.push_back(describe(creator));
        }
    }
    std::sort(fresh.begin(), fresh.end());
    if (fresh.empty()) {
        logger.warning("Plugins of {}: no creator was registered", path);
    } else {
        logger.info("Plugins of {}: {}", path, fmt::format("{}", fmt::join(fresh, ", ")));
    }
}

} // namespace

bool isPythonFile(std::string const& path) {
    return path.size() > 3 && path.compare(path.size() - 3, 3, ".py") == 0;
}

bool needsPython(SystemOptions const& system) {
    auto const named = [](std::vector<std::string> const& paths) {
        return std::any_of(paths.begin(), paths.end(), isPythonFile);
    };
    return system.allowPythonSource || named(system.plugins) || named(system.staticPlugins) ||
           named(system.pluginsToSerialize);
}

void loadPlugins(SystemOptions const& system, PythonFiles const& python, Logger& logger) {
    for (std::string const& path : system.plugins) {
        report(path, logger, [&] { isPythonFile(path) ? python.load(path) : loadDynamic(path); });
    }
    for (std::string const& path : system.staticPlugins) {
        report(path, logger,
               [&] { isPythonFile(path) ? python.load(path) : loadStatic(path, logger); });
    }
}

} // namespace kiln::trtexec
