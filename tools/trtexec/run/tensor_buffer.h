// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <string>

#include <NvInferRuntime.h>

#include "run/device.h"
#include "run/layout.h"

namespace kiln::trtexec {

/// The size of `dims` elements of `type` in bytes, densely packed. Throws a Failure that names
/// `tensor` for extents that are negative or overflow.
size_t packedBytes(std::string const& tensor, nvinfer1::DataType type, nvinfer1::Dims const& dims);

/// Product of the extents; 1 for rank 0.
size_t elementCount(nvinfer1::Dims const& dims);

/// Memory of one input or output: on the host, for filling and printing its values, and also on the
/// device unless the engine uses host memory. Serves as the output allocator of outputs of unknown
/// size.
class TensorBuffer final : public nvinfer1::IOutputAllocator {
public:
    /// `onHost`: the engine accesses it in host memory.
    TensorBuffer(std::string name, nvinfer1::DataType type,
                 nvinfer1::TensorFormat format = nvinfer1::TensorFormat::kLINEAR,
                 bool onHost = true)
        : name_(std::move(name)), type_(type), format_(format), onHost_(onHost) {}

    /// Sets the shape and allocates zeroed memory for it.
    void resize(nvinfer1::Dims const& dims);
    /// Enqueues a copy between host and device on a stream; does nothing if the engine uses host
    /// memory.
    void upload(cudaStream_t stream);
    void download(cudaStream_t stream);

    std::string const& name() const noexcept { return name_; }
    nvinfer1::TensorFormat format() const noexcept { return format_; }
    nvinfer1::DataType type() const noexcept { return type_; }
    nvinfer1::Dims const& dims() const noexcept { return dims_; }
    void* data() const noexcept { return memory_.get(); }
    /// The address for the engine.
    void* address() const noexcept { return onHost_ ? memory_.get() : device_.get(); }
    size_t count() const { return elementCount(dims_); }
    /// The size of the memory, including the padding of the format.
    size_t bytes() const;
    Layout layout() const { return {name_, format_, dims_}; }

    void* reallocateOutput(char const* tensorName, void* currentMemory, uint64_t size,
                           uint64_t alignment) noexcept override;
    void notifyShape(char const* tensorName, nvinfer1::Dims const& dims) noexcept override;

private:
    struct Free {
        void operator()(void* memory) const noexcept { std::free(memory); }
    };

    bool allocateHost(size_t bytes) noexcept;
    bool allocateDevice(size_t bytes) noexcept;

    std::string name_;
    nvinfer1::DataType type_;
    nvinfer1::TensorFormat format_;
    nvinfer1::Dims dims_{};
    bool onHost_;
    std::unique_ptr<void, Free> memory_;
    size_t capacity_ = 0;
    DeviceMemory device_;
    size_t deviceCapacity_ = 0;
};

} // namespace kiln::trtexec
