// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Parses damaged models, builds what parses, opens it and runs it. The model, the tensors and the
// engine's memory lie between inaccessible pages. Every second model is parsed from a file, where
// its weights stay as those of a large model do.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include <NvInfer.h>

#include "fuzz/fuzz_folder.h"
#include "fuzz/fuzz_target.h"
#include "fuzz/guarded_memory.h"
#include "fuzz/onnx_control_models.h"
#include "fuzz/onnx_models.h"
#include "fuzz/onnx_mutator.h"
#include "onnx/parser.h"

namespace {

using namespace nvinfer1;
using kiln::test::GuardedMemory;

/// Larger models are no defect, but cost time.
constexpr int64_t kMostElements = int64_t{1} << 14;
constexpr int32_t kMostLayers = 200;

// Memory that parsing may allocate, freed parts included: bytes for each byte of the model, and a
// constant for functions and loops, which may stand for thousands of layers (25 MB at once).
constexpr std::size_t kParseFactor = 2048;
constexpr std::size_t kParseConstant = std::size_t{512} << 20;

class Silent final : public ILogger {
public:
    void log(Severity, char const*) noexcept override {}
};

/// Number of elements; nothing if it is unknown or too large.
std::optional<int64_t> fewElements(Dims const& dims) {
    int64_t count = 1;
    for (int32_t i = 0; i < dims.nbDims; ++i) {
        if (dims.d[i] > kMostElements || dims.d[i] < 0) {
            return std::nullopt;
        }
        count *= dims.d[i];
        if (count > kMostElements) {
            return std::nullopt;
        }
    }
    return dims.nbDims < 0 ? std::nullopt : std::optional(count);
}

int64_t bytesOf(DataType type) {
    switch (type) {
    case DataType::kINT64: return 8;
    case DataType::kFLOAT:
    case DataType::kINT32: return 4;
    case DataType::kHALF:
    case DataType::kBF16: return 2;
    default: return 1;
    }
}

bool isSmall(INetworkDefinition const& network) {
    for (int32_t i = 0; i < network.getNbLayers(); ++i) {
        ILayer const& layer = *network.getLayer(i);
        for (int32_t output = 0; output < layer.getNbOutputs(); ++output) {
            Dims dims = layer.getOutput(output)->getDimensions();
            std::replace(dims.d, dims.d + std::max(dims.nbDims, 0), int64_t{-1}, int64_t{3});
            if (!fewElements(dims)) {
                return false;
            }
        }
    }
    return network.getNbLayers() <= kMostLayers;
}

/// Whether all loops have a small constant number of passes: others may run for ever.
bool endsSoon(INetworkDefinition const& network) {
    constexpr int64_t kMostPasses = 32;
    std::set<ITensor const*> few;
    for (int32_t i = 0; i < network.getNbLayers(); ++i) {
        ILayer& layer = *network.getLayer(i);
        if (layer.getType() == LayerType::kCONSTANT) {
            Weights const weights = static_cast<IConstantLayer&>(layer).getWeights();
            int64_t count = kMostPasses + 1;
            if (weights.count == 1 && weights.type == DataType::kINT64) {
                std::memcpy(&count, weights.values, sizeof(count));
            }
            if (count <= kMostPasses) {
                few.insert(layer.getOutput(0));
            }
        }
    }
    std::set<ILoop*> limited;
    std::set<ILoop*> all;
    for (int32_t i = 0; i < network.getNbLayers(); ++i) {
        ILayer& layer = *network.getLayer(i);
        if (layer.getType() == LayerType::kTRIP_LIMIT) {
            ILoop* const loop = static_cast<ITripLimitLayer&>(layer).getLoop();
            all.insert(loop);
            if (few.contains(layer.getInput(0))) {
                limited.insert(loop);
            }
        }
    }
    return limited == all;
}

bool addProfile(IBuilder& builder, INetworkDefinition const& network, IBuilderConfig& config) {
    IOptimizationProfile& profile = *builder.createOptimizationProfile();
    constexpr OptProfileSelector kCorners[] = {OptProfileSelector::kMIN, OptProfileSelector::kOPT,
                                               OptProfileSelector::kMAX};
    for (int32_t i = 0; i < network.getNbInputs(); ++i) {
        ITensor const& input = *network.getInput(i);
        for (int64_t corner = 0; corner < 3; ++corner) {
            Dims dims = input.getDimensions();
            std::replace(dims.d, dims.d + std::max(dims.nbDims, 0), int64_t{-1}, corner + 1);
            auto const count = fewElements(dims);
            if (!count) {
                return false;
            }
            profile.setDimensions(input.getName(), kCorners[corner], dims);
            if (input.isShapeTensor()) {
                std::vector<int64_t> const values(static_cast<std::size_t>(*count), corner + 1);
                profile.setShapeValuesV2(input.getName(), kCorners[corner], values.data(),
                                         static_cast<int32_t>(*count));
            }
        }
    }
    return config.addOptimizationProfile(&profile) >= 0;
}

/// Fills memory with reproducible values: small numbers, sometimes random bits.
void fill(GuardedMemory const& memory, DataType type, bool isShape, uint64_t seed) {
    std::mt19937_64 random(seed);
    std::size_t const element = static_cast<std::size_t>(bytesOf(type));
    for (std::size_t at = 0; at + element <= memory.size(); at += element) {
        uint64_t bits = random() % 16 == 0 ? random() : random() % 5;
        if (isShape) {
            bits = 1 + random() % 3;
        } else if (type == DataType::kBOOL) {
            bits %= 2;
        } else if (type == DataType::kFLOAT && bits < 5) {
            float const number = static_cast<float>(bits) - 2;
            std::memcpy(&bits, &number, sizeof(number));
        }
        std::memcpy(memory.data() + at, &bits, element);
    }
}

struct Bound {
    std::string name;
    std::unique_ptr<GuardedMemory> memory;
};

void run(ICudaEngine& engine, GuardedMemory::Touches touches) {
    std::unique_ptr<IExecutionContext> const context(
        engine.createExecutionContext(ExecutionContextAllocationStrategy::kUSER_MANAGED));
    if (context == nullptr) {
        return;
    }
    GuardedMemory const arena(static_cast<std::size_t>(engine.getDeviceMemorySizeV2()),
                              GuardedMemory::Touches::kFront);
    context->setDeviceMemoryV2(arena.data(), engine.getDeviceMemorySizeV2());
    std::vector<Bound> bound;
    for (TensorIOMode const mode : {TensorIOMode::kINPUT, TensorIOMode::kOUTPUT}) {
        for (int32_t i = 0; i < engine.getNbIOTensors(); ++i) {
            char const* const name = engine.getIOTensorName(i);
            if (engine.getTensorIOMode(name) != mode) {
                continue;
            }
            if (mode == TensorIOMode::kINPUT) {
                Dims dims = engine.getTensorShape(name);
                std::replace(dims.d, dims.d + dims.nbDims, int64_t{-1}, int64_t{2});
                context->setInputShape(name, dims);
            }
            auto const count = fewElements(context->getTensorShape(name));
            if (!count) {
                return;
            }
            DataType const type = engine.getTensorDataType(name);
            auto const bytes = static_cast<std::size_t>(*count * bytesOf(type));
            bound.push_back({name, std::make_unique<GuardedMemory>(bytes, touches, 1)});
            if (mode == TensorIOMode::kINPUT) {
                fill(*bound.back().memory, type, engine.isShapeInferenceIO(name), bytes);
            }
            context->setTensorAddress(name, bound.back().memory->data());
        }
    }
    context->enqueueV3(nullptr);
    for (Bound const& entry : bound) {
        entry.memory->check(entry.name.c_str());
    }
    arena.check("device memory");
}

void buildAndRun(IBuilder& builder, INetworkDefinition& network, ILogger& logger) {
    std::unique_ptr<IBuilderConfig> const config(builder.createBuilderConfig());
    config->setAvgTimingIterations(1);
    if (!isSmall(network) || !addProfile(builder, network, *config)) {
        return;
    }
    std::unique_ptr<IHostMemory> const plan(builder.buildSerializedNetwork(network, *config));
    if (plan == nullptr) {
        return;
    }
    std::unique_ptr<IRuntime> const runtime(createInferRuntime(logger));
    std::unique_ptr<ICudaEngine> const engine(
        runtime->deserializeCudaEngine(plan->data(), plan->size()));
    if (engine == nullptr) {
        std::fprintf(stderr, "a plan that was just built does not open\n");
        std::abort();
    }
    if (!endsSoon(network)) {
        return;
    }
    run(*engine, GuardedMemory::Touches::kBack);
    run(*engine, GuardedMemory::Touches::kFront);
}

/// Whether a model is parsed from a file: the same for the same bytes.
bool isParsedFromFile(uint8_t const* data, std::size_t size) {
    return std::hash<std::string_view>()({reinterpret_cast<char const*>(data), size}) % 2 == 0;
}

void expectInProportion(std::size_t used, std::size_t modelBytes) {
    std::size_t const limit = kParseConstant + kParseFactor * modelBytes;
    if (used > limit) {
        std::fprintf(stderr, "parsing %zu bytes: expected %zu bytes of memory at most, got %zu\n",
                     modelBytes, limit, used);
        std::abort();
    }
}

} // namespace

std::vector<std::vector<std::byte>> fuzzSeeds() {
    std::vector<std::vector<std::byte>> seeds;
    auto const add = [&](std::vector<std::string> const& models) {
        for (std::string const& model : models) {
            auto const* const first = reinterpret_cast<std::byte const*>(model.data());
            seeds.emplace_back(first, first + model.size());
        }
    };
    // Most mutations of hostile models are refused for the original fault: sound models weigh more.
    for (int i = 0; i < 5; ++i) {
        add(soundOnnxModels());
        add(soundControlModels());
        add(modelsWithFiles());
    }
    add(hostileOnnxModels());
    add(hostileControlModels());
    return seeds;
}

void fuzzMutate(std::vector<std::byte>& input, std::mt19937_64& random) {
    mutateOnnx(input, random);
}

// Parsing has its own limit. The memory for building and running depends on the network.
std::size_t fuzzAllocationLimit(std::size_t /*inputBytes*/) {
    return std::numeric_limits<std::size_t>::max();
}

extern "C" int LLVMFuzzerTestOneInput(uint8_t const* data, std::size_t size) {
    static Silent logger;
    static std::unique_ptr<IBuilder> const builder(createInferBuilder(logger));
    static FuzzFolder const folder;
    auto const flag = NetworkDefinitionCreationFlag::kSTRONGLY_TYPED;
    std::unique_ptr<INetworkDefinition> const network(
        builder->createNetworkV2(1U << static_cast<uint32_t>(flag)));
    auto const* const first = reinterpret_cast<std::byte const*>(data);
    bool const fromFile = isParsedFromFile(data, size);
    GuardedMemory const model(fromFile ? 0 : size, GuardedMemory::Touches::kBack, 1);
    if (fromFile) {
        folder.write({first, size});
    } else {
        std::copy_n(first, size, model.data());
    }
    std::string const path = folder.model();
    kiln::onnx::MappingLimits const limits{.file = 1, .tensor = 1};
    kiln::onnx::Parser parser(*network, logger, limits); // the network points into its memory
    std::size_t const before = allocatedBytes();
    bool const parsed = fromFile ? parser.parseFromFile(path.c_str(), 0)
                                 : parser.parse(model.data(), size, path.c_str());
    expectInProportion(allocatedBytes() - before, size);
    if (parsed) {
        buildAndRun(*builder, *network, logger);
    }
    return 0;
}
