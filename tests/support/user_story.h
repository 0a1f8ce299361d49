// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// What a user does with a scripted plugin, from the empty network to the first result: which call
// failed, and with which errors.
#pragma once

#include <memory>
#include <string>

#include "support/scripted_v2.h"
#include "support/scripted_v3.h"
#include "support/session.h"

namespace kiln::test {

enum class Style { kV2, kV3 };

inline char const* nameOf(Style style) {
    return style == Style::kV2 ? "V2" : "V3";
}

/// Adds a plugin of either style to a network and destroys the caller's own object.
inline nvinfer1::ILayer* addScripted(nvinfer1::INetworkDefinition& network, Script& script,
                                     Style style, std::vector<nvinfer1::ITensor*> const& inputs) {
    auto const count = static_cast<int32_t>(inputs.size());
    if (style == Style::kV2) {
        auto* const plugin = new ScriptedV2(script);
        nvinfer1::ILayer* const layer = network.addPluginV2(inputs.data(), count, *plugin);
        plugin->destroy();
        return layer;
    }
    ScriptedV3 plugin(script);
    return network.addPluginV3(inputs.data(), count, nullptr, 0, plugin);
}

struct Outcome {
    std::string stage; ///< the call that failed, or "done"
    std::string errors;
    std::vector<std::pair<nvinfer1::ErrorCode, std::string>> recorded;
    std::vector<float> y;
};

/// x [4] -> plugin 'custom' -> y, in a network with the given flags.
class UserStory {
public:
    UserStory(Script& script, Style style, uint32_t flags = 0)
        : script_(script), style_(style), flags_(flags) {}

    Outcome play() {
        Outcome outcome;
        {
            Session session(flags_);
            session.builder->setErrorRecorder(&recorder_);
            session.network->setErrorRecorder(&recorder_);
            outcome.stage = playIn(session, outcome);
            outcome.errors = session.log.errors();
        }
        outcome.recorded = recorder_.errors;
        EXPECT_EQ(recorder_.references, 0);
        EXPECT_EQ(script_.alive, 0) << "plugin objects that nobody destroyed";
        return outcome;
    }

private:
    std::string playIn(Session& session, Outcome& outcome) {
        ScriptedV2Creator const v2(script_);
        std::unique_ptr<ScriptedV3Creator> v3;
        if (style_ == Style::kV3) {
            getPluginRegistry()->deregisterCreator(
                static_cast<nvinfer1::IPluginCreatorInterface const&>(v2));
            v3 = std::make_unique<ScriptedV3Creator>(script_);
        }
        nvinfer1::ITensor& x = session.input("x", {4});
        nvinfer1::ILayer* const layer = addScripted(*session.network, script_, style_, {&x});
        if (layer == nullptr) {
            return "add";
        }
        layer->setName("custom");
        session.output(*layer->getOutput(0), "y");
        std::unique_ptr<nvinfer1::IHostMemory> const plan = session.build();
        if (plan == nullptr) {
            return "build";
        }
        std::unique_ptr<nvinfer1::IRuntime> runtime(nvinfer1::createInferRuntime(session.log));
        runtime->setErrorRecorder(&recorder_);
        std::unique_ptr<nvinfer1::ICudaEngine> engine(
            runtime->deserializeCudaEngine(plan->data(), plan->size()));
        if (engine == nullptr) {
            return "open";
        }
        std::unique_ptr<nvinfer1::IExecutionContext> context(engine->createExecutionContext());
        if (context == nullptr) {
            return "context";
        }
        std::vector<float> x4{1, 2, 3, 4};
        outcome.y.assign(64, -1.0F);
        EXPECT_TRUE(context->setTensorAddress("x", x4.data()));
        EXPECT_TRUE(context->setTensorAddress("y", outcome.y.data()));
        return context->enqueueV3(nullptr) ? "done" : "run";
    }

    Script& script_;
    Style style_;
    uint32_t flags_;
    RecordingRecorder recorder_;
};

} // namespace kiln::test
