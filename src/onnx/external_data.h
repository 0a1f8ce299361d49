// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// Tensor data in files beside the model.
#pragma once

#include "onnx/proto/messages.h"

#include <cstddef>
#include <filesystem>
#include <string_view>

namespace kiln::onnx {

class ExternalData {
public:
    // modelPath: file name of the model, or empty for the working folder.
    explicit ExternalData(std::filesystem::path const& modelPath);

    // Checks that the file of an external tensor holds `size` bytes for it, inside the model's
    // folder. Throws ImportError; allocates nothing.
    struct Location {
        std::filesystem::path file;
        size_t offset;
    };
    Location locate(TensorProto const& tensor, size_t size) const;

    // Reads the bytes that locate() found.
    static void read(Location const& location, std::byte* target, size_t size);

private:
    std::filesystem::path folder_;
};

} // namespace kiln::onnx
