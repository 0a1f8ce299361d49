// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace kiln::trtexec {

/// Reads exactly `bytes` bytes, the whole file, into `data`; `what` names the use in the Failure
/// that is thrown when the file is not readable or has another size.
void readWhole(std::string const& path, std::string const& what, void* data, size_t bytes);

/// The bytes of a whole file; `option` is the one that named it.
std::string readText(std::string const& option, std::string const& path);

/// `name` as the name of a file in the current folder: slashes and blanks become underscores.
std::string fileNameOf(std::string name);

/// Writes a file beside `path` and moves it there, so that whoever has the old one open or mapped
/// keeps it whole. Throws a Failure with the file's name and the system's reason.
void writeWhole(std::string const& path, void const* data, size_t bytes);

/// Throws a Failure unless `path` is a readable file; `option` is the one that named it.
void requireFile(std::string const& option, std::string const& path);

} // namespace kiln::trtexec
