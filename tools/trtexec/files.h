// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace kiln::trtexec {

/// Reads a complete file of exactly `bytes` bytes into `data`. Throws a Failure, with `what` as its
/// subject, if the file is not readable or has another size.
void readWhole(std::string const& path, std::string const& what, void* data, size_t bytes);

/// Returns the contents of a file. `option` is the option that named it, for messages.
std::string readText(std::string const& option, std::string const& path);

/// Converts `name` to the name of a file in the current folder: slashes and spaces become
/// underscores.
std::string fileNameOf(std::string name);

/// Writes a temporary file and renames it to `path`, so that processes that have the old file open
/// or mapped are not affected. Throws a Failure with the file name and the system's error.
void writeWhole(std::string const& path, void const* data, size_t bytes);

/// Throws a Failure unless `path` is a readable file. `option` is the option that named it.
void requireFile(std::string const& option, std::string const& path);

} // namespace kiln::trtexec
