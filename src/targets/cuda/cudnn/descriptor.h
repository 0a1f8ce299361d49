// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <utility>

#include "targets/cuda/cudnn/cudnn.h"

namespace kiln::targets::cuda {

/// RAII owner of a cuDNN descriptor: set attributes, finalize, read. Throws kUnsupported with
/// cuDNN's text.
class Descriptor {
public:
    Descriptor() = default;
    explicit Descriptor(cudnnBackendDescriptorType_t type) {
        Cudnn const& cudnn = Cudnn::instance();
        cudnn.check(cudnn.createDescriptor(type, &descriptor_), "make a descriptor");
    }
    ~Descriptor() {
        if (descriptor_ != nullptr) {
            Cudnn::instance().destroyDescriptor(descriptor_);
        }
    }
    Descriptor(Descriptor&& other) noexcept
        : descriptor_(std::exchange(other.descriptor_, nullptr)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(descriptor_, other.descriptor_);
        return *this;
    }

    template <typename T>
    Descriptor& set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
                    std::span<T const> values) {
        Cudnn const& cudnn = Cudnn::instance();
        cudnn.check(cudnn.setAttribute(descriptor_, name, type, static_cast<int64_t>(values.size()),
                                       values.data()),
                    "set an attribute");
        return *this;
    }
    template <typename T>
    Descriptor& set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
                    T const& value) {
        return set(name, type, std::span<T const>(&value, 1));
    }
    Descriptor& set(cudnnBackendAttributeName_t name, Descriptor const& value) {
        return set(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, value.descriptor_);
    }

    Descriptor& finalize() {
        Cudnn const& cudnn = Cudnn::instance();
        cudnn.check(cudnn.finalize(descriptor_), "finalize a descriptor");
        return *this;
    }

    /// Fills at most values.size() elements; returns cuDNN's count.
    template <typename T>
    int64_t read(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
                 std::span<T> values) const {
        Cudnn const& cudnn = Cudnn::instance();
        int64_t count = 0;
        cudnn.check(cudnn.getAttribute(descriptor_, name, type, static_cast<int64_t>(values.size()),
                                       &count, values.data()),
                    "read an attribute");
        return count;
    }

    cudnnBackendDescriptor_t get() const noexcept { return descriptor_; }

private:
    cudnnBackendDescriptor_t descriptor_ = nullptr;
};

} // namespace kiln::targets::cuda
