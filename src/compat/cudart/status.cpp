// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "status.h"

#include <utility>

namespace kiln::cudart {
namespace {

thread_local cudaError_t lastError = cudaSuccess;

struct Words {
    cudaError_t error;
    char const* name;
    char const* text;
};

#define WORDS(error, text) {error, #error, text}
constexpr Words kWords[] = {
    WORDS(cudaSuccess, "no error"),
    WORDS(cudaErrorInvalidValue, "invalid argument"),
    WORDS(cudaErrorMemoryAllocation, "out of memory"),
    WORDS(cudaErrorInitializationError, "initialization error"),
    WORDS(cudaErrorInvalidPitchValue, "invalid pitch argument"),
    WORDS(cudaErrorInvalidMemcpyDirection, "invalid copy direction for memcpy"),
    WORDS(cudaErrorNoDevice, "no CUDA-capable device is detected"),
    WORDS(cudaErrorInvalidDevice, "invalid device ordinal"),
    WORDS(cudaErrorInvalidResourceHandle, "invalid resource handle"),
    WORDS(cudaErrorNotReady, "device not ready"),
    WORDS(cudaErrorHostMemoryAlreadyRegistered,
          "part or all of the requested memory range is already mapped"),
    WORDS(cudaErrorHostMemoryNotRegistered,
          "pointer does not correspond to a registered memory region"),
    WORDS(cudaErrorNotSupported, "operation not supported"),
    WORDS(cudaErrorUnknown, "unknown error"),
};
#undef WORDS

constexpr Words kUnrecognized{cudaErrorUnknown, "unrecognized error code",
                              "unrecognized error code"};

Words const& wordsOf(cudaError_t error) noexcept {
    for (Words const& words : kWords) {
        if (words.error == error) {
            return words;
        }
    }
    return kUnrecognized;
}

} // namespace

cudaError_t report(cudaError_t error) noexcept {
    if (error != cudaSuccess) {
        lastError = error;
    }
    return error;
}

} // namespace kiln::cudart

cudaError_t cudaGetLastError() {
    return std::exchange(kiln::cudart::lastError, cudaSuccess);
}

cudaError_t cudaPeekAtLastError() {
    return kiln::cudart::lastError;
}

char const* cudaGetErrorName(cudaError_t error) {
    return kiln::cudart::wordsOf(error).name;
}

char const* cudaGetErrorString(cudaError_t error) {
    return kiln::cudart::wordsOf(error).text;
}
