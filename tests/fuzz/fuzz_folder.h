// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

/// A folder of this process with a model and, beside it, "weights.bin": 1024 floats 0, 1, 2, ...
/// The folder goes with the object; after a crash it stays, with the model that caused it.
class FuzzFolder {
public:
    FuzzFolder();
    ~FuzzFolder();
    FuzzFolder(FuzzFolder const&) = delete;
    FuzzFolder& operator=(FuzzFolder const&) = delete;

    /// The model's file name.
    std::filesystem::path model() const { return folder_ / "model.onnx"; }
    /// Writes the model, in a new file: the old one may still be mapped.
    void write(std::span<std::byte const> bytes) const;

private:
    std::filesystem::path folder_;
};
