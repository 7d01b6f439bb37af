#include "pliant/base/isolated.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "pliant/base/error.h"

// The address sanitizer reserves terabytes of addresses, which a limit would forbid.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define PLIANT_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define PLIANT_SANITIZED 1
#endif
#endif

namespace pliant {
namespace {

constexpr std::byte it_returned{0}, it_threw{1};

void write_all(int pipe, const void* data, std::size_t size) {
    const char* bytes = static_cast<const char*>(data);
    while (size > 0) {
        const ssize_t written = ::write(pipe, bytes, size);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) ::_exit(1);
        bytes += written;
        size -= static_cast<std::size_t>(written);
    }
}

void limit(int resource, rlim_t value) {
    const rlimit soft_and_hard{value, value + 1};  // at the hard limit of time it is killed without a reason
    ::setrlimit(static_cast<__rlimit_resource_t>(resource), &soft_and_hard);
}

std::size_t bytes_of_addresses() {
    std::size_t pages = 0;
    if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
        if (std::fscanf(file, "%zu", &pages) != 1) pages = 0;
        std::fclose(file);
    }
    return pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

void confine(const IsolationLimits& limits) {
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) ::signal(signal, SIG_DFL);
    ::signal(SIGINT, SIG_IGN);  // Ctrl-C is for the program, which tells us by going away
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_CPU, limits.seconds);
#ifndef PLIANT_SANITIZED
    limit(RLIMIT_AS, bytes_of_addresses() + limits.memory);
#endif
    const int nowhere = ::open("/dev/null", O_WRONLY);
    if (nowhere >= 0) ::dup2(nowhere, STDERR_FILENO);  // the last words of a crashing library
}

[[noreturn]] void live_as_child(int pipe, FunctionRef<std::vector<std::byte>()> work, const IsolationLimits& limits) {
    confine(limits);
    std::string problem;
    try {
        const std::vector<std::byte> result = work();
        write_all(pipe, &it_returned, 1);
        write_all(pipe, result.data(), result.size());
        ::_exit(0);
    } catch (const std::bad_alloc&) {
        problem = "asks for more memory than there is; the file is damaged, or far too large";
    } catch (const std::exception& exception) {
        problem = exception.what();
    }
    write_all(pipe, &it_threw, 1);
    write_all(pipe, problem.data(), problem.size());
    ::_exit(0);
}

using Clock = std::chrono::steady_clock;

bool wait_for_bytes(int pipe, Clock::time_point deadline) {
    while (true) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
        pollfd watched{pipe, POLLIN, 0};
        const int ready = ::poll(&watched, 1, static_cast<int>(std::clamp<std::int64_t>(left, 0, 1'000'000)));
        if (ready < 0 && errno == EINTR) continue;
        if (ready != 0 || Clock::now() >= deadline) return ready != 0;
    }
}

// Empty-handed when the deadline passes first.
std::optional<std::vector<std::byte>> read_to_the_end(int pipe, Clock::time_point deadline) {
    std::vector<std::byte> bytes;
    std::size_t used = 0;
    while (true) {
        if (bytes.size() < used + 65536) bytes.resize(std::max<std::size_t>(2 * bytes.size(), 1 << 18));
        if (!wait_for_bytes(pipe, deadline)) return std::nullopt;
        const ssize_t count = ::read(pipe, &bytes[used], bytes.size() - used);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) break;
        used += static_cast<std::size_t>(count);
    }
    bytes.resize(used);
    return bytes;
}

}  // namespace

std::vector<std::byte> run_isolated(FunctionRef<std::vector<std::byte>()> work, const IsolationLimits& limits) {
    int ends[2];
    const auto complain = [] {
        throw FileError(
            fmt::format("cannot start a process ({}); close other programs and try again", std::strerror(errno)));
    };
    if (::pipe2(ends, O_CLOEXEC) != 0) complain();
    const pid_t child = ::fork();
    if (child == 0) {
        ::close(ends[0]);
        live_as_child(ends[1], work, limits);
    }
    ::close(ends[1]);
    if (child < 0) {
        ::close(ends[0]);
        complain();
    }
    auto answer = read_to_the_end(ends[0], Clock::now() + 10 * std::chrono::seconds(limits.seconds));
    ::close(ends[0]);
    if (!answer) ::kill(child, SIGKILL);
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (!answer || (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)) {
        throw InputError(
            fmt::format("cannot be read within {} s; the file is damaged, or far too large", limits.seconds));
    }
    std::vector<std::byte>& bytes = *answer;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || bytes.empty()) {
        throw InputError("crashes its reader; the file is damaged");
    }
    if (bytes.front() == it_threw) {
        throw InputError(std::string(reinterpret_cast<const char*>(bytes.data()) + 1, bytes.size() - 1));
    }
    bytes.erase(bytes.begin());
    return std::move(bytes);
}

}  // namespace pliant
