// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// IPluginV3: the plugin interface for new code. It only clones the plugin and returns its
// capabilities: IPluginV3OneCore (plugin_v3_core.h), IPluginV3OneBuild or IPluginV3OneBuildV2
// (plugin_v3_build.h) and IPluginV3OneRuntime (plugin_v3_runtime.h).
#pragma once

#include "kiln/api/plugin_capability.h"

#pragma GCC visibility push(default)

namespace nvinfer1 {

namespace v_1_0 {

//! A user-defined layer. Implemented by the user, usually by one class that inherits this interface
//! and the three capabilities, and returns `this` for each of them. Object life cycle:
//!
//! ```
//! creating a plugin       IPluginCreatorV3One::createPlugin(kBUILD) -> U, owned by the caller
//! adding to a network     U: clone -> N, owned by the network
//!                         N: getCapabilityInterface, getNbOutputs, getOutputDataTypes,
//!                            getOutputShapes
//! building                N: clone -> B
//!                         B: supportsFormatCombination for pos 0, 1, ... and each candidate
//!   for each profile      B: configurePlugin (extents of the profile), getWorkspaceSize,
//!                            getNbTactics, getValidTactics, getTimingCacheID
//!   timing a candidate    B: attachToContext -> T
//!   (only if there is     T: setTactic, onShapeChange, enqueue ..., deleted
//!    a choice)
//!   saving, by profile    B: configurePlugin (the choice), setTactic, getFieldsToSerialize,
//!                            deleted
//! deleting the network    N: deleted
//! loading an engine       createPlugin(kRUNTIME, the saved fields) -> E; E: clone -> checked
//! making a context        E: attachToContext -> C; C: setTactic
//! the first enqueueV3,    C: onShapeChange
//!   and after a change
//! every enqueueV3         C: enqueue
//! deleting the context    C: deleted
//! deleting the engine     E: deleted
//! ```
//!
//! Kiln deletes each object that it obtained from createPlugin(), clone() or attachToContext()
//! exactly once; the user owns plugins that the user obtained from a creator. The number of calls
//! at build time may vary. Calls to one object are never concurrent; calls to different objects may
//! be.
class IPluginV3 : public IVersionedInterface {
public:
    InterfaceInfo getInterfaceInfo() const noexcept override {
        return InterfaceInfo{"PLUGIN_V3", 1, 0};
    }

    //! Returns a capability of the plugin.
    //!
    //! \param type the capability.
    //!
    //! \return The capability, owned by the plugin and valid as long as it exists; the same in
    //!     every call. nullptr if the plugin does not have it; a plugin created for
    //!     TensorRTPhase::kRUNTIME needs no kBUILD.
    //!
    //! Each capability has its own IPluginCapability base, so convert the result explicitly, for
    //! example with `static_cast<IPluginV3OneCore*>(this)`.
    virtual IPluginCapability* getCapabilityInterface(PluginCapabilityType type) noexcept = 0;

    //! Returns a new object with the same state: attributes and the state of configurePlugin().
    //!
    //! \return nullptr on failure. The caller deletes the object.
    virtual IPluginV3* clone() noexcept = 0;
};

} // namespace v_1_0

using IPluginV3 = v_1_0::IPluginV3;

} // namespace nvinfer1

#pragma GCC visibility pop
