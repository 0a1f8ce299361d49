// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

namespace kiln::targets::cuda {

/// Where to find one of NVIDIA's libraries.
struct LibraryNames {
    char const* title;                  ///< "NVRTC", for messages
    char const* variable;               ///< environment variable with a file to open instead
    std::span<char const* const> files; ///< "libnvrtc.so.13", best first
    char const* remedy;                 ///< "Install the package nvidia-cuda-nvrtc."
};

/// A system library, opened and never closed.
class Library {
public:
    /// Uses the library if the process has already opened it. Otherwise searches the loader's path,
    /// the folders of kiln::addLibraryFolder(), the site-packages folder of Kiln's own library and
    /// /usr/local/cuda.
    explicit Library(LibraryNames const& names);

    /// Whether there is a file that the constructor may open; without opening it, which can take a
    /// tenth of a second. Does not search the loader's path.
    static bool isPresent(LibraryNames const& names);

    /// Empty if the library is open, else the reason: "NVRTC was not found (...). Install ...".
    std::string const& problem() const noexcept { return problem_; }
    /// The library's path; empty if it is not open.
    std::string file() const;
    /// Null if the library does not have the symbol.
    void* symbol(char const* name) const noexcept;

private:
    void* handle_ = nullptr;
    std::string problem_;
};

} // namespace kiln::targets::cuda
