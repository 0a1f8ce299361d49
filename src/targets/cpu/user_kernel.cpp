// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cpu/user_kernel.h"

#include "base/tensor_layout.h"
#include "targets/cpu/host_code.h"

namespace kiln::targets::cpu {
namespace {

using target::KernelCall;
using target::OperandType;
using target::StreamHandle;
using target::UserKernelSpec;

/// Descriptors of a list of tensors, with the extents and strides that they point to.
class Descriptions {
public:
    explicit Descriptions(std::span<OperandType const> types) : dims_(types.size()) {
        for (OperandType const& type : types) {
            descs_.push_back({static_cast<int32_t>(type.type), static_cast<int32_t>(type.format), 0,
                              0, nullptr, nullptr});
        }
        strides_.resize(types.size());
        for (std::size_t i = 0; i < types.size(); ++i) {
            descs_[i].extents = dims_[i].d;
            descs_[i].strides = strides_[i].d;
        }
    }

    void reshape(std::span<Dims const> dims) {
        for (std::size_t i = 0; i < dims.size(); ++i) {
            dims_[i] = dims[i];
            strides_[i] = stridesOf(static_cast<TensorFormat>(descs_[i].format), dims[i]);
            descs_[i].rank = dims[i].nbDims;
        }
    }

    KilnTensorDesc const* data() const noexcept { return descs_.data(); }
    int32_t count() const noexcept { return static_cast<int32_t>(descs_.size()); }

private:
    std::vector<Dims> dims_;
    std::vector<Dims> strides_;
    std::vector<KilnTensorDesc> descs_;
};

class HostKernelInstance final : public target::UserKernelInstance {
public:
    HostKernelInstance(std::shared_ptr<HostCode const> code, KilnHostKernel entry,
                       UserKernelSpec const& spec)
        : code_(std::move(code)), types_(spec.scalars), inputs_(spec.inputs),
          outputs_(spec.outputs), scalars_(spec.scalars.size()), entry_(entry) {
        call_.version = 1;
        call_.inputCount = inputs_.count();
        call_.outputCount = outputs_.count();
        call_.scalarCount = static_cast<int32_t>(scalars_.size());
        call_.inputs = inputs_.data();
        call_.outputs = outputs_.data();
    }

    void setLaunch(target::UserLaunch const& launch) override {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            call_.grid[axis] = launch.grid[axis];
            call_.block[axis] = launch.block[axis];
        }
        call_.sharedBytes = launch.sharedBytes;
        for (std::size_t i = 0; i < scalars_.size(); ++i) {
            if (isReal(types_[i])) {
                scalars_[i].real = launch.scalars[i].real;
            } else {
                scalars_[i].integer = launch.scalars[i].integer;
            }
        }
    }

    void reshape(std::span<Dims const> inputs, std::span<Dims const> outputs) override {
        inputs_.reshape(inputs);
        outputs_.reshape(outputs);
    }

    target::Launch launch() override { return {&run, this}; }

    std::string failureText() const override {
        return fmt::format("expected 0, returned {}", lastCode_);
    }

private:
    static int32_t run(void* state, KernelCall const& call, StreamHandle) noexcept {
        auto& self = *static_cast<HostKernelInstance*>(state);
        self.lastCode_ = self.entry_(call.inputs, call.outputs, self.scalars_.data(), &self.call_);
        return self.lastCode_;
    }

    std::shared_ptr<HostCode const> code_;
    std::vector<ScalarType> types_;
    Descriptions inputs_;
    Descriptions outputs_;
    std::vector<KilnScalar> scalars_;
    KilnHostCall call_{};
    KilnHostKernel entry_;
    int32_t lastCode_ = 0;
};

class HostKernel final : public target::UserKernel {
public:
    HostKernel(UserKernelSpec const& spec, HandOver const& ways)
        : code_(sharedHostCode(spec.code, spec.entry, ways)), entry_(code_->entry(spec.entry)),
          spec_(spec) {
        spec_.code = {}; // not owned
    }

    std::unique_ptr<target::UserKernelInstance> instantiate() const override {
        return std::make_unique<HostKernelInstance>(code_, entry_, spec_);
    }

private:
    std::shared_ptr<HostCode const> code_;
    KilnHostKernel entry_;
    UserKernelSpec spec_;
};

} // namespace

char const* machineName() noexcept {
#if defined(__x86_64__)
    return "x86-64";
#elif defined(__aarch64__)
    return "aarch64";
#else
    return "unknown";
#endif
}

std::unique_ptr<target::UserKernel> loadHostKernel(UserKernelSpec const& spec,
                                                   HandOver const& ways) {
    return std::make_unique<HostKernel>(spec, ways);
}

} // namespace kiln::targets::cpu
