// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Reports the reason why a plugin callback failed.
#pragma once

//! Reports the reason why the calling plugin callback is about to fail.
//!
//! Plugin callbacks can only return a code, false or a null pointer, and some return nothing. A
//! callback, in C++ or in a language binding, may call this function before it returns. Kiln then
//! treats the callback as failed, whatever it returns, and reports the text to the logger and the
//! IErrorRecorder together with the layer, the plugin and the phase:
//! ```
//! [plugin] layer 'pad1', plugin CircPadPlugin (version 1), enqueue: ...
//!     ValueError: pads must not be negative, got -1
//! ```
//!
//! The text is thread-local: call this function on the thread that entered the callback. A second
//! call in the same callback replaces the text. Kiln clears it before every callback.
//!
//! \param text null-terminated UTF-8, any number of lines (a complete Python traceback, for
//!     example); copied. A null pointer clears the text.
//!
//! Never fails: if memory is exhausted, the text is dropped and the failure is reported without it.
extern "C" __attribute__((visibility("default"))) void kilnReportPluginError(
    char const* text) noexcept;

//! \brief Returns and clears the text that the last callback on this thread passed to
//! kilnReportPluginError().
//!
//! For code that calls a plugin or creator itself, such as an importer of a model format: after a
//! failed call, this is the plugin author's reason. Kiln's own calls already do this.
//!
//! \return null-terminated UTF-8, valid until the next call of this function on the same thread; an
//!     empty string when nothing was reported.
extern "C" __attribute__((visibility("default"))) char const* kilnTakePluginError() noexcept;
