// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

#include <NvOnnxConfig.h>

#include <new>
#include <string>

namespace {

class OnnxConfig final : public nvonnxparser::IOnnxConfig {
public:
    void setModelDtype(nvinfer1::DataType const type) noexcept override { type_ = type; }
    nvinfer1::DataType getModelDtype() const noexcept override { return type_; }
    char const* getModelFileName() const noexcept override { return model_.c_str(); }
    void setModelFileName(char const* onnxFilename) noexcept override { set(model_, onnxFilename); }
    Verbosity getVerbosityLevel() const noexcept override { return verbosity_; }
    void addVerbosity() noexcept override { ++verbosity_; }
    void reduceVerbosity() noexcept override { --verbosity_; }
    void setVerbosityLevel(Verbosity verbosity) noexcept override { verbosity_ = verbosity; }
    char const* getTextFileName() const noexcept override { return text_.c_str(); }
    void setTextFileName(char const* textFileName) noexcept override { set(text_, textFileName); }
    char const* getFullTextFileName() const noexcept override { return fullText_.c_str(); }
    void setFullTextFileName(char const* fullTextFileName) noexcept override {
        set(fullText_, fullTextFileName);
    }
    bool getPrintLayerInfo() const noexcept override { return print_; }
    void setPrintLayerInfo(bool print) noexcept override { print_ = print; }

private:
    static void set(std::string& member, char const* text) noexcept {
        try {
            member = text == nullptr ? "" : text;
        } catch (std::bad_alloc const&) { // keeps what it was
        }
    }

    nvinfer1::DataType type_ = nvinfer1::DataType::kFLOAT;
    Verbosity verbosity_ = static_cast<Verbosity>(nvinfer1::ILogger::Severity::kWARNING);
    std::string model_;
    std::string text_;
    std::string fullText_;
    bool print_ = false;
};

} // namespace

void* createNvOnnxConfig_INTERNAL() noexcept {
    return static_cast<nvonnxparser::IOnnxConfig*>(new (std::nothrow) OnnxConfig);
}
