// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// A stream is a handle with flags and a priority. Work on a stream runs at once.
#include "streams.h"

#include <algorithm>

#include "handles.h"
#include "status.h"

namespace kiln::cudart {
namespace {

struct Stream {
    unsigned int flags = cudaStreamDefault;
    int priority = 0;
};

// CUDA's usual range. Lower numbers have higher priority.
constexpr int kLeastPriority = 0;
constexpr int kGreatestPriority = -5;

/// Never destroyed: other threads may use streams while the process ends.
Handles<cudaStream_t, Stream>& streams() {
    static auto* const all = new Handles<cudaStream_t, Stream>;
    return *all;
}

bool needsNoCreation(cudaStream_t stream) noexcept {
    return stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread;
}

cudaError_t create(cudaStream_t* stream, unsigned int flags, int priority) {
    if (stream == nullptr || flags > cudaStreamNonBlocking) {
        return report(cudaErrorInvalidValue);
    }
    return guarded([&] {
        *stream = streams().add({flags, std::clamp(priority, kGreatestPriority, kLeastPriority)});
        return cudaSuccess;
    });
}

/// Calls `use` with the stream's values. Streams that need no creation have default values.
template <typename Use>
cudaError_t look(cudaStream_t stream, void const* result, Use use) {
    if (result == nullptr) {
        return report(cudaErrorInvalidValue);
    }
    if (needsNoCreation(stream)) {
        use(Stream{});
        return cudaSuccess;
    }
    return streams().with(stream, use) ? cudaSuccess : report(cudaErrorInvalidResourceHandle);
}

} // namespace

bool isStream(cudaStream_t stream) noexcept {
    return needsNoCreation(stream) || streams().with(stream, [](Stream const&) {});
}

} // namespace kiln::cudart

using namespace kiln::cudart;

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
    return create(stream, cudaStreamDefault, 0);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int flags) {
    return create(stream, flags, 0);
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned int flags, int priority) {
    return create(stream, flags, priority);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    return streams().remove(stream) ? cudaSuccess : report(cudaErrorInvalidResourceHandle);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    return report(checkStream(stream));
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
    return report(checkStream(stream));
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int* flags) {
    return look(stream, flags, [&](Stream const& found) { *flags = found.flags; });
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
    return look(stream, priority, [&](Stream const& found) { *priority = found.priority; });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn, void* userData) {
    if (fn == nullptr) {
        return report(cudaErrorInvalidValue);
    }
    cudaError_t const error = report(checkStream(stream));
    if (error == cudaSuccess) {
        fn(userData);
    }
    return error;
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* leastPriority, int* greatestPriority) {
    if (leastPriority != nullptr) {
        *leastPriority = kLeastPriority;
    }
    if (greatestPriority != nullptr) {
        *greatestPriority = kGreatestPriority;
    }
    return cudaSuccess;
}
