// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/cudnn/convolution_graph.h"

#include <algorithm>
#include <limits>

namespace kiln::targets::cuda {
namespace {

cudnnDataType_t dataTypeOf(DataType type) {
    switch (type) {
    case DataType::kHALF: return CUDNN_DATA_HALF;
    case DataType::kBF16: return CUDNN_DATA_BFLOAT16;
    default: return CUDNN_DATA_FLOAT;
    }
}

Descriptor tensorOf(DenseTensor const& tensor, int64_t operand, cudnnDataType_t type) {
    Descriptor descriptor(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
    descriptor.set(CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, type)
        .set(CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, std::span<int64_t const>(tensor.dims))
        .set(CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, std::span<int64_t const>(tensor.strides))
        .set(CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, static_cast<int64_t>(operand))
        .set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, kCudnnAlignment)
        .set(CUDNN_ATTR_TENSOR_IS_VIRTUAL, CUDNN_TYPE_BOOLEAN, operand >= kVirtual)
        .finalize();
    return descriptor;
}

Descriptor slidingOf(ConvolutionDescription const& description) {
    auto const extents = [](std::vector<int64_t> const& values) {
        return std::span<int64_t const>(values);
    };
    Descriptor descriptor(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
    descriptor
        .set(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, CUDNN_TYPE_INT64,
             static_cast<int64_t>(description.stride.size()))
        .set(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, CUDNN_DATA_FLOAT)
        .set(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE, CUDNN_CROSS_CORRELATION)
        .set(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, CUDNN_TYPE_INT64, extents(description.before))
        .set(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, CUDNN_TYPE_INT64, extents(description.after))
        .set(CUDNN_ATTR_CONVOLUTION_DILATIONS, CUDNN_TYPE_INT64, extents(description.dilation))
        .set(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, CUDNN_TYPE_INT64, extents(description.stride))
        .finalize();
    return descriptor;
}

Descriptor pointwiseOf(ConvolutionStep const& step) {
    Descriptor descriptor(CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
    descriptor.set(CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE, step.mode)
        .set(CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_TYPE_DATA_TYPE, CUDNN_DATA_FLOAT);
    if (step.low.has_value()) {
        descriptor.set(CUDNN_ATTR_POINTWISE_RELU_LOWER_CLIP, CUDNN_TYPE_DOUBLE, *step.low);
    }
    if (step.high.has_value()) {
        constexpr double kMost = std::numeric_limits<float>::max();
        descriptor.set(CUDNN_ATTR_POINTWISE_RELU_UPPER_CLIP, CUDNN_TYPE_DOUBLE,
                       std::min(*step.high, kMost));
    }
    if (step.slope != 0.0) {
        descriptor.set(CUDNN_ATTR_POINTWISE_RELU_LOWER_CLIP_SLOPE, CUDNN_TYPE_DOUBLE, step.slope);
    }
    if (step.mode == CUDNN_POINTWISE_ELU_FWD) {
        descriptor.set(CUDNN_ATTR_POINTWISE_ELU_ALPHA, CUDNN_TYPE_DOUBLE, step.alpha);
    }
    descriptor.finalize();
    return descriptor;
}

} // namespace

ConvolutionGraph::ConvolutionGraph(ConvolutionDescription const& description, BiasWay way)
    : mayRound_(description.type != DataType::kFLOAT || description.tf32) {
    cudnnDataType_t const type = dataTypeOf(description.type);
    bool const fused = way == BiasWay::kFused;
    Descriptor& output =
        part(tensorOf(description.output, fused ? int64_t{kVirtual} : kOutputOperand,
                      fused ? CUDNN_DATA_FLOAT : type));
    addConvolution(description, output, way == BiasWay::kFilled ? 1.0F : 0.0F);
    if (fused) {
        addSteps(description, &output);
    }
    graph_ = Descriptor(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
    graph_
        .set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE,
             Cudnn::threadHandle(Gpu::current()))
        .set(CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_TYPE_BACKEND_DESCRIPTOR,
             std::span<cudnnBackendDescriptor_t const>(operations_))
        .finalize();
}

Descriptor& ConvolutionGraph::part(Descriptor descriptor) {
    return parts_.emplace_back(std::move(descriptor));
}

void ConvolutionGraph::addConvolution(ConvolutionDescription const& description,
                                      Descriptor const& output, float beta) {
    cudnnDataType_t const type = dataTypeOf(description.type);
    Descriptor& operation =
        part(Descriptor(CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR));
    operation
        .set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
             part(tensorOf(description.input, kInputOperand, type)))
        .set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
             part(tensorOf(description.kernel, kKernelOperand, type)))
        .set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC, part(slidingOf(description)))
        .set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y, output)
        .set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA, CUDNN_TYPE_FLOAT, 1.0F)
        .set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA, CUDNN_TYPE_FLOAT, beta)
        .finalize();
    operations_.push_back(operation.get());
}

void ConvolutionGraph::addSteps(ConvolutionDescription const& description, Descriptor* output) {
    cudnnDataType_t const type = dataTypeOf(description.type);
    std::vector<Descriptor*> operands;
    for (std::size_t i = 0; i < description.operands.size(); ++i) {
        operands.push_back(&part(
            tensorOf(description.operands[i], kStepOperands + static_cast<int64_t>(i), type)));
    }
    std::vector<ConvolutionStep> steps = description.steps;
    if (description.hasBias) {
        steps.insert(steps.begin(), ConvolutionStep{});
        steps.front().operand = static_cast<int32_t>(operands.size());
        operands.push_back(&part(tensorOf(description.bias, kBiasOperand, type)));
    }
    for (std::size_t i = 0; i < steps.size(); ++i) {
        ConvolutionStep const& step = steps[i];
        bool const isLast = i + 1 == steps.size();
        Descriptor* const value = output;
        output = &part(
            tensorOf(description.output,
                     isLast ? int64_t{kOutputOperand} : kVirtual + 1 + static_cast<int64_t>(i),
                     isLast ? type : CUDNN_DATA_FLOAT));
        Descriptor* const other = step.operand >= 0
                                      ? operands[static_cast<std::size_t>(step.operand)]
                                  : step.twice ? value
                                               : nullptr;
        Descriptor& operation = part(Descriptor(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR));
        operation.set(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, part(pointwiseOf(step)))
            .set(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, step.operandFirst ? *other : *value)
            .set(CUDNN_ATTR_OPERATION_POINTWISE_YDESC, *output);
        if (other != nullptr) {
            operation.set(CUDNN_ATTR_OPERATION_POINTWISE_BDESC,
                          step.operandFirst ? *value : *other);
        }
        operation.finalize();
        operations_.push_back(operation.get());
    }
}

Descriptor ConvolutionGraph::configurationOf(EngineChoice const& choice) {
    try {
        return configurationOf(choice, choice.engine < 0);
    } catch (Error const& error) {
        if (error.kind() != ErrorKind::kUnsupported || choice.engine < 0) {
            throw;
        }
        return configurationOf(choice, true);
    }
}

Descriptor ConvolutionGraph::configurationOf(EngineChoice const& choice, bool byPosition) {
    if (byPosition) {
        std::vector<Descriptor> all = configurations();
        auto const position = static_cast<std::size_t>(choice.position);
        if (choice.position < 0 || position >= all.size()) {
            fail(ErrorKind::kUnsupported,
                 "[cuda] cuDNN: expected {} configurations or more, got {}. Build the plan again.",
                 position + 1, all.size());
        }
        return std::move(all[position]);
    }
    Descriptor& engine = part(Descriptor(CUDNN_BACKEND_ENGINE_DESCRIPTOR));
    engine.set(CUDNN_ATTR_ENGINE_OPERATION_GRAPH, graph_)
        .set(CUDNN_ATTR_ENGINE_GLOBAL_INDEX, CUDNN_TYPE_INT64, choice.engine)
        .finalize();
    std::vector<cudnnBackendDescriptor_t> knobs;
    for (EngineChoice::Knob const& knob : choice.knobs) {
        Descriptor& descriptor = part(Descriptor(CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR));
        descriptor.set(CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE, CUDNN_TYPE_KNOB_TYPE, knob.type)
            .set(CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE, CUDNN_TYPE_INT64, knob.value)
            .finalize();
        knobs.push_back(descriptor.get());
    }
    Descriptor configuration(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
    configuration.set(CUDNN_ATTR_ENGINECFG_ENGINE, engine);
    if (!knobs.empty()) {
        configuration.set(CUDNN_ATTR_ENGINECFG_KNOB_CHOICES, CUDNN_TYPE_BACKEND_DESCRIPTOR,
                          std::span<cudnnBackendDescriptor_t const>(knobs));
    }
    configuration.finalize();
    if (!isExact(configuration)) {
        fail(ErrorKind::kUnsupported,
             "[cuda] cuDNN: expected an engine that computes in float32, got engine {}. Build the "
             "plan again.",
             choice.engine);
    }
    return configuration;
}

namespace {

void readEngine(Descriptor const& configuration, EngineChoice& choice) {
    constexpr std::size_t kMostKnobs = 64;
    Descriptor const engine(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
    cudnnBackendDescriptor_t raw = engine.get();
    configuration.read(CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_TYPE_BACKEND_DESCRIPTOR,
                       std::span<cudnnBackendDescriptor_t>(&raw, 1));
    engine.read(CUDNN_ATTR_ENGINE_GLOBAL_INDEX, CUDNN_TYPE_INT64,
                std::span<int64_t>(&choice.engine, 1));
    std::vector<Descriptor> knobs;
    std::vector<cudnnBackendDescriptor_t> all;
    for (std::size_t i = 0; i < kMostKnobs; ++i) {
        all.push_back(knobs.emplace_back(CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR).get());
    }
    int64_t const count =
        configuration.read(CUDNN_ATTR_ENGINECFG_KNOB_CHOICES, CUDNN_TYPE_BACKEND_DESCRIPTOR,
                           std::span<cudnnBackendDescriptor_t>(all));
    for (std::size_t i = 0; i < std::min(kMostKnobs, static_cast<std::size_t>(count)); ++i) {
        EngineChoice::Knob& knob = choice.knobs.emplace_back();
        knobs[i].read(CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE, CUDNN_TYPE_KNOB_TYPE,
                      std::span<int32_t>(&knob.type, 1));
        knobs[i].read(CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE, CUDNN_TYPE_INT64,
                      std::span<int64_t>(&knob.value, 1));
    }
}

} // namespace

EngineChoice choiceOf(Descriptor const& configuration, int32_t position) {
    EngineChoice choice;
    try {
        readEngine(configuration, choice);
    } catch (Error const& error) {
        if (error.kind() != ErrorKind::kUnsupported) {
            throw;
        }
        choice = {};
    }
    choice.position = position;
    return choice;
}

bool ConvolutionGraph::isExact(Descriptor const& configuration) const {
    Descriptor const engine(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
    cudnnBackendDescriptor_t raw = engine.get();
    configuration.read(CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_TYPE_BACKEND_DESCRIPTOR,
                       std::span<cudnnBackendDescriptor_t>(&raw, 1));
    cudnnBackendNumericalNote_t notes[32] = {};
    int64_t const count = engine.read(CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_TYPE_NUMERICAL_NOTE,
                                      std::span<cudnnBackendNumericalNote_t>(notes));
    return std::none_of(notes, notes + std::min<int64_t>(count, 32), [&](auto note) {
        // Tensor cores convert float32 to TF32.
        return note == CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS ||
               note == CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION ||
               note == CUDNN_NUMERICAL_NOTE_FFT || note == CUDNN_NUMERICAL_NOTE_WINOGRAD ||
               note == CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC ||
               (!mayRound_ && note == CUDNN_NUMERICAL_NOTE_TENSOR_CORE);
    });
}

std::vector<Descriptor> ConvolutionGraph::configurations() const {
    constexpr std::size_t kMost = 64;
    std::vector<Descriptor> found;
    for (cudnnBackendHeurMode_t const mode : {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_FALLBACK}) {
        Descriptor heuristic(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
        heuristic.set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph_)
            .set(CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, mode);
        if (Cudnn::instance().finalize(heuristic.get()) != CUDNN_STATUS_SUCCESS) {
            continue; // this mode has no engine for the graph
        }
        std::vector<Descriptor> results;
        std::vector<cudnnBackendDescriptor_t> raw;
        for (std::size_t i = 0; i < kMost; ++i) {
            raw.push_back(results.emplace_back(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR).get());
        }
        int64_t const count =
            heuristic.read(CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR,
                           std::span<cudnnBackendDescriptor_t>(raw));
        for (std::size_t i = 0; i < std::min(kMost, static_cast<std::size_t>(count)); ++i) {
            if (isExact(results[i])) {
                found.push_back(std::move(results[i]));
            }
        }
    }
    return found;
}

} // namespace kiln::targets::cuda
