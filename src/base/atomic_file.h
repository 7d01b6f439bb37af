// Files that are either whole or absent: written under a temporary name in the same folder, flushed to the disk,
// then renamed. A reader, a full disk or a lost power never leaves half a file under the real name.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>

#include "pliant/base/parallel.h"

namespace pliant {

// Calls write(temporary), which is to create that file and throw when it cannot; then flushes and renames it to `path`.
// Missing folders above `path` are made. Any failure removes the temporary file, leaves an old `path` as it was, and
// is thrown on: as it came from `write`, or as a FileError that says the path and what to do.
void write_atomically(const std::filesystem::path& path,
                      FunctionRef<void(const std::filesystem::path& temporary)> write);

// The same for bytes and text in memory.
void write_bytes_atomically(const std::filesystem::path& path, std::span<const std::byte> bytes);
void write_text_atomically(const std::filesystem::path& path, std::string_view text);

// The steps of write_atomically, for a file that is written over a longer time.
class AtomicFile {
public:
    explicit AtomicFile(std::filesystem::path path);  // makes missing folders; creates no file
    ~AtomicFile();                                    // without commit(): removes the temporary file
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;

    const std::filesystem::path& path() const { return path_; }
    const std::filesystem::path& temporary() const { return temporary_; }  // has the extension of path()
    void commit();                                                         // flushes and renames; once

private:
    std::filesystem::path path_;
    std::filesystem::path temporary_;
};

// Writes the bytes to `path` itself, creating or emptying it; what `write` above may call. A FileError names `shown`,
// the path the user knows.
void write_bytes(const std::filesystem::path& path, std::span<const std::byte> bytes,
                 const std::filesystem::path& shown);

// Throws the FileError for a failed write of `path`, from the errno of the failed call: for a full disk with the room
// that is left beside the bytes that were needed (0: not known).
[[noreturn]] void throw_write_error(const std::filesystem::path& path, int error_number, std::size_t bytes_needed = 0);

}  // namespace pliant
