// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0

// A file mapped read-only. The clients of the public API do not share src/base, so this is theirs.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace kiln::onnx {

class FileMapping {
public:
    // Null if the file cannot be mapped: it is empty or not a regular file, or its file system has
    // no mappings.
    static std::shared_ptr<FileMapping const> open(std::string const& path);

    ~FileMapping();
    FileMapping(FileMapping const&) = delete;
    FileMapping& operator=(FileMapping const&) = delete;

    std::string const& path() const { return path_; }
    std::span<std::byte const> bytes() const { return bytes_; }
    // Takes the pages out of this process's memory; the next access reads them again.
    void releasePages() const noexcept;

private:
    FileMapping() = default;

    std::string path_;
    std::span<std::byte const> bytes_;
};

} // namespace kiln::onnx
