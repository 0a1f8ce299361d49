// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace kiln {

/// Named ranges of time for profilers, by NVTX, version 3. A profiler gives the path of a library
/// in NVTX_INJECTION64_PATH, which is opened when ranges are first wanted. The part of its
/// interface that Kiln uses is declared in nvtx.cpp, so that builds do not need NVIDIA's headers.
class Nvtx {
public:
    /// Null if no profiler is attached.
    static Nvtx const* attached() noexcept;

    /// Begins a range on this thread, inside of those that have not ended. The text is read during
    /// the call.
    void push(char const* text) const noexcept;
    /// Ends the range that began last.
    void pop() const noexcept;

private:
    Nvtx() = default;
    bool open() noexcept;

    struct Attributes;
    int (*push_)(void* domain, Attributes const* attributes) = nullptr;
    int (*pop_)(void* domain) = nullptr;
    void* domain_ = nullptr;
};

} // namespace kiln
