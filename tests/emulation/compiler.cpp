// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
//
// NVRTC's functions, implemented with the C++ compiler. A source is preprocessed, a table of its
// __global__ functions is appended, and the result is compiled into a shared library. Libraries are
// cached in a folder by content.
#include <algorithm>
#include <atomic>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include <unistd.h>

#include "emulation/emulation.h"
#include "emulation/image.h"
#include "emulation/kernel_limits.h"

namespace kiln::emulation {
namespace {

namespace fs = std::filesystem;

enum Result { kSuccess = 0, kInvalidProgram = 4, kInvalidOption = 5, kCompilation = 6 };

// The architectures that NVRTC 13.0 compiles for.
constexpr int kArchitectures[] = {75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121};

// The sanitizers trap on unaligned wide accesses and on indices outside of arrays. Without
// -fno-gnu-unique, all libraries would share symbols, although their macros differ. Arrays that
// are not initialized hold bytes 0xfe: NaN as a half, -1.7e38 as a float.
constexpr char const* kOptions =
    "-O1 -fPIC -shared -s -fno-strict-aliasing -fno-exceptions -fno-rtti -fno-stack-protector "
    "-fno-gnu-unique -fsanitize=alignment,bounds -fsanitize-undefined-trap-on-error "
    "-ftrivial-auto-var-init=pattern -Wl,-Bsymbolic ";

/// Half precision by instructions instead of calls: tests of attention take half the time.
std::string options() {
    std::string text = kOptions;
#ifdef __x86_64__
    text += __builtin_cpu_supports("f16c") != 0 ? "-mf16c " : "";
#endif
    return text;
}

struct Program {
    std::string name;
    std::string source;
    std::vector<std::pair<std::string, std::string>> headers;
    std::string log;
    std::string image;
};

std::string fromEnvironment(char const* variable, char const* otherwise) {
    char const* const text = std::getenv(variable);
    return text == nullptr ? otherwise : text;
}

std::string contentOf(fs::path const& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

void write(fs::path const& path, std::string const& text) {
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
}

/// A temporary folder that is removed with the object.
class WorkFolder {
public:
    WorkFolder() {
        std::string name = (fs::temp_directory_path() / "kiln-emulation-XXXXXX").string();
        path_ = mkdtemp(name.data());
    }
    ~WorkFolder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    WorkFolder(WorkFolder const&) = delete;
    WorkFolder& operator=(WorkFolder const&) = delete;
    fs::path operator/(std::string const& name) const { return path_ / name; }

private:
    fs::path path_;
};

bool isWord(char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

std::string quoted(std::string const& text) {
    std::string result = "'";
    for (char const letter : text) {
        result += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
    }
    return result + "'";
}

/// Runs the compiler and appends its messages to the log.
bool compile(std::string const& arguments, WorkFolder const& folder, std::string& log) {
    fs::path const words = folder / "log.txt";
    std::string const command = fromEnvironment("KILN_EMULATION_CXX", KILN_EMULATION_COMPILER) +
                                " -std=gnu++17 -w " + arguments + " 2> " + quoted(words.string());
    bool const good = std::system(command.c_str()) == 0;
    log += contentOf(words);
    return good;
}

/// The name of the function in a declaration that continues at `at`, such as " void copy(...";
/// empty if it declares no function.
std::string_view nameAfter(std::string_view source, std::size_t at) {
    std::string_view last;
    while (at < source.size() && source.find_first_of(";{}=", at) != at) {
        if (source[at] == '(') {
            if (last != "__attribute__") {
                return last;
            }
            for (int depth = 0; at < source.size(); ++at) { // skip the attribute's arguments
                depth += source[at] == '(' ? 1 : source[at] == ')' ? -1 : 0;
                if (depth == 0) {
                    break;
                }
            }
        } else if (isWord(source[at])) {
            std::size_t const begin = at;
            while (at < source.size() && isWord(source[at])) {
                ++at;
            }
            last = source.substr(begin, at - begin);
            continue;
        }
        ++at;
    }
    return {};
}

/// The table of the __global__ functions that a preprocessed source defines or declares.
std::string tableOf(std::string_view source) {
    constexpr std::string_view kMark = "kiln_emulated_global()))";
    std::ostringstream table;
    table << "\nextern \"C\" KilnKernel kiln_emulated_kernels[] = {\n";
    std::vector<std::string_view> known;
    for (std::size_t at = source.find(kMark); at != std::string_view::npos;
         at = source.find(kMark, at + 1)) {
        std::string_view const name = nameAfter(source, at + kMark.size());
        if (!name.empty() && std::find(known.begin(), known.end(), name) == known.end()) {
            known.push_back(name);
            table << "    kilnKernel(\"" << name << "\", &" << name << "),\n";
        }
    }
    table << "    {}};\n";
    return table.str();
}

/// Whether a source has variables in global memory.
bool hasGlobals(std::string_view source) {
    constexpr std::string_view kMark = "__device__";
    for (std::size_t at = source.find(kMark); at != std::string_view::npos;
         at = source.find(kMark, at + 1)) {
        std::size_t const end = source.find_first_of("(){;=[", at);
        if (end != std::string_view::npos &&
            std::string_view(";=[").find(source[end]) != std::string_view::npos) {
            return true;
        }
    }
    return false;
}

/// Builds the library of a program; empty on failure, with messages in the log.
std::string build(Program& program, std::string const& defines) {
    WorkFolder const folder;
    fs::path const source = folder / (program.name.empty() ? "program.cu" : program.name);
    write(source, program.source);
    bool globals = hasGlobals(program.source);
    for (auto const& [name, text] : program.headers) {
        globals = globals || hasGlobals(text);
        if (folder / name != source) {
            write(folder / name, text);
        }
    }
    fs::path const shim = fs::path(KILN_EMULATION_DEVICE_CODE) / "device_code.h";
    fs::path const complete = folder / "complete.ii";
    std::string const global = globals ? " -DKILN_EMULATED_GLOBALS=1" : "";
    if (!compile("-E -x c++ " + defines + global + " -include " + quoted(shim.string()) + " -o " +
                     quoted(complete.string()) + " " + quoted(source.string()),
                 folder, program.log)) {
        return {};
    }
    write(complete, contentOf(complete) + tableOf(contentOf(complete)));
    fs::path const library = folder / "library.so";
    bool const good =
        compile(options() + "-o " + quoted(library.string()) + " " + quoted(complete.string()),
                folder, program.log);
    return good ? contentOf(library) : std::string();
}

std::string contentOfDeviceCode() {
    std::string all;
    std::vector<fs::path> files;
    for (fs::directory_entry const& entry : fs::directory_iterator(KILN_EMULATION_DEVICE_CODE)) {
        files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    for (fs::path const& file : files) {
        all += contentOf(file);
    }
    return all;
}

/// Returns a file of the cache folder; makes and stores it there if it is missing. `key` is all
/// that its content depends on.
template <typename Make>
std::string cached(Program const& program, std::string key, char const* suffix, Make const& make) {
    key = program.source + '\1' + key;
    for (auto const& [name, text] : program.headers) {
        key += '\1' + name + '\1' + text;
    }
    char name[60];
    std::snprintf(name, sizeof(name), "%016llx%016llx.%s",
                  static_cast<unsigned long long>(hashOf(key)),
                  static_cast<unsigned long long>(hashOf(key, 0x9e3779b97f4a7c15ULL)), suffix);
    fs::path const folder = fromEnvironment("KILN_EMULATION_CACHE", KILN_EMULATION_CACHE);
    std::string content = contentOf(folder / name);
    if (content.empty()) {
        content = make();
        if (!content.empty()) {
            static std::atomic<int> count = 0;
            fs::path const partial = folder / (std::string(name) + "." + std::to_string(getpid()) +
                                               "." + std::to_string(count.fetch_add(1)));
            write(partial, content);
            std::error_code ignored;
            fs::rename(partial, folder / name, ignored);
        }
    }
    return content;
}

std::string libraryOf(Program& program, std::string const& defines) {
    static std::string const deviceCode = contentOfDeviceCode();
    return cached(program,
                  defines + '\1' + deviceCode + options() + '\1' +
                      fromEnvironment("KILN_EMULATION_CXX", KILN_EMULATION_COMPILER),
                  "so", [&] { return build(program, defines); });
}

/// The limits of the kernels as text; empty if NVIDIA's compiler, if it is used at all, refuses the
/// source.
std::string limitsOf(Program& program, std::vector<std::string> const& options) {
    std::string key = compilerForLimits();
    for (std::string const& option : options) {
        key += '\1' + option;
    }
    return cached(program, key, "limits", [&] {
        std::vector<KernelLimits> limits;
        bool const good = compileForLimits(program.name, program.source, program.headers, options,
                                           limits, program.log);
        return good ? textOf(limits) + "\n" : std::string();
    });
}

bool knows(int architecture) {
    return std::find(std::begin(kArchitectures), std::end(kArchitectures), architecture) !=
           std::end(kArchitectures);
}

Program& programOf(void* program) {
    return *static_cast<Program*>(program);
}

} // namespace

KILN_EMULATED int nvrtcVersion(int* major, int* minor) {
    *major = 13;
    *minor = 0;
    return kSuccess;
}

KILN_EMULATED int nvrtcCreateProgram(void** program, char const* source, char const* name,
                                     int headers, char const* const* headerTexts,
                                     char const* const* headerNames) {
    auto* const made = new Program;
    made->name = name == nullptr ? "" : name;
    made->source = source;
    for (int i = 0; i < headers; ++i) {
        made->headers.emplace_back(headerNames[i], headerTexts[i]);
    }
    *program = made;
    return kSuccess;
}

KILN_EMULATED int nvrtcDestroyProgram(void** program) {
    delete &programOf(*program);
    *program = nullptr;
    return kSuccess;
}

KILN_EMULATED int nvrtcCompileProgram(void* handle, int options, char const* const* texts) {
    if (handle == nullptr) {
        return kInvalidProgram;
    }
    Program& program = programOf(handle);
    std::string defines;
    int architecture = 0;
    bool portable = false;
    std::vector<std::string> real;
    for (int i = 0; i < options; ++i) {
        std::string_view const option = texts[i];
        real.emplace_back(option);
        if (option.substr(0, 2) == "-D") {
            defines += " " + quoted(texts[i]);
        } else if (std::size_t const at = option.find("=sm_"); at != std::string_view::npos) {
            architecture = std::atoi(texts[i] + at + 4);
        } else if (std::size_t const ptx = option.find("=compute_");
                   ptx != std::string_view::npos) {
            architecture = std::atoi(texts[i] + ptx + 9);
            portable = true;
            real.back() = "--gpu-architecture=sm_" + std::to_string(architecture);
        }
    }
    program.log.clear();
    program.image.clear();
    if (!knows(architecture)) {
        program.log = "nvrtc: error: invalid value for --gpu-architecture (-arch)\n";
        return kInvalidOption;
    }
    std::string const library = libraryOf(program, defines);
    if (library.empty()) {
        return kCompilation;
    }
    std::string limits;
    if (!compilerForLimits().empty()) {
        limits = limitsOf(program, real);
        if (limits.empty()) {
            return kCompilation;
        }
    }
    ImageHeader header;
    header.major = static_cast<uint32_t>(architecture / 10);
    header.minor = static_cast<uint32_t>(architecture % 10);
    header.portable = portable ? 1 : 0;
    header.bytes = library.size();
    header.limits = limits.size();
    header.hash = hashOf(library + limits);
    program.image.assign(reinterpret_cast<char const*>(&header), sizeof(header));
    program.image += library + limits;
    return kSuccess;
}

KILN_EMULATED int nvrtcGetCUBINSize(void* program, std::size_t* bytes) {
    *bytes = programOf(program).image.size();
    return kSuccess;
}

KILN_EMULATED int nvrtcGetCUBIN(void* program, char* code) {
    std::memcpy(code, programOf(program).image.data(), programOf(program).image.size());
    return kSuccess;
}

KILN_EMULATED int nvrtcGetPTXSize(void* program, std::size_t* bytes) {
    return nvrtcGetCUBINSize(program, bytes);
}

KILN_EMULATED int nvrtcGetPTX(void* program, char* code) {
    return nvrtcGetCUBIN(program, code);
}

KILN_EMULATED int nvrtcGetProgramLogSize(void* program, std::size_t* bytes) {
    *bytes = programOf(program).log.size() + 1;
    return kSuccess;
}

KILN_EMULATED int nvrtcGetProgramLog(void* program, char* log) {
    std::memcpy(log, programOf(program).log.c_str(), programOf(program).log.size() + 1);
    return kSuccess;
}

} // namespace kiln::emulation
