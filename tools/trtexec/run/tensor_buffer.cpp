// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "run/tensor_buffer.h"

#include <cstring>

#include "failure.h"
#include "options/shapes.h"
#include "run/element.h"

namespace kiln::trtexec {
namespace {

constexpr size_t kAlignment = 256; // the alignment of tensors that the API requires

} // namespace

size_t packedBytes(std::string const& tensor, nvinfer1::DataType type, nvinfer1::Dims const& dims) {
    size_t bits = static_cast<size_t>(bitsOf(type));
    for (int32_t i = 0; i < dims.nbDims; ++i) {
        if (dims.d[i] < 0 || __builtin_mul_overflow(bits, static_cast<size_t>(dims.d[i]), &bits)) {
            fail("[run] tensor '{}': expected extents that fit into memory, got {}", tensor,
                 toText(dims));
        }
    }
    return bits / 8 + (bits % 8 != 0 ? 1 : 0);
}

size_t elementCount(nvinfer1::Dims const& dims) {
    size_t count = 1;
    for (int32_t i = 0; i < dims.nbDims; ++i) {
        count *= static_cast<size_t>(dims.d[i]);
    }
    return count;
}

size_t TensorBuffer::bytes() const {
    size_t const elements = layout().elements();
    return packedBytes(name_, type_, {1, {static_cast<int64_t>(elements)}});
}

void TensorBuffer::resize(nvinfer1::Dims const& dims) {
    dims_ = dims;
    size_t const needed = bytes();
    if (!allocateHost(needed) || (!onHost_ && !allocateDevice(needed))) {
        fail("[run] tensor '{}': no memory for {} bytes ({} of {})", name_, needed, toText(dims),
             nameOf(type_));
    }
    std::memset(memory_.get(), 0, needed);
}

void TensorBuffer::upload(cudaStream_t stream) {
    if (!onHost_) {
        checkDevice(device().copy(device_.get(), memory_.get(), bytes(),
                                  MemoryCopy::kHOST_TO_DEVICE, stream),
                    "copy an input to the device");
    }
}

void TensorBuffer::download(cudaStream_t stream) {
    if (onHost_) {
        return;
    }
    if (!allocateHost(bytes())) {
        fail("[run] tensor '{}': no memory for {} bytes ({} of {})", name_, bytes(), toText(dims_),
             nameOf(type_));
    }
    checkDevice(
        device().copy(memory_.get(), device_.get(), bytes(), MemoryCopy::kDEVICE_TO_HOST, stream),
        "copy an output from the device");
}

// Rounds up beyond the needed size: empty tensors also need memory, because a null address means
// that none is set.
bool TensorBuffer::allocateHost(size_t bytes) noexcept {
    if (memory_ != nullptr && bytes <= capacity_) {
        return true;
    }
    size_t const rounded = (bytes / kAlignment + 1) * kAlignment;
    memory_.reset(rounded > bytes ? std::aligned_alloc(kAlignment, rounded) : nullptr);
    capacity_ = memory_ != nullptr ? rounded : 0;
    return memory_ != nullptr;
}

bool TensorBuffer::allocateDevice(size_t bytes) noexcept {
    if (device_ == nullptr || bytes > deviceCapacity_) {
        device_.reset();
        device_.reset(device().allocate(bytes));
        deviceCapacity_ = device_ != nullptr ? bytes : 0;
    }
    return device_ != nullptr;
}

void* TensorBuffer::reallocateOutput(char const* /*tensorName*/, void* /*currentMemory*/,
                                     uint64_t size, uint64_t alignment) noexcept {
    return alignment <= kAlignment && (onHost_ ? allocateHost(size) : allocateDevice(size))
               ? address()
               : nullptr;
}

void TensorBuffer::notifyShape(char const* /*tensorName*/, nvinfer1::Dims const& dims) noexcept {
    dims_ = dims;
}

} // namespace kiln::trtexec
