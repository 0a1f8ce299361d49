// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Detects whether the network refused anything while a model was imported. Most setters of the API
// return nothing: without this, the parser would not notice a setting that failed for lack of
// memory.
#pragma once

#include "kiln/api/network/network_definition.h"
#include "onnx/import_error.h"
#include "onnx/network_reason.h"

#include <new>

namespace kiln::onnx {

class NetworkErrors final : public nvinfer1::IErrorRecorder {
public:
    // Replaces the network's error recorder until it is destroyed, and forwards errors to it.
    explicit NetworkErrors(nvinfer1::INetworkDefinition& network) noexcept
        : network_(network), user_(network.getErrorRecorder()) {
        if (user_ != nullptr) {
            user_->incRefCount(); // the network releases it
        }
        network_.setErrorRecorder(this);
    }
    ~NetworkErrors() noexcept override {
        network_.setErrorRecorder(user_);
        if (user_ != nullptr) {
            user_->decRefCount();
        }
    }
    NetworkErrors(NetworkErrors const&) = delete;
    NetworkErrors& operator=(NetworkErrors const&) = delete;

    // Throws ImportError if there were errors; std::bad_alloc if memory ran out.
    void expectNone() const {
        if (outOfMemory_) {
            throw std::bad_alloc();
        }
        if (count_ > 0) {
            throw ImportError(ErrorCode::kINTERNAL_ERROR,
                              "the network refused a setting: " + networkReason());
        }
    }

    int32_t getNbErrors() const noexcept override { return count_; }
    nvinfer1::ErrorCode getErrorCode(int32_t index) const noexcept override {
        return user_ != nullptr ? user_->getErrorCode(index)
                                : nvinfer1::ErrorCode::kUNSPECIFIED_ERROR;
    }
    ErrorDesc getErrorDesc(int32_t index) const noexcept override {
        return user_ != nullptr ? user_->getErrorDesc(index) : "";
    }
    bool hasOverflowed() const noexcept override {
        return user_ != nullptr && user_->hasOverflowed();
    }
    void clear() noexcept override { count_ = 0; }
    bool reportError(nvinfer1::ErrorCode code, ErrorDesc text) noexcept override {
        ++count_;
        outOfMemory_ = outOfMemory_ || code == nvinfer1::ErrorCode::kFAILED_ALLOCATION;
        return user_ == nullptr || user_->reportError(code, text);
    }
    RefCount incRefCount() noexcept override { return ++references_; }
    RefCount decRefCount() noexcept override { return --references_; }

private:
    nvinfer1::INetworkDefinition& network_;
    nvinfer1::IErrorRecorder* user_;
    int32_t count_ = 0;
    bool outOfMemory_ = false;
    RefCount references_ = 0;
};

} // namespace kiln::onnx
