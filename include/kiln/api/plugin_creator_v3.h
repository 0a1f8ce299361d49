// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// IPluginCreatorV3One: makes plugins of the IPluginV3 family.
#pragma once

#include "kiln/api/plugin_creator_interface.h"
#include "kiln/api/plugin_field.h"
#include "kiln/api/plugin_v3.h"

#pragma GCC visibility push(default)

namespace nvinfer1 {

namespace v_1_0 {

//! Makes plugins of one name, version and namespace. Implemented by the user, registered with the
//! IPluginRegistry, and alive as long as it is registered.
//!
//! Methods may be called from several threads at once.
class IPluginCreatorV3One : public IPluginCreatorInterface {
public:
    InterfaceInfo getInterfaceInfo() const noexcept override {
        return InterfaceInfo{"PLUGIN CREATOR_V3ONE", 1, 0};
    }

    //! Makes a plugin.
    //!
    //! \param name of the layer; for messages.
    //! \param fc the attributes, valid during the call only. In phase kBUILD those of the model or
    //!     program: some of getFieldNames() may be missing, others may be there. In phase kRUNTIME
    //!     exactly what IPluginV3OneRuntime::getFieldsToSerialize() returned when the engine was
    //!     built; a plan may come from anywhere, so check types and lengths.
    //! \param phase what for.
    //!
    //! \return The plugin, which the caller deletes; nullptr for failure.
    virtual IPluginV3* createPlugin(AsciiChar const* name, PluginFieldCollection const* fc,
                                    TensorRTPhase phase) noexcept = 0;

    //! The attributes that createPlugin() knows in phase kBUILD, with their types. Owned by the
    //! creator; valid as long as it. nullptr means none.
    virtual PluginFieldCollection const* getFieldNames() noexcept = 0;

    //! The name: that of the plugins, and the op_type of an ONNX node. Zero-terminated, at most
    //! 1024 bytes with the zero; valid as long as the creator.
    virtual AsciiChar const* getPluginName() const noexcept = 0;

    //! The version, usually "1". As the name.
    virtual AsciiChar const* getPluginVersion() const noexcept = 0;

    //! The namespace, "" for none. As the name; never nullptr.
    virtual AsciiChar const* getPluginNamespace() const noexcept = 0;

    constexpr IPluginCreatorV3One() = default;
    ~IPluginCreatorV3One() noexcept override = default;

protected:
    constexpr IPluginCreatorV3One(IPluginCreatorV3One const&) = default;
    constexpr IPluginCreatorV3One(IPluginCreatorV3One&&) = default;
    IPluginCreatorV3One& operator=(IPluginCreatorV3One const&) & = default;
    IPluginCreatorV3One& operator=(IPluginCreatorV3One&&) & = default;
};

} // namespace v_1_0

using IPluginCreatorV3One = v_1_0::IPluginCreatorV3One;

} // namespace nvinfer1

#pragma GCC visibility pop
