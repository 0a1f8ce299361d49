// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace kiln::trtexec {

/// A Python interpreter in which the package kiln is installed.
struct Interpreter {
    std::string executable;
    std::string version;       ///< "3.11.7"
    std::string sharedLibrary; ///< its libpython as a file; empty when there is none
};

/// Looks at, in this order: KILN_PYTHON (and nothing else when it is set), the active virtual
/// environment, the environment that `library` (this program's own file) is installed in, python3
/// on PATH. Throws a Failure that lists what was tried.
Interpreter findInterpreter(std::string const& library);

/// The interpreter of the environment whose packages `library` lies in, or "".
/// E.g. "/env/lib/python3.11/site-packages/kiln/lib/x.so" gives "/env/bin/python3".
std::string ownInterpreter(std::string const& library);

} // namespace kiln::trtexec
