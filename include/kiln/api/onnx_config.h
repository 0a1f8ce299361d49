// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// IOnnxConfig: the settings of a program that reads ONNX files.
#pragma once

#include "NvInfer.h"

//! Entry point behind nvonnxparser::createONNXConfig(). \return an nvonnxparser::IOnnxConfig.
extern "C" TENSORRTAPI void* createNvOnnxConfig_INTERNAL() noexcept;

#pragma GCC visibility push(default)

namespace nvonnxparser {

//! Settings of a program that reads ONNX files: a place to keep them. The parser does not read
//! them.
//!
//! Strings are copied; a returned string stays valid until the setting changes or the object is
//! destroyed. The caller deletes the object.
class IOnnxConfig {
public:
    virtual ~IOnnxConfig() noexcept = default;

    //! Verbosity of messages, as an nvinfer1::ILogger::Severity.
    using Verbosity = int32_t;

    //! Sets the type that the model's weights have. Default: kFLOAT.
    virtual void setModelDtype(nvinfer1::DataType const type) noexcept = 0;

    //! The type that the model's weights have.
    virtual nvinfer1::DataType getModelDtype() const noexcept = 0;

    //! File name of the model. Default: empty.
    virtual char const* getModelFileName() const noexcept = 0;

    //! Sets the file name of the model. nullptr: empty.
    virtual void setModelFileName(char const* onnxFilename) noexcept = 0;

    //! The verbosity. Default: kWARNING (2).
    virtual Verbosity getVerbosityLevel() const noexcept = 0;

    //! Raises the verbosity by one.
    virtual void addVerbosity() noexcept = 0;

    //! Lowers the verbosity by one.
    virtual void reduceVerbosity() noexcept = 0;

    //! Sets the verbosity.
    virtual void setVerbosityLevel(Verbosity verbosity) noexcept = 0;

    //! File name of a description of the model as text. Default: empty.
    virtual char const* getTextFileName() const noexcept = 0;

    //! Sets the file name of a description of the model as text. nullptr: empty.
    virtual void setTextFileName(char const* textFileName) noexcept = 0;

    //! File name of a description as text that includes the weights. Default: empty.
    virtual char const* getFullTextFileName() const noexcept = 0;

    //! Sets the file name of a description as text that includes the weights. nullptr: empty.
    virtual void setFullTextFileName(char const* fullTextFileName) noexcept = 0;

    //! Whether to print the layers. Default: false.
    virtual bool getPrintLayerInfo() const noexcept = 0;

    //! Sets whether to print the layers.
    virtual void setPrintLayerInfo(bool print) noexcept = 0;
};

//! Creates settings with their defaults. \return nullptr if memory is short.
inline IOnnxConfig* createONNXConfig() {
    return static_cast<IOnnxConfig*>(createNvOnnxConfig_INTERNAL());
}

} // namespace nvonnxparser

#pragma GCC visibility pop
