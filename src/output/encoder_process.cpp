#include "pliant/output/encoder_process.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "pliant/base/error.h"

namespace pliant {

namespace {

// The settings of posix_spawn, freed at the end.
struct SpawnSettings {
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;

    SpawnSettings() {
        posix_spawn_file_actions_init(&files);
        posix_spawnattr_init(&attributes);
    }
    ~SpawnSettings() {
        posix_spawn_file_actions_destroy(&files);
        posix_spawnattr_destroy(&attributes);
    }
    SpawnSettings(const SpawnSettings&) = delete;
    SpawnSettings& operator=(const SpawnSettings&) = delete;

    void connect(int input, int messages) {
        posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
        posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
        posix_spawn_file_actions_adddup2(&files, messages, STDERR_FILENO);
    }

    // A process group of its own, so that Ctrl-C reaches us alone; and signals as a fresh program finds them.
    void detach() {
        sigset_t none, all;
        sigemptyset(&none);
        sigfillset(&all);
        posix_spawnattr_setsigmask(&attributes, &none);
        posix_spawnattr_setsigdefault(&attributes, &all);
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    }
};

void close_once(int& descriptor) {
    if (descriptor >= 0) ::close(std::exchange(descriptor, -1));
}

}  // namespace

EncoderProcess::EncoderProcess(const std::vector<std::string>& command, const std::string& advice) {
    // A socket rather than a pipe: writing to one whose reader is gone can be told not to raise SIGPIPE.
    int ends[2] = {-1, -1};
    messages_ = ::memfd_create("messages", MFD_CLOEXEC);
    if (messages_ < 0 || ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        const int error = errno;
        close_once(messages_);
        throw FileError(fmt::format("cannot start {}: {}", command[0], std::strerror(error)));
    }
    input_ = ends[0];
    SpawnSettings settings;
    settings.connect(ends[1], messages_);
    settings.detach();
    std::vector<char*> arguments;
    for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
    arguments.push_back(nullptr);
    const int error =
        ::posix_spawnp(&process_, arguments[0], &settings.files, &settings.attributes, arguments.data(), environ);
    close_once(ends[1]);
    if (error != 0) {
        process_ = -1;
        close_once(input_);
        close_once(messages_);
        throw FileError(fmt::format("cannot start {}: {}; {}", command[0], std::strerror(error), advice));
    }
}

EncoderProcess::~EncoderProcess() {
    if (process_ > 0) {
        ::kill(process_, SIGKILL);
        wait();
    }
    close_once(messages_);
}

bool EncoderProcess::feed(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t sent = ::send(input_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent < 0) return false;
        bytes = bytes.subspan(static_cast<std::size_t>(sent));
    }
    return true;
}

int EncoderProcess::wait() {
    close_once(input_);
    int status = 0;
    while (process_ > 0 && ::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
    process_ = -1;
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

std::string EncoderProcess::last_words() const {
    constexpr off_t longest = 600;
    const off_t size = ::lseek(messages_, 0, SEEK_END);
    std::string text(static_cast<std::size_t>(std::clamp<off_t>(size, 0, longest)), '\0');
    const ssize_t length = ::pread(messages_, text.data(), text.size(), std::max<off_t>(size - longest, 0));
    text.resize(static_cast<std::size_t>(std::max<ssize_t>(length, 0)));
    while (!text.empty() && text.back() == '\n') text.pop_back();
    return text;
}

}  // namespace pliant
