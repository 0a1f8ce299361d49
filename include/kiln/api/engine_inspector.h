// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// IEngineInspector: describes the layers of an engine as text.
#pragma once

#include "kiln/api/engine_enums.h"
#include "kiln/api/error_recorder.h"
#include "kiln/api/no_copy.h"

#pragma GCC visibility push(default)

namespace nvinfer1 {

class IExecutionContext;

//! Describes the layers of an engine. Implemented by Kiln. Created by
//! ICudaEngine::createEngineInspector(), deleted by the user before the engine.
//!
//! The amount of detail depends on the ProfilingVerbosity that the engine was built with.
class IEngineInspector : public INoCopy {
public:
    //! Sets a context whose shapes are shown in place of wildcards.
    //!
    //! \param context of the same engine, with all shapes set; it must stay valid while it is set.
    //!     nullptr removes it.
    //!
    //! \return false, with a message, for a context of another engine.
    virtual bool setExecutionContext(IExecutionContext const* context) noexcept = 0;

    //! The context that was set, or nullptr.
    virtual IExecutionContext const* getExecutionContext() const noexcept = 0;

    //! Describes one layer.
    //!
    //! \param layerIndex 0 to ICudaEngine::getNbLayers() - 1, in the order of execution.
    //!
    //! \return Owned by the inspector, valid until the next call or setExecutionContext(). For an
    //!     index out of range: an empty string, with a message.
    virtual char const* getLayerInformation(int32_t layerIndex,
                                            LayerInformationFormat format) const noexcept = 0;

    //! Describes all layers and lists the inputs and outputs. Otherwise like getLayerInformation().
    virtual char const* getEngineInformation(LayerInformationFormat format) const noexcept = 0;

    //! Sets the error recorder and adds a reference to it; nullptr removes it. Default: that of the
    //! engine.
    virtual void setErrorRecorder(IErrorRecorder* recorder) noexcept = 0;

    //! The error recorder, or nullptr.
    virtual IErrorRecorder* getErrorRecorder() const noexcept = 0;

    ~IEngineInspector() noexcept override = default;
};

} // namespace nvinfer1

#pragma GCC visibility pop
