// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <fmt/core.h>

#include "base/hash.h"
#include "base/text.h"
#include "targets/cuda/backend.h"
#include "targets/cuda/blaslt/cublaslt.h"
#include "targets/cuda/cudnn/cudnn.h"
#include "targets/cuda/driver/driver.h"
#include "targets/cuda/driver/nvrtc.h"
#include "targets/cuda/kernel_texts.h"
#include "targets/cuda/library_version.h"

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

/// Status of cuBLASLt or cuDNN.
template <typename Functions>
LibraryStatus statusOf(char const* name) {
    LibraryStatus status{name, {}, {}, Functions::problem()};
    if (status.problem.empty()) {
        status.version = versionOf<Functions>();
        Dl_info info{};
        auto const* const function = reinterpret_cast<void const*>(Functions::instance().version);
        if (dladdr(function, &info) != 0) {
            status.file = info.dli_fname;
        }
    }
    return status;
}

/// The sources of this library's kernels, as a hash.
uint64_t hashOfSources() {
    std::string all;
    for (KernelText const& file : kernelTexts()) {
        all += file.text;
    }
    return hashBytes({reinterpret_cast<std::byte const*>(all.data()), all.size()});
}

} // namespace

std::string CudaBackend::timingFacts() const {
    static std::string const versions = [&] {
        std::string text = fmt::format("{:x}", hashOfSources());
        for (LibraryStatus const& library : libraries()) {
            text += fmt::format(" {} {}", library.name, library.version);
        }
        return text;
    }();
    return fmt::format("{} {}", join(architectures(), "+"), versions);
}

std::vector<LibraryStatus> CudaBackend::libraries() const {
    return {driverStatus(), nvrtcStatus(), statusOf<CublasLt>("cuBLASLt"),
            statusOf<Cudnn>("cuDNN")};
}

} // namespace kiln::targets::cuda
