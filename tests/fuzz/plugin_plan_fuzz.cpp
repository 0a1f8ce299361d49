// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Opens damaged plans with plugins of all styles, and runs those that open. The plugins are correct
// and touch every byte that they were promised: inputs, outputs and workspace. All of it lies
// between inaccessible pages.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>

#include "fuzz/fuzz_target.h"
#include "fuzz/guarded_run.h"
#include "plan/plan_fixture.h"
#include "support/batch_plugin.h"
#include "support/quick_plugin.h"
#include "support/scripted_v2.h"
#include "support/scripted_v3.h"
#include "support/session.h"
#include "support/test_paths.h"

namespace {

using namespace kiln;
using namespace kiln::test;
using nvinfer1::DataType;
using nvinfer1::DimensionOperation;
using nvinfer1::ILayer;
using nvinfer1::INetworkDefinition;
using nvinfer1::ITensor;

/// Output 0 has twice the rows of input 0, output 1 is the first extent of input 0 as an int64. The
/// workspace is one byte larger than the input.
void describe(Script& script) {
    script.outputs = 2;
    script.type = [](int32_t output, DataType const* inputs) {
        return output == 0 ? inputs[0] : DataType::kINT64;
    };
    script.takes = [](nvinfer1::PluginTensorDesc const& desc, auto const& first) {
        bool const real = desc.type == DataType::kFLOAT || desc.type == DataType::kHALF;
        return desc.format == nvinfer1::TensorFormat::kLINEAR &&
               (desc.type == DataType::kINT64 || (real && desc.type == first.type));
    };
    script.shape = [](int32_t output, nvinfer1::DimsExprs const* inputs,
                      nvinfer1::IExprBuilder& builder) {
        nvinfer1::DimsExprs shape{};
        if (output == 0) {
            shape = inputs[0];
            shape.d[0] =
                builder.operation(DimensionOperation::kPROD, *inputs[0].d[0], *builder.constant(2));
        }
        return shape;
    };
    script.workspace = [](auto const& in, auto const&) { return bytesOf(in[0]) + 1; };
    script.work = [](Call const& call) {
        std::size_t const bytes = bytesOf(call.in[0]);
        for (std::size_t half = 0; half < 2; ++half) {
            std::memcpy(static_cast<char*>(call.outputs[0]) + half * bytes, call.inputs[0], bytes);
        }
        std::memset(call.workspace, 1, bytes + 1);
        std::memcpy(call.outputs[1], &call.in[0].dims.d[0], sizeof(int64_t));
        return 0;
    };
}

constexpr int64_t kRow = 3;

/// A plugin of this style gets its row length when it is configured, and stores it in its state. A
/// plugin that trusts any state is not correct; this creator uses the known length instead.
class FixedRowCreator final : public nvinfer1::IPluginCreator {
public:
    explicit FixedRowCreator(BatchScript& script) : script_(script) {
        getPluginRegistry()->registerCreator(static_cast<IPluginCreatorInterface&>(*this), "");
    }
    char const* getPluginName() const noexcept override { return "Batch"; }
    char const* getPluginVersion() const noexcept override { return "1"; }
    char const* getPluginNamespace() const noexcept override { return ""; }
    void setPluginNamespace(char const*) noexcept override {}
    nvinfer1::PluginFieldCollection const* getFieldNames() noexcept override { return &fields_; }
    nvinfer1::IPluginV2* createPlugin(char const*,
                                      nvinfer1::PluginFieldCollection const*) noexcept override {
        return nullptr;
    }
    nvinfer1::IPluginV2* deserializePlugin(char const*, void const*,
                                           std::size_t) noexcept override {
        return new BatchV2IOExt(script_, kRow);
    }

private:
    using IPluginCreatorInterface = nvinfer1::IPluginCreatorInterface;
    BatchScript& script_;
    nvinfer1::PluginFieldCollection fields_{0, nullptr};
};

/// All creators, for as long as the process lives.
struct Plugins {
    Plugins() {
        describe(v2Script);
        describe(v3Script);
        v2Script.name = "FuzzV2";
        v3Script.name = "FuzzV3";
        v3Script.tactics = 0;
        static ScriptedV2Creator const v2(v2Script);
        static ScriptedV3Creator const v3(v3Script);
        // Accepts only rows of the known length; the plugin would write beyond shorter ones.
        batchScript.shape = [](nvinfer1::Dims const* inputs) {
            return inputs[0].nbDims == 1 && inputs[0].d[0] == kRow ? inputs[0]
                                                                   : nvinfer1::Dims{-1, {}};
        };
        static FixedRowCreator const batch(batchScript);
        static QuickCreator const quick(quickScript);
    }
    Script v2Script;
    Script v3Script;
    BatchScript batchScript;
    QuickScript quickScript;
};

Plugins& plugins() {
    static auto* const all = new Plugins;
    return *all;
}

std::vector<std::byte> bytesOfPlan(Session& session) {
    auto const plan = session.build();
    if (plan == nullptr) {
        std::fprintf(stderr, "%s\n", session.log.errors().c_str());
        std::abort();
    }
    auto const* const data = static_cast<std::byte const*>(plan->data());
    return {data, data + plan->size()};
}

/// Two profiles, so that each has its own plugin.
void addProfiles(Session& session) {
    using nvinfer1::OptProfileSelector;
    for (int64_t const most : {4, 7}) {
        auto* const profile = session.builder->createOptimizationProfile();
        profile->setDimensions("x", OptProfileSelector::kMIN, nvinfer1::Dims2{1, kRow});
        profile->setDimensions("x", OptProfileSelector::kOPT, nvinfer1::Dims2{2, kRow});
        profile->setDimensions("x", OptProfileSelector::kMAX, nvinfer1::Dims2{most, kRow});
        session.config->addOptimizationProfile(profile);
    }
}

template <typename Add>
std::vector<std::byte> planOf(Add&& add, bool behind) {
    Session session;
    ITensor* const x = &session.input("x", {-1, kRow});
    ILayer* const layer = add(*session.network, &x);
    ITensor* y = layer->getOutput(0);
    if (behind) {
        y = session.network->addActivation(*y, nvinfer1::ActivationType::kRELU)->getOutput(0);
    }
    session.output(*y, "y");
    if (layer->getNbOutputs() > 1) {
        session.output(*layer->getOutput(1), "count");
    }
    addProfiles(session);
    return bytesOfPlan(session);
}

std::vector<std::byte> planOfV2(bool behind) {
    auto* const plugin = new ScriptedV2(plugins().v2Script);
    auto const plan = planOf([&](INetworkDefinition& network,
                                 ITensor* const* x) { return network.addPluginV2(x, 1, *plugin); },
                             behind);
    plugin->destroy();
    return plan;
}

std::vector<std::byte> planOfV3(bool behind) {
    ScriptedV3 plugin(plugins().v3Script);
    return planOf([&](INetworkDefinition& network,
                      ITensor* const* x) { return network.addPluginV3(x, 1, nullptr, 0, plugin); },
                  behind);
}

std::vector<std::byte> planOfBatch() {
    auto* const plugin = new BatchV2IOExt(plugins().batchScript, 0);
    auto const plan = planOf([&](INetworkDefinition& network,
                                 ITensor* const* x) { return network.addPluginV2(x, 1, *plugin); },
                             false);
    plugin->destroy();
    return plan;
}

std::vector<std::byte> planOfQuick(bool ahead) {
    QuickScript script;
    std::vector<char> object;
    if (ahead) {
        std::ifstream file(builtFolder() + "/kiln_test_host_kernels.so", std::ios::binary);
        object.assign(std::istreambuf_iterator<char>(file), {});
        script.code = [&](nvinfer1::DimsExprs const* inputs, int32_t, IAotCode& code,
                          nvinfer1::IExprBuilder& builder) {
            code.beginKernel("scaleBy");
            code.addImage(object.data(), object.size());
            code.addInteger(
                ArgumentType::kINT64,
                *builder.operation(DimensionOperation::kPROD, *inputs[0].d[0], *inputs[0].d[1]));
            code.addReal(ArgumentType::kFLOAT32, 2.5);
        };
    }
    QuickPlugin plugin(ahead ? script : plugins().quickScript);
    return planOf([&](INetworkDefinition& network,
                      ITensor* const* x) { return network.addPluginV3(x, 1, nullptr, 0, plugin); },
                  false);
}

std::vector<std::vector<std::byte>> const& seeds() {
    static std::vector<std::vector<std::byte>> const all{
        planOfV2(false), planOfV2(true),     planOfV3(false),  planOfV3(true),
        planOfBatch(),   planOfQuick(false), planOfQuick(true)};
    return all;
}

/// Machine code runs as it is, so damage to the code of the ahead-of-time seed is undone.
void restoreCode(Bytes& plan) {
    Bytes const& whole = seeds().back();
    if (plan.size() != whole.size()) {
        return;
    }
    plan::SectionEntry const code = plan::testing::sectionOf(whole, plan::SectionKind::kCode);
    std::memcpy(plan.data() + code.offset, whole.data() + code.offset, code.bytes);
}

} // namespace

std::vector<std::vector<std::byte>> fuzzSeeds() {
    plugins();
    return seeds();
}

std::size_t fuzzAllocationLimit(std::size_t inputBytes) {
    return 16 * kMostBytes + 128 * inputBytes;
}

extern "C" int LLVMFuzzerTestOneInput(uint8_t const* data, std::size_t size) {
    ByteView const bytes = std::as_bytes(std::span(data, size));
    Bytes plan(bytes.begin(), bytes.end());
    restoreCode(plan);
    plan::testing::rehash(plan);
    plugins().batchScript.said.clear();
    static struct Count {
        ~Count() { std::printf("%zu of %zu plans opened and ran\n", ran, all); }
        std::size_t all = 0;
        std::size_t ran = 0;
    } count;
    ++count.all;
    try {
        openAndRunGuarded(plan);
        ++count.ran;
    } catch (Error const&) {
        return 0; // refused, as it should be
    }
    return 0;
}
