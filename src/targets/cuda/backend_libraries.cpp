// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <fmt/core.h>

#include "targets/cuda/backend.h"
#include "targets/cuda/blaslt/cublaslt.h"
#include "targets/cuda/cudnn/cudnn.h"
#include "targets/cuda/driver/driver.h"
#include "targets/cuda/driver/nvrtc.h"

namespace kiln::targets::cuda {
namespace {

using target::LibraryStatus;

LibraryStatus driverStatus() {
    LibraryStatus status{"driver", {}, Driver::file(), Driver::problem()};
    if (status.problem.empty()) {
        int version = 0;
        Driver::instance().driverGetVersion(&version);
        status.version = fmt::format("{}.{}", version / 1000, version % 1000 / 10);
    }
    return status;
}

/// Status of cuBLASLt or cuDNN, which encode version 9.13.1 as 91301.
template <typename Functions>
LibraryStatus statusOf(char const* name) {
    LibraryStatus status{name, {}, {}, Functions::problem()};
    if (status.problem.empty()) {
        Functions const& functions = Functions::instance();
        std::size_t const version = functions.version();
        status.version =
            fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100);
        Dl_info info{};
        if (dladdr(reinterpret_cast<void const*>(functions.version), &info) != 0) {
            status.file = info.dli_fname;
        }
    }
    return status;
}

} // namespace

std::vector<LibraryStatus> CudaBackend::libraries() const {
    return {driverStatus(), nvrtcStatus(), statusOf<CublasLt>("cuBLASLt"),
            statusOf<Cudnn>("cuDNN")};
}

} // namespace kiln::targets::cuda
