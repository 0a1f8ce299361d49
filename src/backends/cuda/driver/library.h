// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

namespace kiln::backends::cuda {

/// Where one of NVIDIA's libraries may be found.
struct LibraryNames {
    char const* title;                  ///< "NVRTC", for messages
    char const* variable;               ///< environment variable that names a file instead
    std::span<char const* const> files; ///< "libnvrtc.so.13", best first
    char const* remedy;                 ///< "Install the package nvidia-cuda-nvrtc."
};

/// A library of the system, opened and never closed.
class Library {
public:
    /// Takes one that the process has open already, else looks in the loader's path, in the folders
    /// of kiln::addLibraryFolder(), beside Kiln's own library (wheels are installed side by side)
    /// and in /usr/local/cuda.
    explicit Library(LibraryNames const& names);

    /// Empty if it is open, else why not: "NVRTC was not found (...). Install ...".
    std::string const& problem() const noexcept { return problem_; }
    /// Its path; empty if it is not open.
    std::string file() const;
    /// Null for a symbol that it lacks.
    void* symbol(char const* name) const noexcept;

private:
    void* handle_ = nullptr;
    std::string problem_;
};

} // namespace kiln::backends::cuda
