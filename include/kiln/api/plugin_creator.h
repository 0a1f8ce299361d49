// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// IPluginCreator: makes plugins of the IPluginV2 family.
#pragma once

#include "kiln/api/plugin_creator_interface.h"
#include "kiln/api/plugin_field.h"
#include "kiln/api/plugin_v2.h"

#include <cstddef>

#pragma GCC visibility push(default)

namespace nvinfer1 {

namespace v_1_0 {

//! Makes plugins of one name and version. Implemented by the user, registered with the
//! IPluginRegistry, and alive as long as it is registered.
//!
//! Methods may be called from several threads at once.
class IPluginCreator : public IPluginCreatorInterface {
public:
    //! The name: what IPluginV2::getPluginType() of its plugins returns, and the op_type of an ONNX
    //! node. Zero-terminated, static.
    virtual AsciiChar const* getPluginName() const noexcept = 0;

    //! The version, usually "1". Zero-terminated, static.
    virtual AsciiChar const* getPluginVersion() const noexcept = 0;

    //! The attributes that createPlugin() knows, with their types. Owned by the creator; valid as
    //! long as it. nullptr means none.
    virtual PluginFieldCollection const* getFieldNames() noexcept = 0;

    //! Makes a plugin from attributes.
    //!
    //! \param name of the layer; for messages.
    //! \param fc the attributes, valid during the call only. Some of getFieldNames() may be
    //!     missing; others may be there.
    //!
    //! \return The plugin, whose destroy() the caller calls; nullptr for failure.
    virtual IPluginV2* createPlugin(AsciiChar const* name,
                                    PluginFieldCollection const* fc) noexcept = 0;

    //! Makes a plugin from what IPluginV2::serialize() wrote.
    //!
    //! \param name of the layer; for messages.
    //! \param serialData, serialLength the bytes, valid during the call only, with no promise about
    //!     the alignment. A plan may come from anywhere: check the length.
    //!
    //! \return As createPlugin().
    virtual IPluginV2* deserializePlugin(AsciiChar const* name, void const* serialData,
                                         size_t serialLength) noexcept = 0;

    //! Sets the namespace. Called when the creator is registered in a namespace other than "". The
    //! text may go away after the call: keep a copy.
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
