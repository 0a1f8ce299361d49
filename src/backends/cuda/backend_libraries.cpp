// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include "backends/cuda/backend.h"
#include "backends/cuda/device.h"
#include "backends/cuda/driver/nvrtc.h"

namespace kiln::backends::cuda {
namespace {

using backend::LibraryStatus;

LibraryStatus driverStatus() {
    LibraryStatus status{"driver", {}, Driver::file(), Driver::problem()};
    if (status.problem.empty()) {
        int version = 0;
        Driver::instance().driverGetVersion(&version);
        status.version = fmt::format("{}.{}", version / 1000, version % 1000 / 10);
    }
    return status;
}

} // namespace

std::vector<LibraryStatus> CudaBackend::libraries() const {
    return {driverStatus(), nvrtcStatus()};
}

} // namespace kiln::backends::cuda
