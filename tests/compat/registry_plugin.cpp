// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// A library that registers one plugin creator. one_registry.py compiles it under several names and
// opens it in several ways.
#include <NvInferRuntime.h>

#ifndef CREATOR_NAME
#error "compile with -DCREATOR_NAME=\"...\""
#endif

namespace {

class TestCreator : public nvinfer1::IPluginCreatorV3One {
public:
    nvinfer1::IPluginV3* createPlugin(char const* /*name*/,
                                      nvinfer1::PluginFieldCollection const* /*fields*/,
                                      nvinfer1::TensorRTPhase /*phase*/) noexcept override {
        return nullptr;
    }
    nvinfer1::PluginFieldCollection const* getFieldNames() noexcept override { return &fields_; }
    char const* getPluginName() const noexcept override { return CREATOR_NAME; }
    char const* getPluginVersion() const noexcept override { return "1"; }
    char const* getPluginNamespace() const noexcept override { return ""; }

private:
    nvinfer1::PluginFieldCollection fields_{0, nullptr};
};

#ifdef STATIC_REGISTRATION
REGISTER_TENSORRT_PLUGIN(TestCreator);
#endif

} // namespace

#ifdef EXPORT_CREATORS
extern "C"
    __attribute__((visibility("default"))) nvinfer1::IPluginCreatorInterface* const* getCreators(
        int32_t& nbCreators) {
    static TestCreator creator;
    static nvinfer1::IPluginCreatorInterface* const creators[] = {&creator};
    nbCreators = 1;
    return creators;
}
#endif
