// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <map>
#include <memory>
#include <vector>

#include "emulation/numbers.h"
#include "targets/cuda/cudnn/cudnn.h"

namespace kiln::emulation {

using namespace targets::cuda;

constexpr cudnnStatus_t kNotFinalized{2004};
constexpr cudnnStatus_t kNotSupported{3000};
constexpr cudnnStatus_t kMisaligned{2003};
constexpr cudnnStatus_t kExecutionFailed{5000};

/// A descriptor, with its attributes as bytes.
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

/// A tensor of a graph. Runs bind memory to its id.
struct CudnnTensor {
    int64_t id = 0;
    bool isVirtual = false;
    Number number = Number::kFloat;
    std::vector<int64_t> dims;
    std::vector<int64_t> strides;
};

/// A pointwise operation of a graph.
struct CudnnStep {
    cudnnPointwiseMode_t mode{};
    double low = 0.0;
    double high = 3.4e38;
    double slope = 0.0;
    double alpha = 1.0;
    CudnnTensor x;
    CudnnTensor b; ///< none if dims is empty
    CudnnTensor y;
};

/// The convolution of a graph, and the pointwise operations behind it.
struct CudnnConvolution {
    CudnnTensor x;
    CudnnTensor w;
    CudnnTensor sum; ///< what the convolution writes
    CudnnTensor y;   ///< the result of the graph
    std::vector<CudnnStep> steps;
    std::vector<int64_t> before;
    std::vector<int64_t> stride;
    std::vector<int64_t> dilation;
    float beta = 0.0F;

    bool channelsLast() const { return x.strides[1] == 1 && x.dims[1] > 1; }
};

/// Reads a graph. Returns false if it is no valid convolution; cudnnGetLastErrorString says why.
bool understand(CudnnDescriptor const& graph, CudnnConvolution& convolution);

/// Computes the convolution; `pointers` maps tensor ids to memory.
void run(CudnnConvolution const& convolution, std::map<int64_t, void*> const& pointers);

/// Sets the text for cudnnGetLastErrorString; returns the status.
cudnnStatus_t tell(cudnnStatus_t status, char const* text);

} // namespace kiln::emulation
