// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include <NvOnnxParser.h>

#include "exhaustion/jobs.h"
#include "onnx/model_writer.h"

namespace kiln::test {

using namespace nvinfer1;

namespace {

/// Builds network, configuration and plan with one builder.
class Build final : public Job {
public:
    bool prepare() override {
        builder_.reset(createInferBuilder(log));
        builder_->setErrorRecorder(&recorder);
        return builder_ != nullptr;
    }
    bool attempt() override {
        if (!filled_) { // programs discard a half-filled network
            network_.reset(builder_->createNetworkV2(0));
            KILN_TRY(network_ != nullptr);
            network_->setErrorRecorder(&recorder);
            filled_ = fillBig(*network_);
            KILN_TRY(filled_);
        }
        if (!configured_) {
            config_.reset(builder_->createBuilderConfig());
            IOptimizationProfile* const profile = builder_->createOptimizationProfile();
            KILN_TRY(config_ != nullptr && profile != nullptr && fillProfile(*profile));
            configured_ = config_->addOptimizationProfile(profile) == 0;
            KILN_TRY(configured_);
        }
        if (cache_ == nullptr) {
            cache_.reset(config_->createTimingCache(nullptr, 0));
            KILN_TRY(cache_ != nullptr && config_->setTimingCache(*cache_, false));
        }
        plan_.reset(builder_->buildSerializedNetwork(*network_, *config_));
        KILN_TRY(plan_ != nullptr);
        serializedCache_.reset(cache_->serialize());
        return serializedCache_ != nullptr;
    }
    bool verify() override {
        BigCreators creators;
        std::unique_ptr<IRuntime> const runtime(createInferRuntime(log));
        std::unique_ptr<ICudaEngine> const engine(
            creators.enter() ? runtime->deserializeCudaEngine(plan_->data(), plan_->size())
                             : nullptr);
        std::unique_ptr<IExecutionContext> const context(
            engine == nullptr ? nullptr : engine->createExecutionContext());
        return context != nullptr && runBig(*context, 3);
    }
    void destroy() override {
        plan_.reset();
        serializedCache_.reset();
        config_.reset();
        cache_.reset();
        network_.reset();
        builder_.reset();
    }

private:
    bool filled_ = false;
    bool configured_ = false;
    std::unique_ptr<IBuilder> builder_;
    std::unique_ptr<INetworkDefinition> network_;
    std::unique_ptr<IBuilderConfig> config_;
    std::unique_ptr<ITimingCache> cache_;
    std::unique_ptr<IHostMemory> plan_;
    std::unique_ptr<IHostMemory> serializedCache_;
};

/// Counts the bytes that are written and discards them.
class Sink final : public IStreamWriter {
public:
    int64_t write(void const*, int64_t bytes) noexcept override {
        written += bytes;
        return bytes;
    }
    int64_t written = 0;
};

/// Builds a small network into a stream, and directly into an engine.
class BuildOtherways final : public Job {
public:
    bool prepare() override {
        builder_.reset(createInferBuilder(log));
        builder_->setErrorRecorder(&recorder);
        network_.reset(builder_->createNetworkV2(0));
        config_.reset(builder_->createBuilderConfig());
        ITensor* const x = network_->addInput("x", DataType::kFLOAT, Dims2{2, 3});
        ITensor* const y = network_->addSoftMax(*x)->getOutput(0);
        y->setName("y");
        network_->markOutput(*y);
        return network_->getNbOutputs() == 1;
    }
    bool attempt() override {
        Sink sink;
        KILN_TRY(builder_->buildSerializedNetworkToStream(*network_, *config_, sink));
        KILN_TRY(builder_->isNetworkSupported(*network_, *config_));
        engine_.reset(builder_->buildEngineWithConfig(*network_, *config_));
        KILN_TRY(engine_ != nullptr);
        engine_->setErrorRecorder(&recorder);
        plan_.reset(engine_->serialize());
        return plan_ != nullptr && sink.written > 0;
    }
    void destroy() override {
        plan_.reset();
        engine_.reset();
        config_.reset();
        network_.reset();
        builder_.reset();
    }

private:
    std::unique_ptr<IBuilder> builder_;
    std::unique_ptr<INetworkDefinition> network_;
    std::unique_ptr<IBuilderConfig> config_;
    std::unique_ptr<ICudaEngine> engine_;
    std::unique_ptr<IHostMemory> plan_;
};

/// Parses a model of several operators and queries the parser.
class Parse final : public Job {
public:
    Parse() {
        model_ = onnx::ModelWriter(17)
                     .input("x", {-1, 1, 4, 4})
                     .weights("w", {2, 1, 3, 3})
                     .weights("b", {2})
                     .integers("shape", {0, -1})
                     .node("Conv", "conv", {"x", "w", "b"}, {"c"},
                           {onnx::intsAttribute("kernel_shape", {3, 3})})
                     .node("Relu", "relu", {"c"}, {"r"})
                     .node("Reshape", "flat", {"r", "shape"}, {"f"})
                     .node("Softmax", "soft", {"f"}, {"s"}, {onnx::intAttribute("axis", 1)})
                     .node("Shape", "size", {"s"}, {"n"})
                     .node("Identity", "end", {"s"}, {"y"})
                     .output("y")
                     .bytes();
        wrong_ = onnx::ModelWriter(17)
                     .input("x", {2})
                     .node("NoSuchOperator", "odd", {"x"}, {"y"})
                     .output("y")
                     .bytes();
    }
    bool prepare() override {
        builder_.reset(createInferBuilder(log));
        return builder_ != nullptr;
    }
    bool attempt() override {
        parser_.reset();
        network_.reset(builder_->createNetworkV2(0));
        KILN_TRY(network_ != nullptr);
        parser_.reset(nvonnxparser::createParser(*network_, log));
        KILN_TRY(parser_ != nullptr);
        KILN_TRY(parser_->supportsOperator("Conv"));
        bool const refused = !parser_->parse(wrong_.data(), wrong_.size());
        KILN_TRY(refused && parser_->getNbErrors() > 0 && parser_->getError(0)->desc() != nullptr);
        parser_->supportsModelV2(wrong_.data(), wrong_.size());
        KILN_TRY(parser_->supportsModelV2(model_.data(), model_.size()));
        parser_.reset();
        network_.reset(builder_->createNetworkV2(0));
        KILN_TRY(network_ != nullptr);
        parser_.reset(nvonnxparser::createParser(*network_, log));
        KILN_TRY(parser_ != nullptr);
        if (!parser_->parse(model_.data(), model_.size())) {
            reported_ = reported_ && parser_->getNbErrors() > 0;
            return false;
        }
        return true;
    }
    bool verify() override {
        return reported_ && network_->getNbOutputs() == 1 &&
               network_->getOutput(0)->getDimensions().nbDims == 2;
    }
    void destroy() override {
        parser_.reset();
        network_.reset();
        builder_.reset();
    }

private:
    std::string model_;
    std::string wrong_;
    bool reported_ = true;
    std::unique_ptr<IBuilder> builder_;
    std::unique_ptr<INetworkDefinition> network_;
    std::unique_ptr<nvonnxparser::IParser> parser_;
};

constexpr JobKind kJobs[] = {{"Build", makeJob<Build>},
                             {"BuildOtherways", makeJob<BuildOtherways>},
                             {"Parse", makeJob<Parse>}};

} // namespace

std::span<JobKind const> buildingJobs() {
    return kJobs;
}

} // namespace kiln::test
