// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// IPluginV3: the plugin interface for new code. The object itself says only how to copy it and
// where its parts are: IPluginV3OneCore (plugin_v3_core.h), IPluginV3OneBuild or
// IPluginV3OneBuildV2 (plugin_v3_build.h) and IPluginV3OneRuntime (plugin_v3_runtime.h).
#pragma once

#include "kiln/api/plugin_capability.h"

#pragma GCC visibility push(default)

namespace nvinfer1 {

namespace v_1_0 {

//! A layer of the user's own. Implemented by the user, mostly by one class that inherits this
//! interface and the three parts, and returns `this` for each of them. Life of the objects:
//!
//! ```
//! making one              IPluginCreatorV3One::createPlugin(kBUILD) -> U, the caller's
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
//! loading an engine       createPlugin(kRUNTIME, the saved fields) -> E; E: clone -> asked again
//! making a context        E: attachToContext -> C; C: setTactic
//! the first enqueueV3,    C: onShapeChange
//!   and after a change
//! every enqueueV3         C: enqueue
//! deleting the context    C: deleted
//! deleting the engine     E: deleted
//! ```
//!
//! Kiln deletes what it got from createPlugin(), clone() and attachToContext(), each exactly once;
//! what the user got from a creator is the user's. How often the questions of the build are asked
//! may vary. Calls to one object never overlap; calls to different objects may.
class IPluginV3 : public IVersionedInterface {
public:
    InterfaceInfo getInterfaceInfo() const noexcept override {
        return InterfaceInfo{"PLUGIN_V3", 1, 0};
    }

    //! A part of the plugin.
    //!
    //! \param type which part.
    //!
    //! \return The part, owned by the plugin and valid as long as it: the same at every call.
    //!     nullptr when the plugin has no such part; a plugin made for
    //!     TensorRTPhase::kRUNTIME needs no kBUILD.
    //!
    //! Mind the cast: each part has IPluginCapability as a base of its own, so the result must be
    //! made by `static_cast<IPluginV3OneCore*>(this)` and its like.
    virtual IPluginCapability* getCapabilityInterface(PluginCapabilityType type) noexcept = 0;

    //! A new object in the same state: attributes and whatever configurePlugin() stored.
    //!
    //! \return nullptr for failure. The caller deletes it.
    virtual IPluginV3* clone() noexcept = 0;
};

} // namespace v_1_0

using IPluginV3 = v_1_0::IPluginV3;

} // namespace nvinfer1

#pragma GCC visibility pop
