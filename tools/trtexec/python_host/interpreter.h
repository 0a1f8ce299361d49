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
    std::string sharedLibrary; ///< path of its libpython; empty if there is none
};

/// Tries, in this order: KILN_PYTHON (if set, nothing else), the active virtual environment, the
/// environment that `library` (the file of this code) is installed in, python3 on PATH. Throws a
/// Failure that lists the candidates.
Interpreter findInterpreter(std::string const& library);

/// The interpreter of the environment whose packages contain `library`, or "".
/// E.g. "/env/lib/python3.11/site-packages/kiln/lib/x.so" gives "/env/bin/python3".
std::string ownInterpreter(std::string const& library);

} // namespace kiln::trtexec
