#include "pliant/base/atomic_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "pliant/base/error.h"

namespace pliant {

namespace {

namespace fs = std::filesystem;

// A file descriptor that closes itself.
class Descriptor {
public:
    Descriptor(const fs::path& path, int flags) : value_(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {}
    ~Descriptor() { close(); }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;

    bool is_open() const { return value_ >= 0; }
    int value() const { return value_; }
    bool close() {
        const int descriptor = std::exchange(value_, -1);
        return descriptor < 0 || ::close(descriptor) == 0;
    }

private:
    int value_;
};

std::string readable_size(std::uintmax_t bytes) {
    if (bytes < 10000) return fmt::format("{} bytes", bytes);
    if (bytes < 10000000) return fmt::format("{} kB", bytes / 1000);
    return fmt::format("{} MB", bytes / 1000000);
}

// Unlike the name of any writer at work in another thread or process; keeps the extension, by which some writers
// choose.
fs::path temporary_name(const fs::path& path) {
    return path.parent_path() /
           fmt::format(".{}.{}-{}.tmp{}", path.stem().string(), ::getpid(), ::gettid(), path.extension().string());
}

void make_folder(const fs::path& folder, const fs::path& path) {
    std::error_code error;
    if (!folder.empty()) fs::create_directories(folder, error);
    if (error) {
        throw FileError(fmt::format("cannot make the folder {} for {}: {}; choose another folder", folder.string(),
                                    path.filename().string(), error.message()));
    }
}

void flush(const fs::path& temporary, const fs::path& path) {
    Descriptor file(temporary, O_RDONLY);
    if (!file.is_open()) throw_write_error(path, errno);
    // EINVAL and EROFS: a special file that cannot be flushed.
    if (::fsync(file.value()) != 0 && errno != EINVAL && errno != EROFS) throw_write_error(path, errno);
}

// The new name reaches the disk with the folder. Some file systems cannot flush folders; the file itself is safe then.
void flush_folder(const fs::path& folder) {
    Descriptor file(folder.empty() ? fs::path(".") : folder, O_RDONLY | O_DIRECTORY);
    if (file.is_open()) ::fsync(file.value());
}

}  // namespace

void throw_write_error(const fs::path& path, int error_number, std::size_t bytes_needed) {
    const bool is_full = error_number == ENOSPC || error_number == EDQUOT;
    if (!is_full) {
        throw FileError(fmt::format("cannot write {}: {}; check the folder and its permissions", path.string(),
                                    std::strerror(error_number)));
    }
    std::error_code ignored;
    const fs::space_info space = fs::space(path.has_parent_path() ? path.parent_path() : fs::path("."), ignored);
    const std::string needed = bytes_needed > 0 ? fmt::format(", {} are needed", readable_size(bytes_needed)) : "";
    const std::string left = ignored ? "" : fmt::format(" and {} are left", readable_size(space.available));
    throw FileError(fmt::format("cannot write {}: the disk is full{}{}; free some room or choose another folder",
                                path.string(), needed, left));
}

void write_bytes(const fs::path& path, std::span<const std::byte> bytes, const fs::path& shown) {
    Descriptor file(path, O_WRONLY | O_CREAT | O_TRUNC);
    if (!file.is_open()) throw_write_error(shown, errno, bytes.size());
    for (std::span<const std::byte> rest = bytes; !rest.empty();) {
        const ssize_t written = ::write(file.value(), rest.data(), rest.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) throw_write_error(shown, errno, bytes.size());
        rest = rest.subspan(static_cast<std::size_t>(written));
    }
    if (!file.close()) throw_write_error(shown, errno, bytes.size());
}

AtomicFile::AtomicFile(fs::path path) : path_(std::move(path)), temporary_(temporary_name(path_)) {
    make_folder(path_.parent_path(), path_);
}

AtomicFile::~AtomicFile() {
    std::error_code ignored;
    fs::remove(temporary_, ignored);  // after commit() there is none
}

void AtomicFile::commit() {
    flush(temporary_, path_);
    std::error_code error;
    fs::rename(temporary_, path_, error);
    if (error) throw_write_error(path_, error.value());
    flush_folder(path_.parent_path());
}

void write_atomically(const fs::path& path, FunctionRef<void(const fs::path& temporary)> write) {
    AtomicFile file(path);
    write(file.temporary());
    file.commit();
}

void write_bytes_atomically(const fs::path& path, std::span<const std::byte> bytes) {
    write_atomically(path, [&](const fs::path& temporary) { write_bytes(temporary, bytes, path); });
}

void write_text_atomically(const fs::path& path, std::string_view text) {
    write_bytes_atomically(path, std::as_bytes(std::span(text)));
}

}  // namespace pliant
