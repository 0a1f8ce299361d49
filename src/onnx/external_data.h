// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Tensor data in files beside the model.
#pragma once

#include "onnx/proto/messages.h"
#include "onnx/weight_store.h"

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <tuple>

namespace kiln::onnx {

class ExternalData {
public:
    // modelPath: file name of the model; empty for a model that was passed as bytes without a path,
    // which cannot have external data.
    explicit ExternalData(std::filesystem::path const& modelPath);

    // Converts the elements that were read, in place or into other memory.
    using Convert = void const* (*)(std::byte* bytes, size_t size, WeightStore& store);

    // The `size` bytes of an external tensor, converted. Tensors of one type that name the same
    // bytes share them. At most twice the size of a file is read from it. Throws ImportError before
    // it allocates unless a file in the model's folder contains these bytes.
    void const* read(TensorProto const& tensor, size_t size, Convert convert, WeightStore& store);

private:
    struct Location {
        std::string file;
        size_t fileSize;
        size_t offset;
    };
    Location locate(TensorProto const& tensor, size_t size) const;

    std::filesystem::path folder_; // canonical; empty if there is none
    std::map<std::tuple<std::string, size_t, size_t, ElementType>, void const*> known_;
    std::map<std::string, size_t> bytesRead_; // by file
};

} // namespace kiln::onnx
