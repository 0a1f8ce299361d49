// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// IPluginV3 onto PluginOp: three capability interfaces behind one object. Life cycle as documented:
// clone when added and for each trial, configure with ranges, at run time one attachToContext per
// context (which clones), setTactic, onShapeChange when shapes changed, enqueue; delete at the end.
#include <algorithm>
#include <atomic>
#include <vector>

#include "base/text.h"
#include "plugin/adapters.h"
#include "plugin/callback.h"
#include "plugin/expr_builder.h"
#include "plugin/field_values.h"
#include "plugin/plugin_library.h"

namespace kiln::plugin {
namespace {

using nvinfer1::DynamicPluginTensorDesc;
using nvinfer1::IPluginV3;
using nvinfer1::PluginCapabilityType;
using nvinfer1::PluginTensorDesc;

/// More tactics than anyone would have tried: a count above it is a mistake.
constexpr int32_t kMostTactics = 1 << 16;

int32_t countOf(auto const& span) {
    return static_cast<int32_t>(span.size());
}

/// What a context shows to the plugins that are attached to it.
class ResourceContext final : public nvinfer1::IPluginResourceContext {
public:
    explicit ResourceContext(ContextServices const& services) : services_(services) {}
    nvinfer1::IGpuAllocator* getGpuAllocator() const noexcept override {
        return services_.allocator;
    }
    nvinfer1::IErrorRecorder* getErrorRecorder() const noexcept override {
        return services_.recorder;
    }

private:
    ContextServices services_;
};

class V3Op final : public PluginOp {
public:
    V3Op(IPluginV3& plugin, Ownership ownership, std::string_view layer)
        : code_(libraryOf(&plugin)), plugin_(plugin), owned_(ownership == Ownership::kOwned) {
        setLayer(layer);
    }

    /// Reads and checks who the plugin is. Apart from the constructor, so that an object that fails
    /// here is given back to its author all the same.
    void identify() {
        python_ = plugin_.getAPILanguage() == nvinfer1::APILanguage::kPYTHON;
        core_ = capability<nvinfer1::IPluginV3OneCore>(PluginCapabilityType::kCORE, "kCORE");
        id_ = run("identity", [&] {
            return PluginId{orEmpty(core_->getPluginName()), orEmpty(core_->getPluginVersion()),
                            orEmpty(core_->getPluginNamespace())};
        });
        if (id_.name.empty() || id_.version.empty()) {
            failCallback(layer(), id_, "identity",
                         "expected a plugin name and a plugin version, got an empty text");
        }
    }

    ~V3Op() override {
        if (owned_) {
            delete &plugin_;
        }
        takeReportedText(); // there is nobody left to tell
    }

    PluginStyle style() const override { return PluginStyle::kV3; }
    PluginId const& id() const override { return id_; }
    bool needsPython() const override { return python_; }
    void* object() const override { return &plugin_; }

    int32_t outputCount() const override {
        int32_t const count = run("getNbOutputs", [&] { return build().getNbOutputs(); });
        if (count < 1) {
            failCallback(layer(), id_, "getNbOutputs",
                         fmt::format("expected 1 or more, returned {}", count));
        }
        return count;
    }

    void outputTypes(std::span<DataType const> inputs, std::span<DataType> outputs) const override {
        std::fill(outputs.begin(), outputs.end(), static_cast<DataType>(-1));
        runChecked("getOutputDataTypes", [&] {
            return build().getOutputDataTypes(outputs.data(), countOf(outputs), inputs.data(),
                                              countOf(inputs));
        });
        for (DataType const type : outputs) {
            checkResult(layer(), id_, "getOutputDataTypes", [&] { bitsOf(type); });
        }
    }

    void outputShapes(std::span<graph::ShapeExpr const> inputs,
                      std::span<graph::ShapeValues const> shapeInputs, graph::ExprPool& pool,
                      std::span<graph::ShapeExpr> outputs,
                      std::vector<SizeTensor>& sizeTensors) const override {
        ExprBuilder builder(pool, countOf(outputs), sizeTensors);
        auto const wrapAll = [&](auto const& shapes) {
            return checkResult(layer(), id_, "getOutputShapes", [&] {
                std::vector<nvinfer1::DimsExprs> wrapped;
                for (auto const& shape : shapes) {
                    wrapped.push_back(builder.wrap(shape));
                }
                return wrapped;
            });
        };
        std::vector<nvinfer1::DimsExprs> const in = wrapAll(inputs);
        std::vector<nvinfer1::DimsExprs> const shapeIn = wrapAll(shapeInputs);
        std::vector<nvinfer1::DimsExprs> out(outputs.size());
        for (nvinfer1::DimsExprs& shape : out) {
            shape.nbDims = -1; // a shape that the plugin leaves alone is found out
        }
        runChecked("getOutputShapes", [&] {
            return build().getOutputShapes(in.data(), countOf(in), shapeIn.data(), countOf(shapeIn),
                                           out.data(), countOf(out), builder);
        });
        if (!builder.problem().empty()) {
            failCallback(layer(), id_, "getOutputShapes", builder.problem());
        }
        for (std::size_t i = 0; i < out.size(); ++i) {
            outputs[i] = checkResult(layer(), id_, fmt::format("getOutputShapes, output {}", i),
                                     [&] { return builder.unwrap(out[i]); });
        }
        sizeTensors = builder.sizeTensors();
    }

    int32_t aliasedInput(int32_t output) const override {
        build();
        if (!aliases_) {
            return -1;
        }
        return run("getAliasedInput", [&] {
            return static_cast<nvinfer1::IPluginV3OneBuildV2&>(build()).getAliasedInput(output);
        });
    }

    bool supports(int32_t position, std::span<DynamicPluginTensorDesc const> operands,
                  int32_t inputCount) const override {
        return run("supportsFormatCombination", [&] {
            return build().supportsFormatCombination(position, operands.data(), inputCount,
                                                     countOf(operands) - inputCount);
        });
    }

    int32_t combinationLimit() const override {
        int32_t const limit =
            run("getFormatCombinationLimit", [&] { return build().getFormatCombinationLimit(); });
        if (limit < 1) {
            failCallback(layer(), id_, "getFormatCombinationLimit",
                         fmt::format("expected 1 or more, returned {}", limit));
        }
        return limit;
    }

    std::vector<int32_t> tactics() const override {
        int32_t const count = run("getNbTactics", [&] { return build().getNbTactics(); });
        if (count < 0 || count > kMostTactics) {
            failCallback(layer(), id_, "getNbTactics",
                         fmt::format("expected 0 to {}, returned {}", kMostTactics, count));
        }
        std::vector<int32_t> tactics(static_cast<std::size_t>(count), 0);
        if (count == 0) {
            return tactics;
        }
        runChecked("getValidTactics",
                   [&] { return build().getValidTactics(tactics.data(), count); });
        std::vector<int32_t> sorted = tactics;
        std::sort(sorted.begin(), sorted.end());
        auto const twice = std::adjacent_find(sorted.begin(), sorted.end());
        if (sorted.front() <= 0) {
            failCallback(layer(), id_, "getValidTactics",
                         fmt::format("expected positive tactics, got {}; 0 stands for a plugin "
                                     "without tactics",
                                     sorted.front()));
        }
        if (twice != sorted.end()) {
            failCallback(layer(), id_, "getValidTactics",
                         fmt::format("expected tactics that differ, got {} twice", *twice));
        }
        return tactics;
    }

    std::optional<std::string> timingCacheId() const override {
        char const* const text =
            run("getTimingCacheID", [&] { return build().getTimingCacheID(); });
        return text == nullptr ? std::nullopt : std::optional<std::string>(text);
    }

    std::string metadata() const override {
        return run("getMetadataString", [&] { return orEmpty(build().getMetadataString()); });
    }

    std::unique_ptr<PluginOp> clone() const override {
        return copied("clone", [&] { return plugin_.clone(); });
    }

    void configure(std::span<DynamicPluginTensorDesc const> inputs,
                   std::span<DynamicPluginTensorDesc const> outputs) override {
        runChecked("configurePlugin", [&] {
            return build().configurePlugin(inputs.data(), countOf(inputs), outputs.data(),
                                           countOf(outputs));
        });
    }

    std::size_t workspaceBytes(std::span<DynamicPluginTensorDesc const> inputs,
                               std::span<DynamicPluginTensorDesc const> outputs) const override {
        return run("getWorkspaceSize", [&] {
            return build().getWorkspaceSize(inputs.data(), countOf(inputs), outputs.data(),
                                            countOf(outputs));
        });
    }

    PluginRecord save() const override {
        PluginRecord record;
        record.style = style();
        record.id = id_;
        record.needsPython = python_;
        record.layer = layer();
        nvinfer1::PluginFieldCollection const* const fields =
            run("getFieldsToSerialize", [&] { return runtime().getFieldsToSerialize(); });
        if (fields == nullptr) {
            failCallback(layer(), id_, "getFieldsToSerialize",
                         "expected a field collection, returned null");
        }
        record.fields =
            checkResult(layer(), id_, "getFieldsToSerialize", [&] { return copyFields(*fields); });
        return record;
    }

    std::unique_ptr<PluginOp> attach(ContextServices const& services) override {
        auto context = std::make_unique<ResourceContext>(services);
        std::unique_ptr<PluginOp> attached =
            copied("attachToContext", [&] { return runtime().attachToContext(context.get()); });
        static_cast<V3Op&>(*attached).context_ = std::move(context);
        return attached;
    }

    void setTactic(int32_t tactic) override {
        runChecked("setTactic", [&] { return runtime().setTactic(tactic); });
    }

    void shapeChange(std::span<PluginTensorDesc const> inputs,
                     std::span<PluginTensorDesc const> outputs) override {
        runChecked("onShapeChange", [&] {
            return runtime().onShapeChange(inputs.data(), countOf(inputs), outputs.data(),
                                           countOf(outputs));
        });
        enqueuer_ = runtime_;
    }

    int32_t enqueue(PluginTensorDesc const* inputDescs, PluginTensorDesc const* outputDescs,
                    void const* const* inputs, void* const* outputs, void* workspace,
                    cudaStream_t stream) noexcept override {
        return enqueuer_->enqueue(inputDescs, outputDescs, inputs, outputs, workspace, stream);
    }

private:
    template <typename F>
    std::invoke_result_t<F> run(std::string_view phase, F&& call) const {
        return callback(layer(), id_, phase, std::forward<F>(call));
    }

    template <typename F>
    void runChecked(std::string_view phase, F&& call) const {
        checkedCallback(layer(), id_, phase, std::forward<F>(call));
    }

    /// The capability as its real type. Objects may come from libraries with hidden symbols, where
    /// dynamic_cast is unsure: the documented contract is a static cast from IPluginCapability.
    template <typename T>
    T* capability(PluginCapabilityType type, std::string_view name) const {
        std::string const phase = fmt::format("getCapabilityInterface({})", name);
        nvinfer1::IPluginCapability* const found =
            run(phase, [&] { return plugin_.getCapabilityInterface(type); });
        if (found == nullptr) {
            failCallback(layer(), id_, phase, "expected an interface, returned null");
        }
        return static_cast<T*>(found);
    }

    // Asked when first needed: a plugin made for one phase may lack the other's interface. Atomic,
    // since the contexts of one engine may be made in several threads.
    nvinfer1::IPluginV3OneBuild& build() const {
        nvinfer1::IPluginV3OneBuild* found = build_;
        if (found == nullptr) {
            found = capability<nvinfer1::IPluginV3OneBuild>(PluginCapabilityType::kBUILD, "kBUILD");
            // The second version of the interface says so itself; no other tells the two apart.
            aliases_ = found->getInterfaceInfo().major >= 2;
            build_ = found;
        }
        return *found;
    }
    nvinfer1::IPluginV3OneRuntime& runtime() const {
        nvinfer1::IPluginV3OneRuntime* found = runtime_;
        if (found == nullptr) {
            found = capability<nvinfer1::IPluginV3OneRuntime>(PluginCapabilityType::kRUNTIME,
                                                              "kRUNTIME");
            runtime_ = found;
        }
        return *found;
    }

    /// The copy of itself that a callback of the plugin makes.
    template <typename F>
    std::unique_ptr<PluginOp> copied(std::string_view phase, F&& call) const {
        auto const giveBack = [&](IPluginV3* made) {
            if (made != &plugin_) {
                delete made;
            }
        };
        IPluginV3* const copy =
            makingCallback(layer(), id_, phase, std::forward<F>(call), giveBack);
        if (copy == &plugin_) {
            failCallback(layer(), id_, phase,
                         "expected a new plugin object, returned the object itself. Return a copy");
        }
        return adaptV3(*copy, Ownership::kOwned, layer());
    }

    std::shared_ptr<PluginLibrary const> code_; ///< first: it goes after the plugin
    IPluginV3& plugin_;
    bool owned_;
    bool python_ = false;
    nvinfer1::IPluginV3OneCore* core_ = nullptr;
    mutable std::atomic<nvinfer1::IPluginV3OneBuild*> build_{nullptr};
    mutable std::atomic<nvinfer1::IPluginV3OneRuntime*> runtime_{nullptr};
    mutable std::atomic<bool> aliases_{false};          ///< build_ is an IPluginV3OneBuildV2
    nvinfer1::IPluginV3OneRuntime* enqueuer_ = nullptr; ///< set by shapeChange, for the hot path
    std::unique_ptr<ResourceContext> context_;
    PluginId id_;
};

} // namespace

std::unique_ptr<PluginOp> adaptV3(IPluginV3& plugin, Ownership ownership, std::string_view layer) {
    auto op = std::make_unique<V3Op>(plugin, ownership, layer);
    op->identify();
    return op;
}

} // namespace kiln::plugin
