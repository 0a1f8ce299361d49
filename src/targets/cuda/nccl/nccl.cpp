// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "targets/cuda/nccl/nccl.h"

#include "base/error.h"
#include "targets/cuda/driver/library.h"
#include "targets/cuda/gpu.h"

namespace kiln::targets::cuda {
namespace {

constexpr char const* kFiles[] = {"libnccl.so.2", "libnccl.so"};
constexpr LibraryNames kNames{"NCCL", "KILN_NCCL", kFiles, "Install the package nvidia-nccl-cu13"};

struct OpenedNccl {
    Nccl functions;
    std::string problem;
};

OpenedNccl open() {
    OpenedNccl opened;
    opened.problem = gpuProblem();
    if (!opened.problem.empty()) {
        return opened;
    }
    Library const library(kNames);
    opened.problem = library.problem();
    if (!opened.problem.empty()) {
        return opened;
    }
#define KILN_LOOK_UP(name, member, result, parameters)                                             \
    opened.functions.member =                                                                      \
        reinterpret_cast<decltype(opened.functions.member)>(library.symbol(#name));                \
    if (opened.functions.member == nullptr && opened.problem.empty()) {                            \
        opened.problem = "NCCL lacks " #name "; expected version 2.7 or later";                    \
    }
    KILN_NCCL_FUNCTIONS(KILN_LOOK_UP)
#undef KILN_LOOK_UP
    return opened;
}

OpenedNccl const& opened() {
    static auto const* const once = new OpenedNccl(open()); // engines may outlive main()
    return *once;
}

} // namespace

Nccl const& Nccl::instance() {
    if (!opened().problem.empty()) {
        fail(ErrorKind::kUnsupported, "[cuda] {}.", opened().problem);
    }
    return opened().functions;
}

std::string const& Nccl::problem() {
    return opened().problem;
}

} // namespace kiln::targets::cuda
