// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Stands in for cuDNN: KILN_CUDNN names this library. The heuristic offers three engines: one that
// computes float32 in TF32 and must not be chosen for it, one with a workspace, one without. Each
// has one setting, a knob, with one valid value. Pointwise operations are fused if the number of
// maps is a multiple of 4; otherwise that pattern is refused, as by the real library for many
// shapes. Channels last need multiples of 8 channels. Kernels longer than 30 have no engine.
#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <string>

#include "emulation/context.h"
#include "emulation/cudnn_descriptors.h"
#include "emulation/memory.h"
#include "emulation/streams.h"

namespace kiln::emulation {

#define KILN_DECLARE(symbol, member, result, parameters) KILN_EMULATED result symbol parameters;
KILN_CUDNN_FUNCTIONS(KILN_DECLARE)
#undef KILN_DECLARE

namespace {

constexpr int64_t kWorkspace = int64_t{1} << 20;
constexpr int64_t kLongestKernel = 30; ///< along an axis

enum Engine { kTensorCores, kWithWorkspace, kWithout, kEngines };

struct Handle {
    CUcontext const context = currentContext(); ///< of the GPU that it is for
    CUstream stream = nullptr;
};

thread_local std::string lastError;

CudnnDescriptor& descriptorOf(cudnnBackendDescriptor_t descriptor) {
    return *static_cast<CudnnDescriptor*>(descriptor);
}

Handle& handleOf(cudnnHandle_t handle) {
    return *reinterpret_cast<Handle*>(handle);
}

std::size_t bytesOf(cudnnBackendAttributeType_t type) {
    switch (type) {
    case CUDNN_TYPE_BOOLEAN:
    case CUDNN_TYPE_CHAR: return 1;
    case CUDNN_TYPE_HANDLE:
    case CUDNN_TYPE_DOUBLE:
    case CUDNN_TYPE_INT64:
    case CUDNN_TYPE_VOID_PTR:
    case CUDNN_TYPE_BACKEND_DESCRIPTOR: return 8;
    default: return 4;
    }
}

constexpr int32_t kKnob = 7;

/// The valid value of an engine's knob.
int64_t knobOf(int64_t engine) {
    return 10 + engine;
}

/// What a finalized plan runs.
struct PlannedWork {
    CudnnConvolution convolution;
    int64_t engine = 0;

    int64_t workspace() const { return engine == kWithWorkspace ? kWorkspace : 0; }
};

/// Plans that were read as text. The text names one of them, so that it means nothing to another
/// process, which has to make the plan again.
struct WrittenPlans {
    std::mutex mutex;
    std::vector<PlannedWork> all;
};

WrittenPlans& writtenPlans() {
    static WrittenPlans plans;
    return plans;
}

std::string nameOfPlan(std::size_t number) {
    return "plan " + std::to_string(number) + " of process " + std::to_string(getpid());
}

bool isLong(CudnnConvolution const& convolution) {
    return std::any_of(convolution.w.dims.begin() + 2, convolution.w.dims.end(),
                       [](int64_t extent) { return extent > kLongestKernel; });
}

CudnnDescriptor const& graphOf(CudnnDescriptor const& configuration) {
    return configuration.part(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH);
}

/// The work of a plan that was made from text or from a configuration; none if the text is unknown.
std::optional<PlannedWork> workOf(CudnnDescriptor const& plan) {
    if (!plan.has(CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION)) {
        CudnnDescriptor const& configuration = plan.part(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG);
        PlannedWork work;
        work.engine = configuration.one<int64_t>(CUDNN_ATTR_ENGINECFG_ENGINE);
        understand(graphOf(configuration), work.convolution);
        return work;
    }
    std::vector<char> const text = plan.all<char>(CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION);
    std::lock_guard const lock(writtenPlans().mutex);
    std::vector<PlannedWork> const& all = writtenPlans().all;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (std::string(text.begin(), text.end()) == nameOfPlan(i)) {
            return all[i];
        }
    }
    return std::nullopt;
}

/// Writes a plan as text; without `values`, tells the room that it takes.
void write(CudnnDescriptor const& plan, int64_t wanted, int64_t* count, void* values) {
    std::lock_guard const lock(writtenPlans().mutex);
    std::string const name = nameOfPlan(writtenPlans().all.size());
    *count = static_cast<int64_t>(name.size());
    if (wanted >= *count && !plan.has(CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION)) {
        std::memcpy(values, name.data(), name.size());
        writtenPlans().all.push_back(*workOf(plan));
    }
}

bool isSupported(CudnnConvolution const& convolution) {
    bool const fused = !convolution.steps.empty();
    bool const grouped = convolution.channelsLast() && convolution.x.number != Number::kFloat;
    return !(fused && convolution.y.dims[1] % 4 != 0) && !isLong(convolution) &&
           !(grouped && convolution.x.dims[1] % 8 != 0);
}

/// A configuration that the caller made: keeps engine and graph as those of the heuristic do.
cudnnStatus_t checkConfiguration(CudnnDescriptor& descriptor) {
    CudnnDescriptor const& engine = descriptor.part(CUDNN_ATTR_ENGINECFG_ENGINE);
    auto const index = engine.one<int64_t>(CUDNN_ATTR_ENGINE_GLOBAL_INDEX);
    for (CudnnDescriptor const* const knob :
         descriptor.all<CudnnDescriptor const*>(CUDNN_ATTR_ENGINECFG_KNOB_CHOICES)) {
        if (knob->one<int32_t>(CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE) != kKnob ||
            knob->one<int64_t>(CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE) != knobOf(index)) {
            return tell(kNotSupported, "a setting that the engine does not have");
        }
    }
    descriptor.put(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH,
                   engine.one<void*>(CUDNN_ATTR_ENGINE_OPERATION_GRAPH));
    descriptor.put(CUDNN_ATTR_ENGINECFG_ENGINE, index);
    return CUDNN_STATUS_SUCCESS;
}

/// Checks that a descriptor has what its kind needs to be finalized.
cudnnStatus_t check(CudnnDescriptor& descriptor) {
    CudnnConvolution convolution;
    switch (descriptor.type) {
    case CUDNN_BACKEND_TENSOR_DESCRIPTOR:
        for (auto const name :
             {CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_ATTR_TENSOR_STRIDES,
              CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT}) {
            if (!descriptor.has(name)) {
                return tell(CUDNN_STATUS_BAD_PARAM, "a tensor lacks an attribute");
            }
        }
        return CUDNN_STATUS_SUCCESS;
    case CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR:
        if (descriptor.one<void*>(CUDNN_ATTR_OPERATIONGRAPH_HANDLE) == nullptr) {
            return tell(CUDNN_STATUS_BAD_PARAM, "a graph without a handle");
        }
        return understand(descriptor, convolution) ? CUDNN_STATUS_SUCCESS : kNotSupported;
    case CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR: {
        CudnnDescriptor const& graph = descriptor.part(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH);
        if (!graph.finalized || !understand(graph, convolution) || !isSupported(convolution)) {
            return tell(kNotSupported, "no engine for this pattern");
        }
        return CUDNN_STATUS_SUCCESS;
    }
    case CUDNN_BACKEND_ENGINE_DESCRIPTOR: {
        CudnnDescriptor const& graph = descriptor.part(CUDNN_ATTR_ENGINE_OPERATION_GRAPH);
        auto const index = descriptor.one<int64_t>(CUDNN_ATTR_ENGINE_GLOBAL_INDEX);
        bool const known = index >= 0 && index < kEngines && understand(graph, convolution) &&
                           isSupported(convolution);
        return known ? CUDNN_STATUS_SUCCESS : tell(kNotSupported, "no such engine");
    }
    case CUDNN_BACKEND_ENGINECFG_DESCRIPTOR: return checkConfiguration(descriptor);
    case CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR: {
        if (descriptor.one<void*>(CUDNN_ATTR_EXECUTION_PLAN_HANDLE) == nullptr) {
            return tell(CUDNN_STATUS_BAD_PARAM, "a plan without a handle");
        }
        std::optional<PlannedWork> const work = workOf(descriptor);
        if (!work.has_value()) {
            return tell(kNotSupported, "a plan of another process");
        }
        descriptor.put(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, work->workspace());
        return CUDNN_STATUS_SUCCESS;
    }
    default: return CUDNN_STATUS_SUCCESS;
    }
}

/// Attributes that are created or derived when they are read.
void answer(CudnnDescriptor const& descriptor, cudnnBackendAttributeName_t name, int64_t wanted,
            int64_t* count, void* values) {
    auto** const made = static_cast<CudnnDescriptor**>(values);
    if (name == CUDNN_ATTR_ENGINEHEUR_RESULTS) {
        *count = std::min<int64_t>(wanted, kEngines);
        for (int64_t i = 0; i < *count; ++i) {
            made[i]->finalized = true;
            made[i]->put(CUDNN_ATTR_ENGINECFG_ENGINE, i);
            made[i]->put(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH,
                         descriptor.one<void*>(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH));
        }
    } else if (name == CUDNN_ATTR_ENGINECFG_ENGINE) {
        made[0]->finalized = true;
        made[0]->put(CUDNN_ATTR_ENGINECFG_ENGINE,
                     descriptor.one<int64_t>(CUDNN_ATTR_ENGINECFG_ENGINE));
        made[0]->put(CUDNN_ATTR_ENGINE_GLOBAL_INDEX,
                     descriptor.one<int64_t>(CUDNN_ATTR_ENGINECFG_ENGINE));
        *count = 1;
    } else if (name == CUDNN_ATTR_ENGINECFG_KNOB_CHOICES) {
        made[0]->finalized = true;
        made[0]->put(CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE, kKnob);
        made[0]->put(CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE,
                     knobOf(descriptor.one<int64_t>(CUDNN_ATTR_ENGINECFG_ENGINE)));
        *count = 1;
    } else if (name == CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE) {
        *static_cast<int32_t*>(values) = descriptor.one<int32_t>(name);
        *count = 1;
    } else if (name == CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE ||
               name == CUDNN_ATTR_ENGINE_GLOBAL_INDEX) {
        *static_cast<int64_t*>(values) = descriptor.one<int64_t>(name);
        *count = 1;
    } else if (name == CUDNN_ATTR_ENGINE_NUMERICAL_NOTE) {
        bool const tensorCores =
            descriptor.one<int64_t>(CUDNN_ATTR_ENGINECFG_ENGINE) == kTensorCores;
        *count = tensorCores ? 1 : 0;
        if (tensorCores) {
            *static_cast<int*>(values) = CUDNN_NUMERICAL_NOTE_TENSOR_CORE;
        }
    }
}

} // namespace

cudnnStatus_t tell(cudnnStatus_t status, char const* text) {
    lastError = text;
    return status;
}

KILN_EMULATED std::size_t cudnnGetVersion() {
    return 90000;
}

KILN_EMULATED char const* cudnnGetErrorString(cudnnStatus_t status) {
    return status == CUDNN_STATUS_SUCCESS ? "CUDNN_STATUS_SUCCESS" : "CUDNN_STATUS_FAILED";
}

KILN_EMULATED void cudnnGetLastErrorString(char* text, std::size_t bytes) {
    std::strncpy(text, lastError.c_str(), bytes - 1);
    lastError.clear();
}

KILN_EMULATED cudnnStatus_t cudnnCreate(cudnnHandle_t* handle) {
    *handle = reinterpret_cast<cudnnHandle_t>(new Handle);
    return CUDNN_STATUS_SUCCESS;
}

KILN_EMULATED cudnnStatus_t cudnnSetStream(cudnnHandle_t handle, CUstream stream) {
    handleOf(handle).stream = stream;
    return CUDNN_STATUS_SUCCESS;
}

KILN_EMULATED cudnnStatus_t cudnnBackendCreateDescriptor(cudnnBackendDescriptorType_t type,
                                                         cudnnBackendDescriptor_t* descriptor) {
    *descriptor = new CudnnDescriptor{type, false, {}};
    return CUDNN_STATUS_SUCCESS;
}

KILN_EMULATED cudnnStatus_t cudnnBackendDestroyDescriptor(cudnnBackendDescriptor_t descriptor) {
    delete &descriptorOf(descriptor);
    return CUDNN_STATUS_SUCCESS;
}

KILN_EMULATED cudnnStatus_t cudnnBackendSetAttribute(cudnnBackendDescriptor_t descriptor,
                                                     cudnnBackendAttributeName_t name,
                                                     cudnnBackendAttributeType_t type,
                                                     int64_t count, void const* values) {
    CudnnDescriptor& target = descriptorOf(descriptor);
    if (target.finalized) {
        return tell(CUDNN_STATUS_BAD_PARAM, "the descriptor is finalized");
    }
    if (type == CUDNN_TYPE_BACKEND_DESCRIPTOR) {
        for (int64_t i = 0; i < count; ++i) {
            auto const* part = static_cast<CudnnDescriptor* const*>(values)[i];
            if (part == nullptr || !part->finalized) {
                return tell(kNotFinalized, "a part is not finalized");
            }
        }
    }
    auto const* bytes = static_cast<std::byte const*>(values);
    target.values[name].assign(bytes, bytes + static_cast<std::size_t>(count) * bytesOf(type));
    return CUDNN_STATUS_SUCCESS;
}

KILN_EMULATED cudnnStatus_t cudnnBackendFinalize(cudnnBackendDescriptor_t descriptor) {
    cudnnStatus_t const status = check(descriptorOf(descriptor));
    descriptorOf(descriptor).finalized = status == CUDNN_STATUS_SUCCESS;
    return status;
}

KILN_EMULATED cudnnStatus_t cudnnBackendGetAttribute(cudnnBackendDescriptor_t descriptor,
                                                     cudnnBackendAttributeName_t name,
                                                     cudnnBackendAttributeType_t type,
                                                     int64_t wanted, int64_t* count, void* values) {
    CudnnDescriptor const& source = descriptorOf(descriptor);
    if (!source.finalized) {
        return tell(kNotFinalized, "the descriptor is not finalized");
    }
    if (name == CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE) {
        *static_cast<int64_t*>(values) = source.one<int64_t>(name);
        *count = type == CUDNN_TYPE_INT64 ? 1 : 0;
    } else if (name == CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION) {
        write(source, wanted, count, values);
    } else {
        answer(source, name, wanted, count, values);
    }
    return CUDNN_STATUS_SUCCESS;
}

KILN_EMULATED cudnnStatus_t cudnnBackendExecute(cudnnHandle_t handle, cudnnBackendDescriptor_t plan,
                                                cudnnBackendDescriptor_t pack) {
    Call const call(__func__);
    Stream* const stream = streamOf(handleOf(handle).stream);
    CudnnDescriptor const& bound = descriptorOf(pack);
    CudnnDescriptor const& ready = descriptorOf(plan);
    if (call.refused() || stream == nullptr || !bound.finalized || !ready.finalized ||
        handleOf(handle).context != currentContext()) {
        return kExecutionFailed;
    }
    PlannedWork const work = *workOf(ready);
    CudnnConvolution const& convolution = work.convolution;
    if (work.engine == kTensorCores && convolution.x.number == Number::kFloat) {
        return tell(kExecutionFailed, "float32 on tensor cores");
    }
    auto const names = bound.all<int64_t>(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS);
    auto const data = bound.all<void*>(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS);
    auto const workspace =
        static_cast<std::size_t>(ready.one<int64_t>(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE));
    if (workspace > 0 && !covers(bound.one<void*>(CUDNN_ATTR_VARIANT_PACK_WORKSPACE), workspace)) {
        return tell(CUDNN_STATUS_BAD_PARAM, "the workspace is too small");
    }
    std::map<int64_t, void*> pointers;
    for (std::size_t i = 0; i < names.size(); ++i) {
        pointers[names[i]] = data[i];
        if (reinterpret_cast<uintptr_t>(data[i]) % 16 != 0) {
            return tell(kMisaligned, "an operand is not aligned");
        }
    }
    CUresult const queued = enqueue(*stream, [=] {
        DeviceAccess const access;
        run(convolution, pointers);
    });
    return queued == CUDA_SUCCESS ? CUDNN_STATUS_SUCCESS : kExecutionFailed;
}

} // namespace kiln::emulation
