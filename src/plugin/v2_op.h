// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugin/adapters.h"
#include "plugin/callback.h"
#include "plugin/count_of.h"
#include "plugin/plugin_library.h"

namespace kiln::plugin {

/// The common part of all IPluginV2 generations: identity, state and life cycle. The documented
/// life cycle: clone when added and for each trial, initialize once per engine, clone and attach
/// per context, detach and destroy per context, terminate and destroy at the end.
class V2Op : public PluginOp {
public:
    ~V2Op() override;

    /// Reads and checks the plugin's identity. Separate from the constructor, so that the
    /// destructor destroys an owned plugin that fails here.
    void identify();

    PluginStyle style() const override { return style_; }
    PluginId const& id() const override { return id_; }
    bool needsPython() const override { return id_.inPython; }
    void* object() const override { return &plugin_; }
    int32_t outputCount() const override { return outputCount_; }
    int32_t combinationLimit() const override;
    std::vector<int32_t> tactics() const override { return {}; }

    std::unique_ptr<PluginOp> clone() const override;
    PluginRecord save() const override;
    void initialize() override;
    void terminate() noexcept override;
    std::unique_ptr<PluginOp> attach(ContextServices const& services) override;
    std::unique_ptr<PluginOp> attachForTiming(ContextServices const& services) override;

protected:
    V2Op(PluginStyle style, nvinfer1::IPluginV2& plugin, Ownership ownership,
         std::string_view layer);

    /// An adapter of the same kind for another object of the same class. Call identify() on it.
    virtual std::unique_ptr<V2Op> another(nvinfer1::IPluginV2& plugin,
                                          Ownership ownership) const = 0;

    nvinfer1::IPluginV2& plugin() const noexcept { return plugin_; }
    /// For every style except kV2.
    nvinfer1::IPluginV2Ext& ext() const noexcept {
        return static_cast<nvinfer1::IPluginV2Ext&>(plugin_);
    }

    template <typename F>
    std::invoke_result_t<F> run(std::string_view phase, F&& call) const {
        return callback(layer(), id_, phase, std::forward<F>(call));
    }
    /// Calls IPluginV2Ext::getOutputDataType for each output.
    void askOutputTypes(std::span<DataType const> inputs, std::span<DataType> outputs) const;

private:
    void attachHere(ContextServices const& services);

    std::shared_ptr<PluginLibrary const> code_; ///< first: destroyed last, after the plugin
    PluginStyle style_;
    nvinfer1::IPluginV2& plugin_;
    bool owned_;
    bool attached_ = false;
    bool initialized_ = false;
    int32_t outputCount_ = 0;
    PluginId id_;
};

} // namespace kiln::plugin
