// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/bytes.h"

namespace kiln {

/// A file mapped read-only; pages are read on first access. Throws kInvalidArgument with the path
/// and the system's reason if the file cannot be opened.
class MappedFile {
public:
    explicit MappedFile(std::string const& path);
    ~MappedFile();
    MappedFile(MappedFile const&) = delete;
    MappedFile& operator=(MappedFile const&) = delete;

    ByteView bytes() const noexcept { return {static_cast<std::byte const*>(data_), size_}; }

private:
    void* data_ = nullptr;
    std::size_t size_ = 0;
};

} // namespace kiln
