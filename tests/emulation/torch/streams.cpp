// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// Stands in for Torch's C functions for the current stream; each returns 0 for success. Tests read
// the current stream and the number of live guards.
#include <cstdint>

extern "C" {

void* standInStream = nullptr;
int32_t standInGuards = 0;
int32_t standInFailure = 0; // result of the functions that can fail

int32_t aoti_torch_get_current_cuda_stream(int32_t /*device*/, void** stream) {
    *stream = standInStream;
    return standInFailure;
}

int32_t aoti_torch_create_cuda_stream_guard(void* stream, int32_t /*device*/, void** guard) {
    if (standInFailure == 0) {
        *guard = new void* {standInStream};
        standInStream = stream;
        ++standInGuards;
    }
    return standInFailure;
}

int32_t aoti_torch_delete_cuda_stream_guard(void* guard) {
    auto* const before = static_cast<void**>(guard);
    standInStream = *before;
    delete before;
    --standInGuards;
    return 0;
}
}
