// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/cudnn/convolution_plan.h"

#include <algorithm>
#include <memory>

#include <fmt/ranges.h>

#include "base/hash.h"
#include "base/lru_cache.h"

namespace kiln::targets::cuda {
namespace {

/// The engine chosen for a convolution.
struct Choice {
    Choice(ConvolutionDescription const& description, BiasWay biasWay)
        : way(biasWay), graph(description, biasWay) {}

    BiasWay way;
    ConvolutionGraph graph;
    Descriptor configuration;
};

/// Cache of the engines chosen in this process. Evicted ones are chosen again; plans keep their own
/// reference.
LruCache<std::string, std::shared_ptr<Choice const>>& choices() {
    static auto* const all =
        new LruCache<std::string, std::shared_ptr<Choice const>>(ConvolutionPlan::kMostChosen);
    return *all;
}

Descriptor planOf(Descriptor const& configuration) {
    Descriptor plan(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
    plan.set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE,
             Cudnn::threadHandle(Gpu::current()))
        .set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, configuration)
        .finalize();
    return plan;
}

std::size_t workspaceOf(Descriptor const& plan) {
    int64_t wanted = 0;
    plan.read(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_TYPE_INT64,
              std::span<int64_t>(&wanted, 1));
    return static_cast<std::size_t>(std::max<int64_t>(wanted, 0));
}

/// Throws kUnsupported if the plan needs more workspace.
void checkWorkspace(Descriptor const& plan, std::size_t workspaceBytes) {
    if (std::size_t const wanted = workspaceOf(plan); wanted > workspaceBytes) {
        fail(ErrorKind::kUnsupported, "an engine needs {} bytes of workspace", wanted);
    }
}

std::string textOf(std::optional<EngineChoice> const& stored) {
    std::string text;
    if (stored.has_value()) {
        text = fmt::format("|engine {}/{}", stored->engine, stored->position);
        for (EngineChoice::Knob const& knob : stored->knobs) {
            text += fmt::format(":{}={}", knob.type, knob.value);
        }
    }
    return text;
}

/// The plan of the engine that was stored; null if it does not work here.
Descriptor storedPlan(Choice& choice, EngineChoice const& stored, std::size_t workspaceBytes) {
    try {
        Descriptor configuration = choice.graph.configurationOf(stored);
        Descriptor plan = planOf(configuration);
        checkWorkspace(plan, workspaceBytes);
        choice.configuration = std::move(configuration);
        return plan;
    } catch (Error const& error) {
        if (error.kind() == ErrorKind::kOutOfMemory) {
            throw;
        }
        return {};
    }
}

/// The plan of the first configuration that fits the workspace; else null, and `reason` says why.
Descriptor firstPlan(Choice& choice, std::size_t workspaceBytes, std::string& reason) {
    reason = "no engine computes it in float32";
    for (Descriptor& configuration : choice.graph.configurations()) {
        try {
            Descriptor plan = planOf(configuration);
            checkWorkspace(plan, workspaceBytes);
            choice.configuration = std::move(configuration);
            return plan;
        } catch (Error const& error) {
            reason = error.what();
        }
    }
    return {};
}

} // namespace

std::vector<BiasWay> biasWays(ConvolutionDescription const& description) {
    if (!description.hasBias && description.steps.empty()) {
        return {BiasWay::kNone};
    }
    bool const mayFill = description.steps.empty() && !description.channelsLast;
    return mayFill ? std::vector{BiasWay::kFused, BiasWay::kFilled} : std::vector{BiasWay::kFused};
}

ConvolutionPlan::ConvolutionPlan(ConvolutionDescription const& description,
                                 std::size_t workspaceBytes,
                                 std::optional<EngineChoice> const& stored)
    : gpu_(Gpu::current()), stepOperands_(description.operands.size()),
      hasBias_(description.hasBias) {
    std::string const key =
        fmt::format("{}|{}|{}{}", gpu_.handle, description.text(), workspaceBytes, textOf(stored));
    if (auto const known = choices().find(key); known.has_value()) {
        try {
            plan_ = planOf((*known)->configuration);
            choice_ = *known;
            way_ = (*known)->way;
            return;
        } catch (Error const& error) { // cuDNN may fail to compile a kernel a second time
            if (error.kind() == ErrorKind::kOutOfMemory) {
                throw;
            }
        }
    }
    std::string reason;
    for (BiasWay const way : biasWays(description)) {
        try {
            auto const choice = std::make_shared<Choice>(description, way);
            if (stored.has_value()) {
                plan_ = storedPlan(*choice, *stored, workspaceBytes);
            }
            if (plan_.get() == nullptr) {
                plan_ = firstPlan(*choice, workspaceBytes, reason);
            }
            if (plan_.get() != nullptr) {
                way_ = way;
                choice_ = choice;
                choices().store(key, choice);
                return;
            }
        } catch (Error const& error) {
            reason = error.what();
        }
    }
    fail(ErrorKind::kUnsupported,
         "[cuda] cuDNN: expected an engine for a convolution of {} {} with a kernel {} in {} bytes "
         "of workspace, got none ({}). Build the plan without cuDNN.",
         nameOf(description.type), fmt::join(description.input.dims, "x"),
         fmt::join(description.kernel.dims, "x"), workspaceBytes, reason);
}

ConvolutionPlan::ConvolutionPlan(std::shared_ptr<ConvolutionGraph const> graph,
                                 Descriptor const& configuration,
                                 ConvolutionDescription const& description,
                                 std::size_t workspaceBytes)
    : gpu_(Gpu::current()), stepOperands_(description.operands.size()),
      hasBias_(description.hasBias), way_(biasWays(description).front()), choice_(std::move(graph)),
      plan_(planOf(configuration)) {
    checkWorkspace(plan_, workspaceBytes);
}

ConvolutionPlan::ConvolutionPlan(ConvolutionDescription const& description,
                                 std::size_t workspaceBytes, ByteView prepared)
    : gpu_(Gpu::current()), stepOperands_(description.operands.size()),
      hasBias_(description.hasBias), way_(biasWays(description).front()),
      plan_(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR) {
    auto const* const text = reinterpret_cast<char const*>(prepared.data());
    plan_
        .set(CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION, CUDNN_TYPE_CHAR,
             std::span<char const>(text, prepared.size()))
        .set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, Cudnn::threadHandle(gpu_))
        .finalize();
    checkWorkspace(plan_, workspaceBytes);
}

std::size_t ConvolutionPlan::workspaceBytes() const {
    return workspaceOf(plan_);
}

Bytes ConvolutionPlan::prepared() const {
    constexpr auto kName = CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION;
    try {
        int64_t const count = plan_.read(kName, CUDNN_TYPE_CHAR, std::span<char>());
        Bytes text(static_cast<std::size_t>(std::max<int64_t>(count, 0)));
        plan_.read(kName, CUDNN_TYPE_CHAR,
                   std::span<char>(reinterpret_cast<char*>(text.data()), text.size()));
        return text;
    } catch (Error const& error) {
        if (error.kind() != ErrorKind::kUnsupported) {
            throw;
        }
        return {};
    }
}

uint64_t ConvolutionPlan::placeOf(ConvolutionDescription const& description) {
    Gpu const& gpu = Gpu::current();
    std::string const text = fmt::format("{}|{}|{}|{}", gpu.name, gpu.architecture.text(),
                                         gpu.multiprocessors, description.text());
    return hashBytes({reinterpret_cast<std::byte const*>(text.data()), text.size()});
}

void ConvolutionPlan::bind(Pointers const& pointers) {
    std::vector<int64_t> names{kInputOperand, kKernelOperand, kOutputOperand};
    std::vector<void const*> data{pointers.input, pointers.kernel, pointers.output};
    if (way_ == BiasWay::kFused && hasBias_) {
        names.push_back(kBiasOperand);
        data.push_back(pointers.bias);
    }
    for (std::size_t i = 0; i < stepOperands_; ++i) {
        names.push_back(kStepOperands + static_cast<int64_t>(i));
        data.push_back(pointers.operands[i]);
    }
    Descriptor pack(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
    pack.set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64, std::span<int64_t const>(names))
        .set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR,
             std::span<void const* const>(data))
        .set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, pointers.workspace)
        .finalize();
    pack_ = std::move(pack);
    bound_ = pointers;
}

std::size_t ConvolutionPlan::chosen() {
    return choices().size();
}

cudnnStatus_t ConvolutionPlan::run(Pointers const& pointers, CUstream stream) noexcept {
    Cudnn const& cudnn = Cudnn::instance();
    cudnnHandle_t const handle = Cudnn::threadHandle(gpu_);
    if (cudnnStatus_t const status = cudnn.setStream(handle, stream);
        status != CUDNN_STATUS_SUCCESS) {
        return status;
    }
    if (pack_.get() == nullptr || !(pointers == bound_)) [[unlikely]] {
        try {
            bind(pointers);
        } catch (...) { // cuDNN keeps the text of the last error
            pack_ = {};
            return CUDNN_STATUS_BAD_PARAM;
        }
    }
    return cudnn.execute(handle, plan_.get(), pack_.get());
}

} // namespace kiln::targets::cuda
