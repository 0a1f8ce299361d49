// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/log.h"
#include "plan/document.h"
#include "plugin/creator_table.h"
#include "plugin/plugin_op.h"
#include "plugin/plugin_run.h"
#include "runtime/aot_code.h"
#include "runtime/device_buffer.h"
#include "runtime/host_code.h"
#include "runtime/memory_layouts.h"
#include "runtime/named_weights.h"
#include "runtime/plan_bytes.h"
#include "runtime/size_points.h"
#include "runtime/weight_streaming.h"
#include "target/device_choice.h"

namespace kiln::runtime {

class Context;
class PartTimes;
class Upload;

/// An opened plan: kernels loaded, plugins created and initialized, constants on the device.
/// Immutable but for rebind(), and shared by any number of contexts and threads. Contexts must be
/// destroyed first.
class Engine {
public:
    /// Returns the creators of a plan's plugins, including those of its own libraries.
    using Creators =
        std::function<std::shared_ptr<plugin::CreatorTable const>(plan::Document const&)>;

    /// Throws kCorruptData, kUnsupported (other version or target), kPlugin (creator missing), or
    /// kInvalidState for host code that `hostCode` does not allow. `creators` empty: those of the
    /// process. `devices` chooses the device. Constants go to memory of `allocator`, which must
    /// outlive the engine; null: of the target.
    Engine(std::shared_ptr<PlanBytes const> bytes, Log log, Creators const& creators = {},
           HostCode const& hostCode = {}, nvinfer1::IGpuAllocator* allocator = nullptr,
           target::DeviceChoice const& devices = {});
    ~Engine();

    plan::Document const& document() const noexcept { return document_; }
    target::Device& device() const noexcept { return device_; }
    ByteView bytes() const noexcept { return bytes_->view(); }
    Log const& log() const noexcept { return log_; }

    /// An input or output; none for unknown names.
    plan::TensorId ioIndex(std::string_view name) const;
    /// The inputs and outputs, in the network's order.
    std::vector<plan::TensorId> const& io() const noexcept { return io_; }
    /// Bytes that are reserved for each tensor.
    Table<plan::TensorId, uint64_t> const& capacity() const noexcept { return capacity_; }
    /// Places in the memory of a context, for the shapes of one profile.
    std::shared_ptr<MemoryLayout const> layoutFor(int32_t profile) const {
        return layouts_.of(profile);
    }

    /// Where sizes that plugins compute become known.
    SizePoints const& sizePoints() const noexcept { return sizePoints_; }

    /// Null unless the plan was built for weight streaming. Contexts change where weights are.
    WeightStreaming* streaming() const noexcept { return streaming_.get(); }
    /// Memory of the device that a context needs: for streamed weights, scratch memory of a
    /// multiple of DeviceBuffer::kAlignment; then its arena.
    uint64_t contextBytes(uint64_t arenaBytes) const;

    /// The address of a constant tensor for kernels; null for those of streaming().
    void const* constant(plan::TensorId tensor) const { return constants_[tensor]; }
    /// Gives weights of the network other elements: all constants that depend on them are computed,
    /// packed and copied to the device, and the kernels that read them are loaded again from their
    /// records, without the compiler. `contexts` are all those of the engine; none of them runs.
    /// Throws kInvalidArgument for unknown names, wrong types and sizes, and weights that only an
    /// engine for refit can change; after any error, all is as it was.
    /// `validation` receives a warning where finite weights become infinite in the engine's type.
    void rebind(std::span<NewWeights const> weights, std::span<Context* const> contexts,
                Log const* validation = nullptr);
    /// Names of weights that a plan without weights needs before contexts can be made.
    std::vector<std::string> missingWeights() const { return weights_.missing(); }
    /// Throws kInvalidState if there are any.
    void expectWeights() const;
    /// The same for one constant of the engine, in its type and format.
    void rebind(plan::TensorId tensor, ByteView elements, std::span<Context* const> contexts);
    /// The plan with the weights that the engine has now.
    struct Serialization {
        bool withWeights = true; ///< those that can change
        bool withRefit = true;   ///< the engine stays refittable; else all weights are in the plan
    };
    Bytes serialized(Serialization what) const;
    /// Whether bytes() are the plan with, or without, the weights that the engine has now.
    bool isAsOpened(bool withWeights) const;
    /// Whether a step runs plugin code on the host.
    bool isPluginCode(std::size_t step) const;
    /// The same, for plugins written in Python.
    bool isPythonCode(std::size_t step) const;
    /// Creates a step for a profile.
    std::unique_ptr<target::KernelInstance> instantiate(
        std::size_t step, int32_t profile, plugin::ContextServices const& services) const;

private:
    bool lacks(std::vector<plan::TensorId> const& operands) const;
    void noteStripped();
    /// Elements that rebind() gave to a constant.
    struct Constant {
        Bytes host; ///< empty where the device's memory is the host's
        DeviceBuffer memory;
    };
    class Exchange;

    // engine_constants.cpp
    Dims constantDims(plan::TensorRecord const& tensor) const;
    /// A kernel of a step: 0, or the number of one for other profiles.
    struct KernelOf {
        std::size_t step = 0;
        std::size_t number = 0;
    };
    std::unique_ptr<target::Kernel> loadKernel(plan::StepRecord const& step,
                                               std::size_t number) const;
    std::vector<plan::TensorId> versionsOf(plan::TensorId constant) const;
    std::vector<KernelOf> kernelsThatRead(std::span<plan::TensorId const> constants) const;
    Bytes packed(plan::TensorId tensor, ByteView elements) const;
    Constant newConstant(plan::TensorId tensor, ByteView elements);
    void rebindConstants(std::vector<NewConstant> constants, std::span<Context* const> contexts);
    void placeConstants(nvinfer1::IGpuAllocator* allocator, Upload& upload);
    std::size_t placeTogether(std::span<plan::TensorId const> order, std::size_t first,
                              nvinfer1::IGpuAllocator* allocator, Upload& upload);
    void loadPlugins(Creators const& creators);
    void loadSteps(HostCode const& hostCode, PartTimes& times);
    bool hostDoes(plan::StepRecord const& step) const;
    std::vector<target::OperandType> typesOf(std::vector<plan::TensorId> const& operands) const;
    PluginRun aboutRun(plan::StepRecord const& step) const;

    std::shared_ptr<PlanBytes const> bytes_;
    Log log_;
    plan::Document document_;
    SizePoints sizePoints_;
    target::Device& device_;
    nvinfer1::IGpuAllocator* allocator_; ///< of constants; null: of the target
    bool lacksWeights_ = false;          ///< there are stripped constants
    std::vector<plan::TensorId> io_;
    std::unordered_map<std::string_view, plan::TensorId> ioByName_;
    Table<plan::TensorId, uint64_t> capacity_;
    MemoryLayouts layouts_{document_};
    Table<plan::TensorId, void const*> constants_; ///< null for other tensors
    std::vector<DeviceBuffer> uploads_;
    std::map<plan::TensorId, Constant> rebound_;
    std::unique_ptr<WeightStreaming> streaming_;
    NamedWeights weights_{document_};
    std::optional<target::DeviceScope> leaving_; ///< for the destructors of all members below
    /// Null for plugins that are compiled into the plan.
    Table<plan::PluginIndex, std::unique_ptr<plugin::PluginOp>> plugins_;
    /// By step: code of plugins that are compiled into the plan.
    std::vector<std::map<plan::PluginIndex, std::unique_ptr<AotCode>>> aot_;
    /// By step, then by number; none for steps without a kernel of the target.
    std::vector<std::vector<std::unique_ptr<target::Kernel>>> kernels_;
};

} // namespace kiln::runtime
