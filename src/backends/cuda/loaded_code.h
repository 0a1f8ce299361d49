// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "backends/cuda/module.h"

namespace kiln::backends::cuda {

/// The code of one built-in kernel: on the GPU, or, where plans are only built (there is no GPU, or
/// one of another architecture), nowhere.
class LoadedCode {
public:
    /// Takes what compileFor() made. Equal code is loaded once per process.
    explicit LoadedCode(ByteView code);

    /// How many codes the process remembers: those in use, and what went since the last was loaded.
    static std::size_t known();

    /// Null where there is no GPU. Throws kUnsupported where it has another architecture,
    /// kCorruptData for a name that the code lacks.
    CUfunction function(std::string_view name) const;

private:
    std::shared_ptr<Module const> module_;
    std::string problem_; ///< why the GPU can not run it
};

} // namespace kiln::backends::cuda
