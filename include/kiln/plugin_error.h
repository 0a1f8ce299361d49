// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// How a plugin callback says why it failed.
#ifndef KILN_PLUGIN_ERROR_H
#define KILN_PLUGIN_ERROR_H

//! \brief Keeps the reason for the failure that the calling plugin callback is about to return.
//!
//! The callbacks of the plugin interfaces can only return a code, false or a null pointer. A
//! callback, in C++ or in a language binding, may call this function before it returns such a
//! value. Kiln takes the text when the callback comes back with a failure and puts it into the log
//! and into the IErrorRecorder together with the layer, the plugin and the phase, as in
//! ```
//! [plugin] layer 'pad1', plugin CircPadPlugin 1, enqueue: returned 1.
//!          ValueError: pads must not be negative, got -1
//! ```
//!
//! The text is kept per thread, so call this on the thread on which the callback was entered.
//! A second call on the same thread before the callback returns replaces the text. Kiln empties it
//! before every callback, and ignores it when the callback succeeds.
//!
//! \param text zero-terminated UTF-8, any number of lines (a whole Python traceback is welcome);
//!     copied before the call returns. A null pointer empties the text.
//!
//! Never fails: when memory is short the text is dropped and the plain failure is reported.
extern "C" __attribute__((visibility("default"))) void kilnReportPluginError(
    char const* text) noexcept;

#endif // KILN_PLUGIN_ERROR_H
