// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// IEngineInspector: what an engine is made of, as text.
#pragma once

#include "kiln/api/engine_enums.h"
#include "kiln/api/error_recorder.h"
#include "kiln/api/no_copy.h"

#pragma GCC visibility push(default)

namespace nvinfer1 {

class IExecutionContext;

//! Describes the layers of an engine. Implemented by Kiln. Made by
//! ICudaEngine::createEngineInspector(), deleted by the user before the engine.
//!
//! How much it tells depends on the ProfilingVerbosity that the engine was built with.
class IEngineInspector : public INoCopy {
public:
    //! Sets a context whose shapes the texts shall show in place of wildcards.
    //!
    //! \param context of the same engine, with all shapes set; it must live as long as it is set.
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
    //!     index outside the range an empty text, with a message.
    virtual char const* getLayerInformation(int32_t layerIndex,
                                            LayerInformationFormat format) const noexcept = 0;

    //! Describes all layers. As getLayerInformation() otherwise.
    virtual char const* getEngineInformation(LayerInformationFormat format) const noexcept = 0;

    //! Sets the error recorder, counted; nullptr removes it. Default: that of the engine.
    virtual void setErrorRecorder(IErrorRecorder* recorder) noexcept = 0;

    //! The error recorder, or nullptr.
    virtual IErrorRecorder* getErrorRecorder() const noexcept = 0;

    ~IEngineInspector() noexcept override = default;
};

} // namespace nvinfer1

#pragma GCC visibility pop
