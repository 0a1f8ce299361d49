// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Tensor data in files beside the model.
#pragma once

#include "onnx/file_mapping.h"
#include "onnx/proto/messages.h"
#include "onnx/weight_store.h"

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <tuple>

namespace kiln::onnx {

class ExternalData {
public:
    // modelPath: file name of the model; empty for a model that was passed as bytes without a path,
    // which cannot have external data.
    explicit ExternalData(std::filesystem::path const& modelPath);

    // Converts the elements that were read, in place or into other memory. Null: they are used as
    // they are.
    using Convert = void const* (*)(std::byte* bytes, size_t size, WeightStore& store);

    // What a tensor of the model needs of its file.
    struct Request {
        size_t size;      // in bytes
        size_t alignment; // of an element
        Convert convert;
    };

    // The elements of an external tensor. They lie in the mapped file if they need no conversion
    // and are aligned there; else they are read. Tensors of one type that name the same bytes share
    // them. Those of a file have at most twice its size together. Throws ImportError before it
    // allocates unless a file in the model's folder contains these bytes.
    void const* read(TensorProto const& tensor, Request const& request, WeightStore& store);

private:
    struct Location {
        std::string file;
        size_t fileSize;
        size_t offset;
    };
    Location locate(TensorProto const& tensor, size_t size) const;
    // The bytes in the mapped file; null if it cannot be mapped or has become shorter.
    std::byte const* mapped(Location const& location, size_t size, WeightStore& store);

    std::filesystem::path folder_; // canonical; empty if there is none
    std::map<std::tuple<std::string, size_t, size_t, ElementType>, void const*> known_;
    std::map<std::string, size_t> bytesRead_; // by file
    std::map<std::string, std::shared_ptr<FileMapping const>> mappings_;
};

} // namespace kiln::onnx
