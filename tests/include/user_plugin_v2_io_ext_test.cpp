// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// A complete IPluginV2IOExt as users write it against the original headers, and the two interfaces
// below it. That it compiles is the main test.

#include "NvInfer.h"

#include <gtest/gtest.h>

#include <string>

namespace {

using namespace nvinfer1;

// The methods that all interfaces of the IPluginV2 family require.
template <typename Base>
class CopyPluginOf : public Base {
public:
    char const* getPluginType() const noexcept override { return "HeaderTestCopy"; }
    char const* getPluginVersion() const noexcept override { return "1"; }
    int32_t getNbOutputs() const noexcept override { return 1; }
    Dims getOutputDimensions(int32_t, Dims const* inputs, int32_t) noexcept override {
        return inputs[0];
    }
    int32_t initialize() noexcept override { return 0; }
    void terminate() noexcept override {}
    size_t getWorkspaceSize(int32_t) const noexcept override { return 0; }
    int32_t enqueue(int32_t, void const* const*, void* const*, void*,
                    cudaStream_t) noexcept override {
        return 0;
    }
    size_t getSerializationSize() const noexcept override { return 0; }
    void serialize(void*) const noexcept override {}
    void destroy() noexcept override { delete this; }
    void setPluginNamespace(char const* space) noexcept override { namespace_ = space; }
    char const* getPluginNamespace() const noexcept override { return namespace_.c_str(); }

private:
    std::string namespace_;
};

class CopyPlugin : public CopyPluginOf<IPluginV2> {
public:
    bool supportsFormat(DataType, PluginFormat) const noexcept override { return true; }
    void configureWithFormat(Dims const*, int32_t, Dims const*, int32_t, DataType, PluginFormat,
                             int32_t) noexcept override {}
    IPluginV2* clone() const noexcept override { return new CopyPlugin(*this); }
};

class CopyPluginExt : public CopyPluginOf<IPluginV2Ext> {
public:
    bool supportsFormat(DataType, PluginFormat) const noexcept override { return true; }
    DataType getOutputDataType(int32_t, DataType const* types, int32_t) const noexcept override {
        return types[0];
    }
    bool isOutputBroadcastAcrossBatch(int32_t, bool const*, int32_t) const noexcept override {
        return false;
    }
    bool canBroadcastInputAcrossBatch(int32_t) const noexcept override { return false; }
    void configurePlugin(Dims const*, int32_t, Dims const*, int32_t, DataType const*,
                         DataType const*, bool const*, bool const*, PluginFormat,
                         int32_t) noexcept override {}
    IPluginV2Ext* clone() const noexcept override { return new CopyPluginExt(*this); }
};

class CopyPluginIOExt : public CopyPluginOf<IPluginV2IOExt> {
public:
    DataType getOutputDataType(int32_t, DataType const* types, int32_t) const noexcept override {
        return types[0];
    }
    void configurePlugin(PluginTensorDesc const*, int32_t, PluginTensorDesc const*,
                         int32_t) noexcept override {}
    bool supportsFormatCombination(int32_t pos, PluginTensorDesc const* inOut, int32_t,
                                   int32_t) const noexcept override {
        return inOut[pos].type == inOut[0].type;
    }
    IPluginV2IOExt* clone() const noexcept override { return new CopyPluginIOExt(*this); }

protected:
    using IPluginV2IOExt::configurePlugin;
    using IPluginV2IOExt::supportsFormat;
};

int32_t generationOf(IPluginV2 const& plugin) {
    return plugin.getTensorRTVersion() >> 24;
}

TEST(UserPluginV2, TellsItsGeneration) {
    EXPECT_EQ(generationOf(CopyPlugin{}), static_cast<int32_t>(PluginVersion::kV2));
    EXPECT_EQ(generationOf(CopyPluginExt{}), static_cast<int32_t>(PluginVersion::kV2_EXT));
    EXPECT_EQ(generationOf(CopyPluginIOExt{}), static_cast<int32_t>(PluginVersion::kV2_IOEXT));
}

TEST(UserPluginV2, CloneKeepsTheNamespace) {
    CopyPluginIOExt plugin;
    plugin.setPluginNamespace("space");
    IPluginV2* copy = plugin.clone();
    EXPECT_STREQ(copy->getPluginNamespace(), "space");
    copy->destroy();
}

} // namespace
