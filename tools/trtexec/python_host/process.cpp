// SPDX-FileCopyrightText: Kiln contributors
// SPDX-License-Identifier: Apache-2.0
#include "python_host/process.h"

#include <array>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace kiln::trtexec {
namespace {

/// Starts the program with standard output redirected to `output`.
pid_t start(std::vector<std::string> words, int output) {
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    pid_t child = -1;
    int const error = ::posix_spawn(&child, words.front().c_str(), &actions, nullptr,
                                    asArgv(words).data(), ::environ);
    ::posix_spawn_file_actions_destroy(&actions);
    return error == 0 ? child : -1;
}

} // namespace

std::vector<char*> asArgv(std::vector<std::string>& words) {
    std::vector<char*> argv;
    for (std::string& word : words) {
        argv.push_back(word.data());
    }
    argv.push_back(nullptr);
    return argv;
}

int runProgram(std::vector<std::string> words) {
    pid_t child = -1;
    int const error = ::posix_spawn(&child, words.front().c_str(), nullptr, nullptr,
                                    asArgv(words).data(), ::environ);
    int status = 0;
    bool const ended = error == 0 && ::waitpid(child, &status, 0) == child && WIFEXITED(status);
    return ended ? WEXITSTATUS(status) : -1;
}

std::optional<std::string> captureOutput(std::vector<std::string> const& command) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
        return std::nullopt;
    }
    pid_t const child = start(command, ends[1]);
    ::close(ends[1]);
    std::string text;
    std::array<char, 4096> chunk{};
    for (ssize_t got = 0; (got = ::read(ends[0], chunk.data(), chunk.size())) > 0;) {
        text.append(chunk.data(), static_cast<size_t>(got));
    }
    ::close(ends[0]);
    int status = 1;
    bool const ended = child > 0 && ::waitpid(child, &status, 0) == child;
    return ended && WIFEXITED(status) && WEXITSTATUS(status) == 0 ? std::optional(text)
                                                                  : std::nullopt;
}

} // namespace kiln::trtexec
