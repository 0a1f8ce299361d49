// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// IPluginCreatorV3One: creates plugins of the IPluginV3 family.
#pragma once

#include "kiln/api/plugin_creator_interface.h"
#include "kiln/api/plugin_field.h"
#include "kiln/api/plugin_v3.h"

#pragma GCC visibility push(default)

namespace nvinfer1 {

namespace v_1_0 {

//! Creates plugins of one name, version and namespace. Implemented by the user and registered with
//! the IPluginRegistry; it must stay valid as long as it is registered.
//!
//! All methods must be thread-safe.
class IPluginCreatorV3One : public IPluginCreatorInterface {
public:
    InterfaceInfo getInterfaceInfo() const noexcept override {
        return InterfaceInfo{"PLUGIN CREATOR_V3ONE", 1, 0};
    }

    //! Creates a plugin.
    //!
    //! \param name of the layer; for messages.
    //! \param fc the attributes, valid during the call only. In phase kBUILD, those of the model or
    //!     program: some of getFieldNames() may be missing, additional ones may be present. In
    //!     phase kRUNTIME, the result of IPluginV3OneRuntime::getFieldsToSerialize() when the
    //!     engine was built. Plans may be untrusted: check types and lengths.
    //! \param phase the purpose of the plugin.
    //!
    //! \return The plugin, which the caller deletes; nullptr on failure.
    virtual IPluginV3* createPlugin(AsciiChar const* name, PluginFieldCollection const* fc,
                                    TensorRTPhase phase) noexcept = 0;

    //! The attributes that createPlugin() accepts in phase kBUILD, with their types. Owned by the
    //! creator, valid as long as it exists. nullptr means none.
    virtual PluginFieldCollection const* getFieldNames() noexcept = 0;

    //! The name: equal to that of its plugins and to the op_type of ONNX nodes. Null-terminated, at
    //! most 1024 bytes including the terminator; valid as long as the creator.
    virtual AsciiChar const* getPluginName() const noexcept = 0;

    //! The version, usually "1". Same rules as for the name.
    virtual AsciiChar const* getPluginVersion() const noexcept = 0;

    //! The namespace, "" for none. Same rules as for the name; never nullptr.
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
