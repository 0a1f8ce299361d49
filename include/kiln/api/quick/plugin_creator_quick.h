// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// IPluginCreatorV3Quick: creates decorated plugins.
#pragma once

#include "kiln/api/plugin_creator_interface.h"
#include "kiln/api/plugin_field.h"
#include "kiln/api/plugin_v3.h"

#pragma GCC visibility push(default)

namespace nvinfer1 {

//! Whether a plugin runs through Python (just in time) or is compiled into the engine (ahead of
//! time).
enum class QuickPluginCreationRequest : int32_t {
    kUNKNOWN = 0,    //!< No preference: whichever the plugin has.
    kPREFER_JIT = 1, //!< Just in time if the plugin has both.
    kPREFER_AOT = 2, //!< Ahead of time if the plugin has both.
    kSTRICT_JIT = 3, //!< Just in time; a plugin without it is an error.
    kSTRICT_AOT = 4, //!< Ahead of time; a plugin without it is an error.
};

template <>
constexpr int32_t EnumMax<QuickPluginCreationRequest>() noexcept {
    return 5;
}

namespace v_1_0 {

//! As IPluginCreatorV3One, for plugins whose core is an IPluginV3QuickCore.
class IPluginCreatorV3Quick : public IPluginCreatorInterface {
public:
    InterfaceInfo getInterfaceInfo() const noexcept override {
        return InterfaceInfo{"PLUGIN CREATOR_V3QUICK", 1, 0};
    }

    //! Creates a plugin.
    //!
    //! \param name of the plugin.
    //! \param nspace its namespace.
    //! \param fc the attributes, valid during the call only: those of the model in phase kBUILD,
    //!     the result of IPluginV3QuickRuntime::getFieldsToSerialize() in phase kRUNTIME.
    //! \param phase the purpose of the plugin.
    //! \param quickPluginCreationRequest the requested style; kSTRICT_JIT in phase kRUNTIME.
    //!
    //! \return The plugin, which the caller deletes; nullptr on failure.
    virtual IPluginV3* createPlugin(
        AsciiChar const* name, AsciiChar const* nspace, PluginFieldCollection const* fc,
        TensorRTPhase phase, QuickPluginCreationRequest quickPluginCreationRequest) noexcept = 0;

    //! As IPluginCreatorV3One::getFieldNames().
    virtual PluginFieldCollection const* getFieldNames() noexcept = 0;

    //! As IPluginCreatorV3One::getPluginName().
    virtual AsciiChar const* getPluginName() const noexcept = 0;

    //! As IPluginCreatorV3One::getPluginVersion().
    virtual AsciiChar const* getPluginVersion() const noexcept = 0;

    //! As IPluginCreatorV3One::getPluginNamespace().
    virtual AsciiChar const* getPluginNamespace() const noexcept = 0;

    constexpr IPluginCreatorV3Quick() = default;
    ~IPluginCreatorV3Quick() noexcept override = default;

protected:
    constexpr IPluginCreatorV3Quick(IPluginCreatorV3Quick const&) = default;
    constexpr IPluginCreatorV3Quick(IPluginCreatorV3Quick&&) = default;
    IPluginCreatorV3Quick& operator=(IPluginCreatorV3Quick const&) & = default;
    IPluginCreatorV3Quick& operator=(IPluginCreatorV3Quick&&) & = default;
};

} // namespace v_1_0

using IPluginCreatorV3Quick = v_1_0::IPluginCreatorV3Quick;

} // namespace nvinfer1

#pragma GCC visibility pop
