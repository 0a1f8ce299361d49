// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// The constants of an engine: on the device, for the kernels that read them, and new ones.
#include <algorithm>
#include <ranges>

#include "base/tensor_layout.h"
#include "base/text.h"
#include "plan/writer.h"
#include "runtime/context.h"
#include "runtime/engine.h"
#include "runtime/upload.h"
#include "runtime/weight_overflow.h"
#include "target/backend_registry.h"

namespace kiln::runtime {

void Engine::placeConstants(nvinfer1::IGpuAllocator* allocator, Upload& upload) {
    constants_.resize(document_.tensors.size(), nullptr);
    std::vector<plan::TensorId> order; // by position in the plan
    for (plan::TensorId const i : document_.tensors.ids()) {
        plan::TensorRecord const& tensor = document_.tensors[i];
        bool const streams = streaming_ != nullptr && streaming_->owns(i);
        if (tensor.role == plan::TensorRole::kConstant && !tensor.isStripped() && !streams) {
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
        storageBytes(record.type.type, record.type.format, constantDims(record), record.name);
    if (record.role != plan::TensorRole::kConstant || elements.size() != expected) {
        fail(ErrorKind::kInvalidArgument,
             "[engine] constant '{}': expected {} bytes of {}, got {}. Give all elements, in the "
             "type of the engine.",
             record.name, expected, nameOf(record.type.type), elements.size());
    }
    Constant made{packed(tensor, elements), {}};
    if (streaming_ != nullptr && streaming_->owns(tensor)) {
        return made; // contexts bring it to the device
    }
    made.memory = DeviceBuffer(device_, std::max<std::size_t>(made.host.size(), 1),
                               fmt::format("constant '{}'", record.name), allocator_);
    if (!made.host.empty()) {
        device_.copy(made.memory.data(), made.host.data(), made.host.size(),
                     target::CopyKind::kHostToDevice, nullptr);
        device_.synchronize(nullptr); // contexts run on other streams
    }
    return made;
}

/// New constants in place of old ones, with kernels that read them. Puts the old ones back unless
/// it is completed.
class Engine::Exchange {
public:
    Exchange(Engine& engine, std::vector<NewConstant> constants) : engine_(engine) {
        for (NewConstant& own : std::views::reverse(constants)) { // the last elements count
            for (plan::TensorId const version : engine.versionsOf(own.tensor)) {
                if (!fresh_.contains(version)) {
                    fresh_.emplace(version, engine.newConstant(version, own.elements.view));
                }
            }
            own.elements = {};
        }
        for (auto& [tensor, constant] : fresh_) {
            engine.rebound_.try_emplace(tensor);
            tensors_.push_back(tensor);
        }
        readers_ = engine.kernelsThatRead(tensors_);
        for (KernelOf const& reader : readers_) {
            if (steps_.empty() || steps_.back() != reader.step) {
                steps_.push_back(reader.step);
            }
        }
    }
    ~Exchange() {
        if (old_.empty()) {
            return;
        }
        for (auto const& [tensor, old] : old_) {
            engine_.document_.tensors[tensor].data = old.data;
            engine_.constants_[tensor] = old.address;
        }
        if (swapped_) {
            swapKernels();
        }
        try {
            refresh();
        } catch (...) { // device lost
        }
    }
    Exchange(Exchange const&) = delete;
    Exchange& operator=(Exchange const&) = delete;

    std::vector<std::size_t> const& steps() const noexcept { return steps_; }
    std::vector<plan::TensorId> const& tensors() const noexcept { return tensors_; }

    void enter() {
        bool const isHost = engine_.device_.isHost();
        for (auto& [tensor, constant] : fresh_) {
            ByteView& data = engine_.document_.tensors[tensor].data;
            old_[tensor] = {data, engine_.constants_[tensor]};
            data = isHost ? ByteView(static_cast<std::byte const*>(constant.memory.data()),
                                     constant.host.size())
                          : ByteView(constant.host);
            engine_.constants_[tensor] = constant.memory.data();
        }
        for (KernelOf const& reader : readers_) {
            kernels_.push_back(
                engine_.loadKernel(engine_.document_.steps[reader.step], reader.number));
        }
        swapKernels();
        swapped_ = true;
        refresh();
    }

    void complete() noexcept {
        old_.clear();
        for (auto& [tensor, constant] : fresh_) {
            if (engine_.device_.isHost()) {
                constant.host = Bytes(); // kernels read the aligned memory
            }
            engine_.rebound_.find(tensor)->second = std::move(constant);
        }
    }

private:
    struct Old {
        ByteView data;
        void const* address = nullptr;
    };

    void refresh() const {
        if (engine_.streaming_ != nullptr) {
            engine_.streaming_->refresh(tensors_);
        }
    }

    void swapKernels() noexcept {
        for (std::size_t i = 0; i < readers_.size(); ++i) {
            std::swap(engine_.kernels_[readers_[i].step][readers_[i].number], kernels_[i]);
        }
    }

    Engine& engine_;
    std::map<plan::TensorId, Constant> fresh_;
    std::vector<plan::TensorId> tensors_;
    std::vector<KernelOf> readers_;
    std::vector<std::size_t> steps_;                       ///< of the readers
    std::vector<std::unique_ptr<target::Kernel>> kernels_; ///< new, then old ones
    std::map<plan::TensorId, Old> old_;                    ///< until the exchange is complete
    bool swapped_ = false;
};

void Engine::rebindConstants(std::vector<NewConstant> constants,
                             std::span<Context* const> contexts) {
    target::DeviceScope const scope(device_);
    Exchange exchange(*this, std::move(constants));
    exchange.enter();
    std::vector<Context::Instances> instances; // destroyed before the kernels
    for (Context* const context : contexts) {
        instances.push_back(context->newInstances(exchange.steps()));
    }
    for (std::size_t i = 0; i < contexts.size(); ++i) { // nothing throws from here on
        contexts[i]->takeInstances(exchange.steps(), std::move(instances[i]), exchange.tensors());
    }
    exchange.complete();
}

void Engine::rebind(plan::TensorId tensor, ByteView elements, std::span<Context* const> contexts) {
    rebindConstants({{tensor, target::Elements(elements)}}, contexts);
}

void Engine::rebind(std::span<NewWeights const> weights, std::span<Context* const> contexts,
                    Log const* validation) {
    NamedWeights::Copies copies = weights_.copiesOf(weights);
    std::vector<NewConstant> constants = weights_.constantsFor(weights);
    for (plan::TensorId const tensor : document_.tensors.ids()) {
        auto const isOfTensor = [&](NewConstant const& own) { return own.tensor == tensor; };
        if (document_.tensors[tensor].isStripped() &&
            std::none_of(constants.begin(), constants.end(), isOfTensor)) {
            expectWeights();
        }
    }
    if (validation != nullptr) {
        warnOfOverflow(document_, weights, constants, *validation);
    }
    rebindConstants(std::move(constants), contexts);
    weights_.keep(std::move(copies));
    noteStripped();
}

void Engine::noteStripped() {
    lacksWeights_ = std::any_of(document_.tensors.begin(), document_.tensors.end(),
                                [](plan::TensorRecord const& own) { return own.isStripped(); });
}

bool Engine::lacks(std::vector<plan::TensorId> const& operands) const {
    return std::any_of(operands.begin(), operands.end(), [&](plan::TensorId operand) {
        return operand != plan::kAbsent && document_.tensors[operand].isStripped();
    });
}

void Engine::expectWeights() const {
    constexpr std::size_t kMostNames = 8;
    std::vector<std::string> names = missingWeights();
    if (names.empty()) {
        return;
    }
    std::size_t const count = names.size();
    names.resize(std::min(count, kMostNames));
    fail(ErrorKind::kInvalidState,
         "[engine] '{}': expected all weights, got a plan without {} of them: '{}'{}. Set them "
         "with a refitter first.",
         document_.name, count, join(names, "', '"), count > kMostNames ? ", ..." : "");
}

bool Engine::isAsOpened(bool withWeights) const {
    bool const stripped =
        std::any_of(document_.tensors.begin(), document_.tensors.end(),
                    [](plan::TensorRecord const& own) { return own.strippedBytes > 0; });
    return withWeights ? !stripped && rebound_.empty() : stripped;
}

Bytes Engine::serialized(Serialization what) const {
    if (what.withWeights) {
        expectWeights();
    }
    plan::Document copy = document_;
    weights_.putInto(copy);
    if (!what.withWeights) {
        plan::stripWeights(copy);
    } else if (!what.withRefit) {
        copy.refittable = false;
        copy.weights = {};
        copy.fixedWeights.clear();
        for (plan::TensorRecord& tensor : copy.tensors) {
            tensor.weight = plan::WeightId();
        }
    }
    return plan::write(std::move(copy));
}

} // namespace kiln::runtime
