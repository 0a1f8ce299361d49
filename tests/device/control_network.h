// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Engines of networks with loops and branches, on any target.
#pragma once

#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "compiler/compile.h"
#include "plan/reader.h"
#include "runtime/context.h"
#include "support/control_nodes.h"

namespace kiln::test {

template <typename Op>
graph::Tensor& add(graph::Network& network, Op op, Tensors inputs) {
    return *network.addNode(std::make_unique<Op>(std::move(op)), std::move(inputs)).outputs[0];
}

/// The engine of a network with one context, and memory for its inputs and outputs.
class ControlEngine {
public:
    ControlEngine(graph::Network& network, std::string const& target,
                  compiler::Options options = {})
        : plan(compiled(network, target, options)), engine(runtime::copyOfPlan(plan), Log()),
          context(engine, {}, runtime::MemoryStrategy::kOnce), device_(engine.device()),
          stream(device_.createStream()) {}
    ~ControlEngine() {
        device_.synchronize(stream);
        for (auto const& [name, memory] : memory_) {
            device_.release(memory);
        }
        device_.destroyStream(stream);
    }
    ControlEngine(ControlEngine const&) = delete;
    ControlEngine& operator=(ControlEngine const&) = delete;

    /// Gives an input its values and, if they are not fixed, its extents.
    template <typename T>
    void set(char const* name, std::vector<T> const& values, std::vector<int64_t> const& extents) {
        Dims dims{static_cast<int32_t>(extents.size()), {}};
        std::copy(extents.begin(), extents.end(), dims.d);
        context.setInputShape(engine.ioIndex(name), dims);
        move(name, const_cast<T*>(values.data()), values.size() * sizeof(T),
             target::CopyKind::kHostToDevice);
    }
    /// Gives an input that the host reads its values.
    template <typename T>
    void setOnHost(char const* name, T value) {
        std::vector<std::byte>& bytes = host_[name];
        bytes.resize(64);
        std::memcpy(bytes.data(), &value, sizeof(value));
        context.setAddress(engine.ioIndex(name), bytes.data());
    }
    /// The same for an input that, if nothing needs its value, is in memory of the device.
    void setNumber(char const* name, int32_t value) {
        if (context.shapes().isByValue(engine.ioIndex(name))) {
            setOnHost(name, value);
        } else {
            set<int32_t>(name, {value}, {});
        }
    }
    void bind(char const* name) { move(name, nullptr, 0, target::CopyKind::kHostToDevice); }
    void run(char const* output) {
        bind(output);
        context.run(stream);
        context.finish(stream);
    }
    std::vector<float> get(char const* output, std::size_t count) {
        run(output);
        std::vector<float> values(count);
        move(output, values.data(), count * sizeof(float), target::CopyKind::kDeviceToHost);
        return values;
    }
    plan::StepRecord const& step(std::string_view name) const {
        for (plan::StepRecord const& record : engine.document().steps) {
            if (record.name == name) {
                return record;
            }
        }
        fail(ErrorKind::kInternal, "no step '{}'", name);
    }

    Bytes plan;
    runtime::Engine engine;
    runtime::Context context;

private:
    static Bytes compiled(graph::Network& network, std::string const& target,
                          compiler::Options& options) {
        options.target = target;
        return compiler::compile(network, options);
    }
    void move(char const* name, void* values, std::size_t bytes, target::CopyKind kind) {
        constexpr std::size_t kRoom = 4096;
        void*& memory = memory_[name];
        if (memory == nullptr) {
            memory = device_.allocate(kRoom, 256, "a test");
            context.setAddress(engine.ioIndex(name), memory);
        }
        if (values != nullptr) {
            bool const up = kind == target::CopyKind::kHostToDevice;
            device_.copy(up ? memory : values, up ? values : memory, bytes, kind, stream);
            device_.synchronize(stream);
        }
    }

    target::Device& device_;
    std::map<std::string, void*> memory_;
    std::map<std::string, std::vector<std::byte>> host_;

public:
    target::StreamHandle stream;
};

} // namespace kiln::test
