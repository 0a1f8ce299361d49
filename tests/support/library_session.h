// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Sessions with plugins from the test libraries.
#pragma once

#include <dlfcn.h>

#include <memory>
#include <string>

#include "support/session.h"
#include "support/test_paths.h"

namespace kiln::test {

inline std::string libraryPath(std::string const& kind) {
    return builtFolder() + "/kiln_test_plugins_" + kind + ".so";
}

/// Whether a library is loaded in this process.
inline bool isMapped(std::string const& kind) {
    void* const handle = dlopen(libraryPath(kind).c_str(), RTLD_LAZY | RTLD_NOLOAD);
    if (handle != nullptr) {
        dlclose(handle);
    }
    return handle != nullptr;
}

/// x [4] -> plugin `name` of a registry -> y. False if the registry does not have it.
inline bool addFromRegistry(Session& session, nvinfer1::IPluginRegistry& registry,
                            char const* name) {
    auto* const creator =
        static_cast<nvinfer1::IPluginCreatorV3One*>(registry.getCreator(name, "1", ""));
    if (creator == nullptr) {
        return false;
    }
    nvinfer1::PluginFieldCollection const none{0, nullptr};
    std::unique_ptr<nvinfer1::IPluginV3> const plugin(
        creator->createPlugin("custom", &none, nvinfer1::TensorRTPhase::kBUILD));
    nvinfer1::ITensor* const inputs[] = {&session.input("x", {4})};
    nvinfer1::ILayer* const layer = session.network->addPluginV3(inputs, 1, nullptr, 0, *plugin);
    layer->setName("custom");
    session.output(*layer->getOutput(0), "y");
    return true;
}

/// Whether an engine doubles its input.
inline bool doubles(nvinfer1::IExecutionContext& context) {
    std::vector<float> x{1, 2, 3, 4};
    std::vector<float> y(4);
    return context.setTensorAddress("x", x.data()) && context.setTensorAddress("y", y.data()) &&
           context.enqueueV3(nullptr) && y == std::vector<float>{2, 4, 6, 8};
}

} // namespace kiln::test
