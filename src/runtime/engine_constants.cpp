// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// The constants of an engine: on the device, for the kernels that read them, and new ones.
#include <algorithm>

#include "base/checked.h"
#include "runtime/context.h"
#include "runtime/engine.h"
#include "runtime/upload.h"
#include "target/backend_registry.h"

namespace kiln::runtime {

void Engine::placeConstants(nvinfer1::IGpuAllocator* allocator, Upload& upload) {
    constants_.resize(document_.tensors.size(), nullptr);
    std::vector<plan::TensorId> order; // by position in the plan
    for (plan::TensorId const i : document_.tensors.ids()) {
        if (document_.tensors[i].role == plan::TensorRole::kConstant) {
            constants_[i] = document_.tensors[i].data.data();
            order.push_back(i);
        }
    }
    if (device_.isHost()) {
        return;
    }
    std::sort(order.begin(), order.end(), [&](plan::TensorId a, plan::TensorId b) {
        return document_.tensors[a].data.data() < document_.tensors[b].data.data();
    });
    for (std::size_t first = 0; first < order.size();) {
        first = placeTogether(order, first, allocator, upload);
    }
}

/// Places the constant order[first] with all that overlap it, so that each byte of the plan is
/// uploaded once, and with those behind it that only padding separates: one copy of many constants
/// is faster. Returns the index of the next constant.
std::size_t Engine::placeTogether(std::span<plan::TensorId const> order, std::size_t first,
                                  nvinfer1::IGpuAllocator* allocator, Upload& upload) {
    plan::TensorRecord const& leader = document_.tensors[order[first]];
    constexpr std::size_t kPadding = 64; // of constants in a plan
    std::byte const* const begin = leader.data.data();
    std::byte const* end = begin + leader.data.size();
    std::size_t next = first + 1;
    for (; next < order.size(); ++next) {
        ByteView const data = document_.tensors[order[next]].data;
        if (data.data() >= end && static_cast<std::size_t>(data.data() - end) >= kPadding) {
            break;
        }
        end = std::max(end, data.data() + data.size());
    }
    auto const bytes = static_cast<std::size_t>(end - begin);
    uploads_.emplace_back(device_, bytes,
                          fmt::format("constant '{}' of engine '{}'", leader.name, document_.name),
                          allocator);
    auto* const device = static_cast<std::byte*>(uploads_.back().data());
    if (bytes > 0) {
        upload.add(device, begin, bytes);
    }
    for (std::size_t i = first; i < next; ++i) {
        ByteView const data = document_.tensors[order[i]].data;
        constants_[order[i]] = device == nullptr ? nullptr : device + (data.data() - begin);
    }
    return next;
}

/// The extents of a constant, which are numbers in the plan.
Dims Engine::constantDims(plan::TensorRecord const& tensor) const {
    Dims dims{tensor.shape.rank, {}};
    for (int32_t axis = 0; axis < dims.nbDims; ++axis) {
        dims.d[axis] = document_.exprs[static_cast<std::size_t>(tensor.shape[axis])].value;
    }
    return dims;
}

std::unique_ptr<target::Kernel> Engine::loadKernel(plan::StepRecord const& step,
                                                   std::size_t number) const {
    target::KernelRecord const& kernel = step.kernelAt(number);
    std::vector<plan::TensorId> const& inputs = step.inputsAt(number);
    std::vector<target::ConstantOperand> constants(inputs.size());
    for (std::size_t i = 0; i < constants.size(); ++i) {
        if (inputs[i] == plan::kAbsent) {
            continue;
        }
        plan::TensorRecord const& tensor = document_.tensors[inputs[i]];
        if (tensor.role == plan::TensorRole::kConstant) {
            constants[i] = {tensor.data.data(), constant(inputs[i]), tensor.data.size(),
                            constantDims(tensor)};
        }
    }
    try {
        return device_.load(kernel, constants);
    } catch (Error const& error) {
        fail(error.kind(), "[plan] step '{}', kernel {}/{}: {}", step.name, document_.target,
             kernel.kernel, error.what());
    }
}

/// The tensors that hold one constant in the orders of the kernels of several profiles, itself
/// among them.
std::vector<plan::TensorId> Engine::versionsOf(plan::TensorId constant) const {
    std::vector<plan::TensorId> versions{constant};
    auto const isIn = [&](plan::TensorId tensor) {
        return std::find(versions.begin(), versions.end(), tensor) != versions.end();
    };
    for (std::size_t known = 0; known != versions.size();) {
        known = versions.size();
        for (plan::StepRecord const& step : document_.steps) {
            for (std::size_t i = 0; !step.otherKernels.empty() && i < step.inputs.size(); ++i) {
                std::vector<plan::TensorId> same; // what the kernels of the step read here
                for (std::size_t number = 0; number < step.kernelCount(); ++number) {
                    same.push_back(step.inputsAt(number)[i]);
                }
                if (std::any_of(same.begin(), same.end(), isIn)) {
                    std::remove_copy_if(same.begin(), same.end(), std::back_inserter(versions),
                                        isIn);
                }
            }
        }
    }
    return versions;
}

std::vector<Engine::KernelOf> Engine::kernelsThatRead(
    std::span<plan::TensorId const> constants) const {
    std::vector<KernelOf> readers;
    for (std::size_t i = 0; i < document_.steps.size(); ++i) {
        for (std::size_t number = 0; number < kernels_[i].size(); ++number) {
            std::vector<plan::TensorId> const& inputs = document_.steps[i].inputsAt(number);
            if (std::find_first_of(inputs.begin(), inputs.end(), constants.begin(),
                                   constants.end()) != inputs.end()) {
                readers.push_back({i, number});
            }
        }
    }
    return readers;
}

/// The elements in the order that the kernel of the constant wants.
Bytes Engine::packed(plan::TensorId tensor, ByteView elements) const {
    plan::TensorRecord const& record = document_.tensors[tensor];
    std::vector<KernelOf> const readers = kernelsThatRead({&tensor, 1});
    if (record.type.tag == 0 || readers.empty()) {
        return {elements.begin(), elements.end()};
    }
    plan::StepRecord const& step = document_.steps[readers.front().step];
    std::vector<plan::TensorId> const& inputs = step.inputsAt(readers.front().number);
    auto const operand =
        static_cast<std::size_t>(std::find(inputs.begin(), inputs.end(), tensor) - inputs.begin());
    target::Backend& backend = target::BackendRegistry::instance().open(document_.target);
    return backend.pack(step.kernelAt(readers.front().number), operand,
                        {elements.data(), elements.data(), elements.size(), constantDims(record)});
}

Engine::Constant Engine::newConstant(plan::TensorId tensor, ByteView elements) {
    plan::TensorRecord const& record = document_.tensors[tensor];
    std::size_t const expected =
        bytesFor(record.type.type, volume(constantDims(record), record.name));
    if (record.role != plan::TensorRole::kConstant || elements.size() != expected) {
        fail(ErrorKind::kInvalidArgument,
             "[engine] constant '{}': expected {} bytes of {}, got {}. Give all elements, in the "
             "type of the engine.",
             record.name, expected, nameOf(record.type.type), elements.size());
    }
    Constant made{packed(tensor, elements), {}};
    made.memory = DeviceBuffer(device_, std::max<std::size_t>(made.host.size(), 1),
                               fmt::format("constant '{}'", record.name));
    if (!made.host.empty()) {
        device_.copy(made.memory.data(), made.host.data(), made.host.size(),
                     target::CopyKind::kHostToDevice, nullptr);
        device_.synchronize(nullptr); // contexts run on other streams
    }
    return made;
}

void Engine::rebind(plan::TensorId tensor, ByteView elements, std::span<Context* const> contexts) {
    target::DeviceScope const scope(device_);
    std::vector<plan::TensorId> const versions = versionsOf(tensor);
    std::vector<Constant> fresh;
    for (plan::TensorId const version : versions) {
        fresh.push_back(newConstant(version, elements));
        rebound_.try_emplace(version);
    }
    std::vector<KernelOf> const readers = kernelsThatRead(versions);
    std::vector<std::size_t> steps;
    for (KernelOf const& reader : readers) {
        if (steps.empty() || steps.back() != reader.step) {
            steps.push_back(reader.step);
        }
    }
    std::vector<std::pair<ByteView, void const*>> others; // data and addresses: new, then old ones
    for (Constant const& own : fresh) {
        ByteView const inPlace(static_cast<std::byte const*>(own.memory.data()), own.host.size());
        others.emplace_back(device_.isHost() ? inPlace : ByteView(own.host), own.memory.data());
    }
    auto const swapConstants = [&] {
        for (std::size_t i = 0; i < versions.size(); ++i) {
            std::swap(document_.tensors[versions[i]].data, others[i].first);
            std::swap(constants_[versions[i]], others[i].second);
        }
    };
    std::vector<std::unique_ptr<target::Kernel>> kernels; // new, then old ones
    auto const swapKernels = [&] {
        for (std::size_t i = 0; i < readers.size(); ++i) {
            std::swap(kernels_[readers[i].step][readers[i].number], kernels[i]);
        }
    };
    std::vector<Context::Instances> instances;
    bool swapped = false;
    swapConstants();
    try {
        for (KernelOf const& reader : readers) {
            kernels.push_back(loadKernel(document_.steps[reader.step], reader.number));
        }
        swapKernels();
        swapped = true;
        for (Context* const context : contexts) {
            instances.push_back(context->newInstances(steps));
        }
    } catch (...) {
        swapConstants();
        if (swapped) {
            instances.clear(); // of the kernels that are given up
            swapKernels();
        }
        throw;
    }
    for (std::size_t i = 0; i < contexts.size(); ++i) { // nothing throws from here on
        contexts[i]->takeInstances(steps, std::move(instances[i]), versions);
    }
    for (std::size_t i = 0; i < versions.size(); ++i) {
        if (device_.isHost()) {
            fresh[i].host = Bytes(); // kernels read the aligned memory
        }
        rebound_[versions[i]] = std::move(fresh[i]);
    }
}

} // namespace kiln::runtime
