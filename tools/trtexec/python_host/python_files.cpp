// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "python_host/python_files.h"

#include <vector>

#include <kiln/python_source.h>

#include "failure.h"
#include "files.h"

namespace kiln::trtexec {
namespace {

struct Taker {
    nvinfer1::IBuilderConfig& config;
    bool taken = false;
};

void take(void* context, char const* module, char const* text, size_t size,
          char const* const* names, int pluginCount) {
    auto& taker = *static_cast<Taker*>(context);
    std::vector<PythonSourcePlugin> plugins;
    for (int i = 0; i < pluginCount; ++i) {
        plugins.push_back({names[3 * i], names[3 * i + 1], names[3 * i + 2]});
    }
    taker.taken = addPythonSource(taker.config, {module, text, size, plugins.data(), pluginCount});
}

void expectUsed(bool used, std::string const& path) {
    if (!used) {
        fail("[plugins] the Python file '{}' could not be used; the lines above say why", path);
    }
}

} // namespace

PythonFiles pythonFiles(KilnTrtexecPython const* python, KilnTrtexecSay say) {
    if (python == nullptr) {
        return {};
    }
    PythonFiles files;
    files.load = [load = python->load, say](std::string const& path) {
        requireFile("--plugins", path);
        expectUsed(load(path.c_str(), say) == 0, path);
    };
    files.embed = [embed = python->embed, say](nvinfer1::IBuilderConfig& config,
                                               std::string const& path) {
        Taker taker{config};
        bool const found = embed(path.c_str(), &take, &taker, say) == 0;
        expectUsed(found && taker.taken, path);
    };
    return files;
}

} // namespace kiln::trtexec
