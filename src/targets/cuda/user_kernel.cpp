// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/user_kernel.h"

#include <array>
#include <cstring>
#include <vector>

#include "targets/cuda/gpu.h"
#include "targets/cuda/kernel_launch.h"
#include "targets/cuda/launch_limits.h"
#include "targets/cuda/module.h"

namespace kiln::targets::cuda {
namespace {

using target::KernelCall;
using target::StreamHandle;
using target::UserKernelSpec;
using target::UserScalar;

/// Writes a scalar in the layout of the kernel's parameter.
void put(ScalarType type, UserScalar const& value, std::byte* to) {
    auto const write = [&](auto number) { std::memcpy(to, &number, sizeof(number)); };
    switch (type) {
    case ScalarType::kInt8: return write(static_cast<int8_t>(value.integer));
    case ScalarType::kInt16: return write(static_cast<int16_t>(value.integer));
    case ScalarType::kInt32: return write(static_cast<int32_t>(value.integer));
    case ScalarType::kInt64: return write(value.integer);
    case ScalarType::kFloat32: return write(static_cast<float>(value.real));
    case ScalarType::kFloat64: return write(value.real);
    }
}

class GpuKernelInstance final : public target::UserKernelInstance {
public:
    GpuKernelInstance(std::shared_ptr<Module const> module, CUfunction function,
                      UserKernelSpec const& spec)
        : module_(std::move(module)), function_(function), types_(spec.scalars),
          inputs_(spec.inputs.size()), outputs_(spec.outputs.size()), scalars_(types_.size()) {
        parameters_.resize(inputs_);
        for (std::array<std::byte, 8>& scalar : scalars_) {
            parameters_.push_back(scalar.data());
        }
        parameters_.resize(parameters_.size() + outputs_);
        parameters_.resize(parameters_.size() + static_cast<std::size_t>(spec.nullPointers),
                           &null_);
    }

    void setLaunch(target::UserLaunch const& launch) override {
        if (std::string const problem = problemOf(launch); !problem.empty()) {
            fail(ErrorKind::kInvalidArgument, "{}", problem);
        }
        for (std::size_t axis = 0; axis < 3; ++axis) {
            grid_[axis] = static_cast<unsigned>(launch.grid[axis]);
            block_[axis] = static_cast<unsigned>(launch.block[axis]);
        }
        sharedBytes_ = static_cast<unsigned>(launch.sharedBytes);
        if (launch.sharedBytes > 0) {
            allowShared(launch.sharedBytes);
        }
        for (std::size_t i = 0; i < scalars_.size(); ++i) {
            put(types_[i], launch.scalars[i], scalars_[i].data());
        }
    }

    void reshape(std::span<Dims const>, std::span<Dims const>) override {}

    target::Launch launch() override { return {&run, this}; }

    std::string failureText() const override {
        std::string text = fmt::format(
            "the launch of {} x {} x {} blocks of {} x {} x {} threads with {} bytes of shared "
            "memory: expected success, got {}",
            grid_[0], grid_[1], grid_[2], block_[0], block_[1], block_[2], sharedBytes_,
            textOf(failure_));
        if (failure_ == CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES) {
            text += ". Use smaller blocks: the kernel needs more registers or shared memory than "
                    "so many threads can have";
        }
        return text;
    }

private:
    void allowShared(int64_t bytes) const {
        Gpu const& gpu = module_->gpu();
        if (bytes > gpu.sharedBytesPerBlock) {
            fail(ErrorKind::kInvalidArgument,
                 "shared_mem: expected 0 to {} on {}, got {}. Change the launch parameters",
                 gpu.sharedBytesPerBlock, gpu.name, bytes);
        }
        module_->allowShared(function_, bytes);
    }

    static int32_t run(void* state, KernelCall const& call, StreamHandle stream) noexcept {
        auto& self = *static_cast<GpuKernelInstance*>(state);
        void** at = self.parameters_.data();
        for (std::size_t i = 0; i < self.inputs_; ++i) {
            *at++ = parameterAt(call.inputs + i);
        }
        at += self.scalars_.size();
        for (std::size_t i = 0; i < self.outputs_; ++i) {
            *at++ = parameterAt(call.outputs + i);
        }
        CUresult const result =
            self.launchKernel_(self.function_, self.grid_[0], self.grid_[1], self.grid_[2],
                               self.block_[0], self.block_[1], self.block_[2], self.sharedBytes_,
                               stream, self.parameters_.data(), nullptr);
        if (result != CUDA_SUCCESS) [[unlikely]] {
            self.failure_ = result;
            return 1;
        }
        return 0;
    }

    std::shared_ptr<Module const> module_;
    CUfunction function_;
    decltype(Driver::launchKernel) launchKernel_ = Driver::instance().launchKernel;
    std::vector<ScalarType> types_;
    std::size_t inputs_;
    std::size_t outputs_;
    std::vector<std::array<std::byte, 8>> scalars_;
    std::vector<void*> parameters_;
    void* null_ = nullptr;
    std::array<unsigned, 3> grid_{1, 1, 1};
    std::array<unsigned, 3> block_{1, 1, 1};
    unsigned sharedBytes_ = 0;
    CUresult failure_ = CUDA_SUCCESS;
};

class GpuKernel final : public target::UserKernel {
public:
    explicit GpuKernel(UserKernelSpec const& spec)
        : module_(std::make_shared<Module const>(spec.code)),
          function_(module_->function(spec.entry)), spec_(spec) {
        spec_.code = {}; // not owned
    }

    std::unique_ptr<target::UserKernelInstance> instantiate() const override {
        return std::make_unique<GpuKernelInstance>(module_, function_, spec_);
    }

private:
    std::shared_ptr<Module const> module_;
    CUfunction function_;
    UserKernelSpec spec_;
};

} // namespace

std::unique_ptr<target::UserKernel> loadGpuKernel(UserKernelSpec const& spec) {
    return std::make_unique<GpuKernel>(spec);
}

} // namespace kiln::targets::cuda
