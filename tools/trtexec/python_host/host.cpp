// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "python_host/host.h"

#include <cerrno>
#include <cstring>

#include <dlfcn.h>
#include <unistd.h>

#include "failure.h"
#include "python_host/interpreter.h"
#include "python_host/process.h"

namespace kiln::trtexec {
namespace {

/// The program that the interpreter runs. Arguments: this library, the title of the status lines,
/// and the arguments of trtexec. It removes the current folder from the import path.
constexpr char const* kBootstrap = R"(
import sys
sys.path = [p for p in sys.path if p]
try:
    from kiln import _trtexec_host as host
except BaseException:
    import traceback
    traceback.print_exc()
    print("&&&& FAILED " + sys.argv[2], flush=True)
    sys.exit(1)
sys.exit(host.main(sys.argv[1], sys.argv[2], sys.argv[3:]))
)";

/// Py_BytesMain, in every Python since 3.8: runs the interpreter like its own main(), so that
/// virtual environments and the PYTHON* variables work as usual.
using BytesMain = int (*)(int argc, char** argv);

/// Loaded with RTLD_GLOBAL: extension modules need Python's symbols. Null if there is no such
/// library or it cannot be loaded.
BytesMain openPython(Interpreter const& python, Logger& logger) {
    if (python.sharedLibrary.empty()) {
        return nullptr;
    }
    void* const library = ::dlopen(python.sharedLibrary.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (library == nullptr) {
        logger.verbose("[python] {} does not load: {}", python.sharedLibrary, ::dlerror());
        return nullptr;
    }
    return reinterpret_cast<BytesMain>(::dlsym(library, "Py_BytesMain"));
}

} // namespace

std::string ownLibrary() {
    Dl_info info{};
    if (::dladdr(reinterpret_cast<void*>(&continueUnderPython), &info) == 0 ||
        info.dli_fname == nullptr) {
        fail("[python] the dynamic linker does not tell where trtexec lies");
    }
    return info.dli_fname;
}

int continueUnderPython(std::vector<std::string> const& arguments, std::string const& title,
                        Logger& logger) {
    std::string const library = ownLibrary();
    Interpreter const python = findInterpreter(library);
    std::vector<std::string> words{python.executable, "-c", kBootstrap, library, title};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv = asArgv(words);
    if (BytesMain const main = openPython(python, logger); main != nullptr) {
        logger.info("Plugins in Python: opened {} of {} (Python {})", python.sharedLibrary,
                    python.executable, python.version);
        return main(static_cast<int>(words.size()), argv.data());
    }
    logger.info("Plugins in Python: {} (Python {}) has no shared library, restarting under it",
                python.executable, python.version);
    ::execv(python.executable.c_str(), argv.data());
    fail("[python] cannot start '{}': {}", python.executable, std::strerror(errno));
}

} // namespace kiln::trtexec
