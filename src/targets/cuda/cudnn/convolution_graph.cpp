// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/cudnn/convolution_graph.h"

#include <algorithm>

namespace kiln::targets::cuda {
namespace {

cudnnDataType_t dataTypeOf(DataType type) {
    switch (type) {
    case DataType::kHALF: return CUDNN_DATA_HALF;
    case DataType::kBF16: return CUDNN_DATA_BFLOAT16;
    default: return CUDNN_DATA_FLOAT;
    }
}

Descriptor tensorOf(DenseTensor const& tensor, ConvolutionOperand operand, cudnnDataType_t type) {
    Descriptor descriptor(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
    descriptor.set(CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, type)
        .set(CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, std::span<int64_t const>(tensor.dims))
        .set(CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, std::span<int64_t const>(tensor.strides))
        .set(CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, static_cast<int64_t>(operand))
        .set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, kCudnnAlignment)
        .set(CUDNN_ATTR_TENSOR_IS_VIRTUAL, CUDNN_TYPE_BOOLEAN, operand == kSumOperand)
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

} // namespace

ConvolutionGraph::ConvolutionGraph(ConvolutionDescription const& description, BiasWay way)
    : type_(description.type),
      convolution_(CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR) {
    cudnnDataType_t const type = dataTypeOf(description.type);
    bool const fused = way == BiasWay::kFused;
    parts_.push_back(tensorOf(description.input, kInputOperand, type));
    parts_.push_back(tensorOf(description.kernel, kKernelOperand, type));
    parts_.push_back(slidingOf(description));
    parts_.push_back(tensorOf(description.output, fused ? kSumOperand : kOutputOperand,
                              fused ? CUDNN_DATA_FLOAT : type));
    convolution_.set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, parts_[0])
        .set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W, parts_[1])
        .set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC, parts_[2])
        .set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y, parts_[3])
        .set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA, CUDNN_TYPE_FLOAT, 1.0F)
        .set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA, CUDNN_TYPE_FLOAT,
             way == BiasWay::kFilled ? 1.0F : 0.0F)
        .finalize();
    std::vector<cudnnBackendDescriptor_t> operations{convolution_.get()};
    if (fused) {
        addBias(description);
        operations.push_back(bias_.get());
    }
    graph_ = Descriptor(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
    graph_
        .set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE,
             Cudnn::threadHandle(Gpu::current()))
        .set(CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_TYPE_BACKEND_DESCRIPTOR,
             std::span<cudnnBackendDescriptor_t const>(operations))
        .finalize();
}

void ConvolutionGraph::addBias(ConvolutionDescription const& description) {
    cudnnDataType_t const type = dataTypeOf(description.type);
    Descriptor addition(CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
    addition.set(CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE, CUDNN_POINTWISE_ADD)
        .set(CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_TYPE_DATA_TYPE, CUDNN_DATA_FLOAT)
        .finalize();
    parts_.push_back(std::move(addition));
    parts_.push_back(tensorOf(description.bias, kBiasOperand, type));
    parts_.push_back(tensorOf(description.output, kOutputOperand, type));
    bias_ = Descriptor(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
    bias_.set(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, parts_[4])
        .set(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, parts_[3])
        .set(CUDNN_ATTR_OPERATION_POINTWISE_BDESC, parts_[5])
        .set(CUDNN_ATTR_OPERATION_POINTWISE_YDESC, parts_[6])
        .finalize();
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
               (type_ == DataType::kFLOAT && note == CUDNN_NUMERICAL_NOTE_TENSOR_CORE);
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
