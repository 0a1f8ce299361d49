// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include <NvInfer.h>

#include "api/reporter.h"
#include "runtime/engine.h"

namespace kiln::api {

/// IEngineInspector: describes the layers of a plan as text or JSON.
class EngineInspector final : public nvinfer1::IEngineInspector {
public:
    EngineInspector(std::shared_ptr<runtime::Engine const> engine, Reporter const& reporter)
        : engine_(std::move(engine)), reporter_(reporter.log()) {
        reporter_.setRecorder(reporter.recorder());
    }

    bool setExecutionContext(nvinfer1::IExecutionContext const* context) noexcept override;
    nvinfer1::IExecutionContext const* getExecutionContext() const noexcept override {
        return context_;
    }
    char const* getLayerInformation(
        int32_t layerIndex, nvinfer1::LayerInformationFormat format) const noexcept override;
    char const* getEngineInformation(
        nvinfer1::LayerInformationFormat format) const noexcept override;
    void setErrorRecorder(nvinfer1::IErrorRecorder* recorder) noexcept override {
        reporter_.setRecorder(recorder);
    }
    nvinfer1::IErrorRecorder* getErrorRecorder() const noexcept override {
        return reporter_.recorder();
    }

private:
    std::shared_ptr<runtime::Engine const> engine_;
    Reporter reporter_;
    nvinfer1::IExecutionContext const* context_ = nullptr;
    mutable std::string text_; ///< the last returned text
};

} // namespace kiln::api
