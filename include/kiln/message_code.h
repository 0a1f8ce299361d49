// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// Codes of messages. Warnings and errors of Kiln end with a code in parentheses, such as
// "(run-17)", which never changes its meaning: programs can act on it, and `kiln explain run-17`
// says what the message means, why it happens and what to do.
#pragma once

#pragma GCC visibility push(default)

namespace kiln {

//! The code at the end of a message of Kiln, such as "run-17".
//!
//! \param message zero-terminated, from a logger, an error recorder or takeLastError().
//!
//! \return The code; an empty text if there is none, as in messages of plugins and of other
//!     libraries. Valid until the next call of a function of this header on the same thread.
char const* messageCode(char const* message) noexcept;

//! A message of Kiln with its code at its end.
//!
//! For parts of Kiln that make messages outside of its library: the parser, the bindings, trtexec.
//! A message with a code keeps it; one that quotes a message with a code gets that of the cause,
//! at its end.
//!
//! \param message zero-terminated.
//!
//! \return The text, unchanged if Kiln makes no such message. Valid until the next call of a
//!     function of this header on the same thread, and while `message` is.
char const* withMessageCode(char const* message) noexcept;

} // namespace kiln

#pragma GCC visibility pop
