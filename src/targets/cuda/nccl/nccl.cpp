// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/nccl/nccl.h"

#include "targets/cuda/opened_library.h"

namespace kiln::targets::cuda {
namespace {

constexpr char const* kFiles[] = {"libnccl.so.2", "libnccl.so"};
constexpr LibraryNames kNames{"NCCL", "KILN_NCCL", kFiles, "Install the package nvidia-nccl-cu13"};

Opened<Nccl> open() {
    return openLibrary<Nccl>(kNames, "version 2.7 or later",
                             [](auto& functions, auto const& lookUp) {
#define KILN_LOOK_UP(name, member, result, parameters) lookUp(functions.member, #name);
                                 KILN_NCCL_FUNCTIONS(KILN_LOOK_UP)
#undef KILN_LOOK_UP
                             });
}

Opened<Nccl> const& opened() {
    static auto const* const once = new Opened<Nccl>(open()); // engines may outlive main()
    return *once;
}

} // namespace

Nccl const& Nccl::instance() {
    return opened().expectUsable();
}

std::string const& Nccl::problem() {
    return opened().problem;
}

} // namespace kiln::targets::cuda
