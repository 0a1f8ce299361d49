// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// How a plugin callback says why it failed.
#pragma once

//! Says why the calling plugin callback is about to fail.
//!
//! The callbacks of the plugin interfaces can only return a code, false or a null pointer, and some
//! return nothing at all. A callback, in C++ or in a language binding, may call this function
//! before it returns. Kiln then takes the callback for failed, whatever it returns, and puts the
//! text into the log and into the IErrorRecorder together with the layer, the plugin and the phase:
//! ```
//! [plugin] layer 'pad1', plugin CircPadPlugin (version 1), enqueue: ...
//!     ValueError: pads must not be negative, got -1
//! ```
//!
//! The text is kept per thread: call this on the thread on which the callback was entered. A second
//! call before the callback returns replaces the text. Kiln empties it before every callback.
//!
//! \param text zero-terminated UTF-8, any number of lines (a whole Python traceback is welcome);
//!     copied before the call returns. A null pointer empties the text.
//!
//! Never fails: when memory is short the text is dropped and the plain failure is reported.
extern "C" __attribute__((visibility("default"))) void kilnReportPluginError(
    char const* text) noexcept;

//! \brief Takes the text that the last callback on this thread left with kilnReportPluginError().
//!
//! For code that calls a plugin or creator itself, as an importer of a model format does: after a
//! call that failed, this is the author's reason. Kiln's own calls take it by themselves.
//!
//! \return zero-terminated UTF-8, valid until the next call of this function on the same thread;
//!     an empty text when nothing was reported. The kept text is emptied.
extern "C" __attribute__((visibility("default"))) char const* kilnTakePluginError() noexcept;
