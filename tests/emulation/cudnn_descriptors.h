// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <map>
#include <memory>
#include <vector>

#include "backends/cuda/cudnn/cudnn.h"
#include "emulation/numbers.h"

namespace kiln::emulation {

using namespace backends::cuda;

constexpr cudnnStatus_t kNotFinalized{2004};
constexpr cudnnStatus_t kNotSupported{3000};
constexpr cudnnStatus_t kMisaligned{2003};
constexpr cudnnStatus_t kExecutionFailed{5000};

/// One descriptor: attributes as bytes, until it is finalized.
struct CudnnDescriptor {
    cudnnBackendDescriptorType_t type{};
    bool finalized = false;
    std::map<int, std::vector<std::byte>> values;

    bool has(cudnnBackendAttributeName_t name) const { return values.contains(name); }

    template <typename T>
    std::vector<T> all(cudnnBackendAttributeName_t name) const {
        auto const found = values.find(name);
        std::vector<T> result(found == values.end() ? 0 : found->second.size() / sizeof(T));
        if (!result.empty()) {
            std::memcpy(result.data(), found->second.data(), result.size() * sizeof(T));
        }
        return result;
    }
    template <typename T>
    T one(cudnnBackendAttributeName_t name) const {
        auto const found = values.find(name);
        T value{};
        if (found != values.end()) {
            std::memcpy(&value, found->second.data(), sizeof(T));
        }
        return value;
    }
    CudnnDescriptor const& part(cudnnBackendAttributeName_t name) const {
        return *static_cast<CudnnDescriptor const*>(one<void*>(name));
    }
    template <typename T>
    void put(cudnnBackendAttributeName_t name, T value) {
        values[name].resize(sizeof(T));
        std::memcpy(values[name].data(), &value, sizeof(T));
    }
};

/// A tensor of a graph, by the name that runs bind it to memory with.
struct CudnnTensor {
    int64_t id = 0;
    bool isVirtual = false;
    Number number = Number::kFloat;
    std::vector<int64_t> dims;
    std::vector<int64_t> strides;
};

/// A convolution, and the addition of a bias, as a graph says it.
struct CudnnConvolution {
    CudnnTensor x;
    CudnnTensor w;
    CudnnTensor y;
    CudnnTensor bias; ///< no dims: none
    std::vector<int64_t> before;
    std::vector<int64_t> stride;
    std::vector<int64_t> dilation;
    float beta = 0.0F;
};

/// False, and why not in cudnnGetLastErrorString, for a graph that is no sound convolution.
bool understand(CudnnDescriptor const& graph, CudnnConvolution& convolution);

/// By the tensors' names.
void run(CudnnConvolution const& convolution, std::map<int64_t, void*> const& pointers);

/// What cudnnGetLastErrorString says; returns the status.
cudnnStatus_t tell(cudnnStatus_t status, char const* text);

} // namespace kiln::emulation
