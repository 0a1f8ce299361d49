// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#ifndef KILN_API_ENGINE_INSPECTOR_H
#define KILN_API_ENGINE_INSPECTOR_H

#include "kiln/api/engine_enums.h"
#include "kiln/api/error_recorder.h"
#include "kiln/api/no_copy.h"

#pragma GCC visibility push(default)

namespace nvinfer1
{

class IExecutionContext;

class IEngineInspector : public INoCopy
{
public:
    virtual bool setExecutionContext(IExecutionContext const* context) noexcept = 0;
    virtual IExecutionContext const* getExecutionContext() const noexcept = 0;
    virtual char const* getLayerInformation(int32_t layerIndex,
        LayerInformationFormat format) const noexcept = 0;
    virtual char const* getEngineInformation(LayerInformationFormat format) const noexcept = 0;
    virtual void setErrorRecorder(IErrorRecorder* recorder) noexcept = 0;
    virtual IErrorRecorder* getErrorRecorder() const noexcept = 0;
    ~IEngineInspector() noexcept override = default;
};

} // namespace nvinfer1

#pragma GCC visibility pop

#endif // KILN_API_ENGINE_INSPECTOR_H
