// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// The common part of the two families of IPluginV3. `Parts` names the capability interfaces: Core,
// Build and Runtime.
#pragma once

#include <algorithm>
#include <atomic>
#include <vector>

#include "base/text.h"
#include "plugin/adapters.h"
#include "plugin/callback.h"
#include "plugin/count_of.h"
#include "plugin/expr_builder.h"
#include "plugin/field_values.h"
#include "plugin/late_reports.h"
#include "plugin/plugin_library.h"
#include "plugin/resource_context.h"
#include "plugin/spare_tensors.h"

namespace kiln::plugin {

/// Throws kPlugin unless tactics are positive and distinct.
void checkTactics(std::string_view layer, PluginId const& id, std::vector<int32_t> const& tactics);

/// Limit on tactics: a larger count is an error of the plugin.
inline constexpr int32_t kMostTactics = 1 << 16;

template <typename Parts>
class V3Common : public PluginOp {
protected:
    using Build = typename Parts::Build;
    using Runtime = typename Parts::Runtime;

public:
    V3Common(nvinfer1::IPluginV3& plugin, Ownership ownership, std::string_view layer)
        : code_(libraryOf(&plugin)), plugin_(plugin), owned_(ownership == Ownership::kOwned) {
        setLayer(layer);
    }

    /// Reads and checks the plugin's identity. Separate from the constructor, so that the
    /// destructor destroys an owned plugin that fails here.
    void identify(nvinfer1::IPluginCapability& part) {
        id_.inPython = plugin_.getAPILanguage() == nvinfer1::APILanguage::kPYTHON;
        auto& core = static_cast<typename Parts::Core&>(part);
        id_ = run("identity", [&] {
            return PluginId{orEmpty(core.getPluginName()), orEmpty(core.getPluginVersion()),
                            orEmpty(core.getPluginNamespace()), id_.inPython};
        });
        if (id_.name.empty() || id_.version.empty()) {
            failCallback(layer(), id_, "identity",
                         "expected a plugin name and a plugin version, got an empty text");
        }
    }

    ~V3Common() override {
        if (owned_) {
            takeReportedText(); // drops an error of an earlier callback
            delete &plugin_;
            LateReports::take(layer(), id_, "destroy");
        }
    }

    PluginId const& id() const override { return id_; }
    bool needsPython() const override { return id_.inPython; }
    void* object() const override { return &plugin_; }

    bool hasBuildPart() const override {
        return findCapability<Build>(nvinfer1::PluginCapabilityType::kBUILD) != nullptr;
    }

    int32_t outputCount() const override {
        int32_t const count = run("getNbOutputs", [&] { return build().getNbOutputs(); });
        checkOutputCount(layer(), id_, count);
        return count;
    }

    void outputShapes(std::span<graph::ShapeExpr const> inputs,
                      std::span<graph::ShapeValues const> shapeInputs, graph::ExprPool& pool,
                      std::span<graph::ShapeExpr> outputs,
                      std::vector<SizeTensor>& sizeTensors) const override {
        ExprBuilder builder(pool, countOf(outputs), sizeTensors);
        auto const wrapAll = [&](auto const& shapes) {
            return checkResult(layer(), id_, "getOutputShapes",
                               [&] { return wrappedWithSpare(builder, shapes); });
        };
        std::vector<nvinfer1::DimsExprs> const in = wrapAll(inputs);
        std::vector<nvinfer1::DimsExprs> const shapeIn = wrapAll(shapeInputs);
        std::vector<nvinfer1::DimsExprs> out(outputs.size());
        for (nvinfer1::DimsExprs& shape : out) {
            shape.nbDims = -1; // detects a shape that the plugin did not set
        }
        withProblemsOf(builder, layer(), id_, "getOutputShapes", [&] {
            runChecked("getOutputShapes", [&] {
                return build().getOutputShapes(in.data(), countOf(inputs), shapeIn.data(),
                                               countOf(shapeInputs), out.data(), countOf(out),
                                               builder);
            });
        });
        for (std::size_t i = 0; i < out.size(); ++i) {
            outputs[i] = checkResult(layer(), id_, fmt::format("getOutputShapes, output {}", i),
                                     [&] { return builder.unwrap(out[i]); });
        }
        sizeTensors = builder.sizeTensors();
    }

    std::vector<int32_t> tactics() const override {
        int32_t const count = run("getNbTactics", [&] { return build().getNbTactics(); });
        if (count < 0 || count > kMostTactics) {
            failCallback(layer(), id_, "getNbTactics",
                         fmt::format("expected 0 to {}, returned {}", kMostTactics, count));
        }
        std::vector<int32_t> tactics(static_cast<std::size_t>(count), 0);
        if (count > 0) {
            runChecked("getValidTactics",
                       [&] { return build().getValidTactics(tactics.data(), count); });
            checkTactics(layer(), id_, tactics);
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

    void configure(std::span<nvinfer1::DynamicPluginTensorDesc const> inputs,
                   std::span<nvinfer1::DynamicPluginTensorDesc const> outputs) override {
        std::vector<nvinfer1::DynamicPluginTensorDesc> const in = withSpare(inputs);
        std::vector<nvinfer1::DynamicPluginTensorDesc> const out = withSpare(outputs);
        runChecked("configurePlugin", [&] {
            return build().configurePlugin(in.data(), countOf(inputs), out.data(),
                                           countOf(outputs));
        });
    }

    PluginRecord save() const override {
        PluginRecord record;
        record.style = style();
        record.id = id_;
        record.needsPython = id_.inPython;
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

    void setTactic(int32_t tactic) override {
        runChecked("setTactic", [&] { return runtime().setTactic(tactic); });
    }

protected:
    template <typename F>
    std::invoke_result_t<F> run(std::string_view phase, F&& call) const {
        return callback(layer(), id_, phase, std::forward<F>(call));
    }

    template <typename F>
    void runChecked(std::string_view phase, F&& call) const {
        checkedCallback(layer(), id_, phase, std::forward<F>(call));
    }

    /// The capability as its actual type; null if the plugin has none. Plugins may come from
    /// libraries with hidden symbols, where dynamic_cast is unreliable: the documented contract is
    /// a static cast from IPluginCapability.
    template <typename T>
    T* findCapability(nvinfer1::PluginCapabilityType type) const {
        return static_cast<T*>(
            run(phaseOf(type), [&] { return plugin_.getCapabilityInterface(type); }));
    }
    template <typename T>
    T* capability(nvinfer1::PluginCapabilityType type) const {
        T* const found = findCapability<T>(type);
        if (found == nullptr) {
            failCallback(layer(), id_, phaseOf(type), "expected an interface, returned null");
        }
        return found;
    }

    // Queried on first use: a plugin created for one phase may lack the other's interface. Atomic,
    // because several threads may create contexts of one engine.
    Build& build() const { return once<Build>(build_, nvinfer1::PluginCapabilityType::kBUILD); }
    Runtime& runtime() const {
        return once<Runtime>(runtime_, nvinfer1::PluginCapabilityType::kRUNTIME);
    }

    /// Adapts the copy that a callback of the plugin creates.
    template <typename F>
    std::unique_ptr<PluginOp> copied(std::string_view phase, F&& call) const {
        auto const giveBack = [&](nvinfer1::IPluginV3* made) {
            if (made != &plugin_) {
                delete made;
            }
        };
        nvinfer1::IPluginV3* const copy =
            makingCallback(layer(), id_, phase, std::forward<F>(call), giveBack);
        if (copy == &plugin_) {
            failCallback(layer(), id_, phase,
                         "expected a new plugin object, returned the object itself. Return a copy");
        }
        return adaptV3(*copy, Ownership::kOwned, layer());
    }

private:
    static std::string_view phaseOf(nvinfer1::PluginCapabilityType type) {
        return type == nvinfer1::PluginCapabilityType::kBUILD ? "capability interface BUILD"
                                                              : "capability interface RUNTIME";
    }

    template <typename T>
    T& once(std::atomic<T*>& slot, nvinfer1::PluginCapabilityType type) const {
        T* found = slot;
        if (found == nullptr) {
            found = capability<T>(type);
            slot = found;
        }
        return *found;
    }

    std::shared_ptr<PluginLibrary const> code_; ///< first: destroyed last, after the plugin
    nvinfer1::IPluginV3& plugin_;
    bool owned_;
    mutable std::atomic<Build*> build_{nullptr};
    mutable std::atomic<Runtime*> runtime_{nullptr};
    PluginId id_;

protected:
    nvinfer1::IPluginV3& plugin() const { return plugin_; }

    ResourceLease lease_; ///< of attached plugins; in the base, so that it ends after the plugin
};

} // namespace kiln::plugin
