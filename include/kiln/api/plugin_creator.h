// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// IPluginCreator: creates plugins of the IPluginV2 family.
#pragma once

#include "kiln/api/plugin_creator_interface.h"
#include "kiln/api/plugin_field.h"
#include "kiln/api/plugin_v2.h"

#include <cstddef>

#pragma GCC visibility push(default)

namespace nvinfer1 {

namespace v_1_0 {

//! Creates plugins of one name and version. Implemented by the user and registered with the
//! IPluginRegistry; it must stay valid as long as it is registered.
//!
//! All methods must be thread-safe.
class IPluginCreator : public IPluginCreatorInterface {
public:
    //! The name: equal to IPluginV2::getPluginType() of its plugins and to the op_type of ONNX
    //! nodes. Null-terminated, static.
    virtual AsciiChar const* getPluginName() const noexcept = 0;

    //! The version, usually "1". Null-terminated, static.
    virtual AsciiChar const* getPluginVersion() const noexcept = 0;

    //! The attributes that createPlugin() accepts, with their types. Owned by the creator, valid as
    //! long as it exists. nullptr means none.
    virtual PluginFieldCollection const* getFieldNames() noexcept = 0;

    //! Creates a plugin from attributes.
    //!
    //! \param name of the layer; for messages.
    //! \param fc the attributes, valid during the call only. Some of getFieldNames() may be
    //!     missing; additional ones may be present.
    //!
    //! \return The plugin, which the caller destroys with destroy(); nullptr on failure.
    virtual IPluginV2* createPlugin(AsciiChar const* name,
                                    PluginFieldCollection const* fc) noexcept = 0;

    //! Creates a plugin from the output of IPluginV2::serialize().
    //!
    //! \param name of the layer; for messages.
    //! \param serialData, serialLength the bytes, valid during the call only, possibly unaligned.
    //!     Plans may be untrusted: check the length.
    //!
    //! \return As createPlugin().
    virtual IPluginV2* deserializePlugin(AsciiChar const* name, void const* serialData,
                                         size_t serialLength) noexcept = 0;

    //! Sets the namespace. Called when the creator is registered in a namespace other than "". The
    //! string is valid during the call only: copy it.
    virtual void setPluginNamespace(AsciiChar const* pluginNamespace) noexcept = 0;

    //! The namespace, "" for none. Never nullptr.
    virtual AsciiChar const* getPluginNamespace() const noexcept = 0;

    constexpr IPluginCreator() = default;
    ~IPluginCreator() noexcept override = default;

    InterfaceInfo getInterfaceInfo() const noexcept override {
        return InterfaceInfo{"PLUGIN CREATOR_V1", 1, 0};
    }

protected:
    constexpr IPluginCreator(IPluginCreator const&) = default;
    constexpr IPluginCreator(IPluginCreator&&) = default;
    IPluginCreator& operator=(IPluginCreator const&) & = default;
    IPluginCreator& operator=(IPluginCreator&&) & = default;
};

} // namespace v_1_0

using IPluginCreator = v_1_0::IPluginCreator;

} // namespace nvinfer1

#pragma GCC visibility pop
