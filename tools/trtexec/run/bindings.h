// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include <NvInfer.h>

#include "logger.h"
#include "options/options.h"
#include "run/tensor_buffer.h"

namespace kiln::trtexec {

/// The inputs and outputs of one execution context: shapes set, memory bound, inputs filled. Must
/// outlive the last run of the context.
class Bindings {
public:
    /// Throws a Failure that names the tensor.
    Bindings(nvinfer1::IExecutionContext& context, InferenceOptions const& options, Logger& logger);

    /// Inputs, then outputs, in the order of the engine.
    std::vector<TensorBuffer const*> all() const;
    std::vector<TensorBuffer const*> outputs() const;

    /// Enqueues copies of all inputs to the device, or of all outputs from it, on a stream.
    void upload(cudaStream_t stream);
    void download(cudaStream_t stream);

private:
    void checkNames() const;
    void bindInput(char const* name);
    void bindOutput(char const* name);
    nvinfer1::Dims inputShape(char const* name);
    static void pack(TensorBuffer const& values, TensorBuffer& buffer);
    void fillInput(TensorBuffer& buffer);
    void fillShapeValues(TensorBuffer& buffer);
    TensorBuffer& add(char const* name);
    bool isInput(TensorBuffer const& buffer) const;

    nvinfer1::IExecutionContext& context_;
    nvinfer1::ICudaEngine const& engine_;
    InferenceOptions const& options_;
    Logger& logger_;
    // The context keeps the addresses of the buffers.
    std::vector<std::unique_ptr<TensorBuffer>> buffers_;
};

} // namespace kiln::trtexec
