// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
// How an exception in a user's callback reaches the user through C++: as text in the logger and,
// after kiln.raise_errors(True), as the exception itself.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <pybind11/pybind11.h>

#include "gil.h"

namespace kiln::python {

namespace py = pybind11;

/// Takes the pending Python exception of a plugin's callback. Its traceback becomes the reason that
/// Kiln logs (kilnReportPluginError); the exception is kept for raiseKept().
[[gnu::cold]] void reportPluginException() noexcept;

/// An exception with its traceback, as Python prints it.
[[gnu::cold]] std::string describeException(py::error_already_set const& error);

/// Reports a wrong result of a callback, as if the callback had raised `kind(text)`.
[[gnu::cold]] void reportPluginProblem(PyObject* kind, std::string const& text) noexcept;

/// Takes the pending exception of a callback that has no way to fail (a logger, a profiler):
/// Python's sys.unraisablehook shows it, and it is kept for raiseKept().
void reportUnraisable(char const* where) noexcept;

/// Like reportUnraisable(), for a plugin that ends (destroy, terminate): Kiln reports it, too, with
/// layer and plugin.
void reportLate(char const* where) noexcept;

/// While it exists, exceptions in finalizers (__del__) on this thread are reported as by
/// reportLate(). Needs the GIL.
class FinalizerErrors {
public:
    FinalizerErrors() noexcept;
    ~FinalizerErrors();
    FinalizerErrors(FinalizerErrors const&) = delete;
    FinalizerErrors& operator=(FinalizerErrors const&) = delete;

private:
    PyObject* before_ = nullptr; // the previous hook
    bool outer_;
};

/// Forgets the errors that Kiln reported on this thread: before a call whose failure is to be
/// raised.
void forgetError() noexcept;
/// The error that Kiln reported since then, as the log has it; `otherwise` if it reported none.
std::string reportedError(std::string_view otherwise);

/// Whether API calls raise the exception of a callback, instead of only returning None or False.
void setRaiseErrors(bool on) noexcept;
bool raisesErrors() noexcept;

// One per thread: the API call that fails runs on the thread of the callback that made it fail.
[[gnu::tls_model("initial-exec")]] inline constinit thread_local PyObject* keptException = nullptr;

/// Forgets the exception kept on this thread.
inline void forgetKept() noexcept {
    if (keptException != nullptr) [[unlikely]] {
        Py_DECREF(std::exchange(keptException, nullptr));
    }
}
/// Throws the exception kept on this thread, if there is one.
[[gnu::cold]] void raiseKept();

/// Runs one call into Kiln that may run callbacks, without the GIL, and raises the exception of a
/// callback if the call failed because of it. A call has failed if its result is null or false; a
/// call that returns nothing always raises a kept exception.
template <typename F>
auto apiCall(F&& call) {
    forgetKept();
    if constexpr (std::is_void_v<decltype(call())>) {
        {
            GilReleased const released;
            call();
        }
        raiseKept();
    } else {
        auto result = [&] {
            GilReleased const released;
            return call();
        }();
        if (!result) {
            raiseKept();
        }
        return result;
    }
}

} // namespace kiln::python
