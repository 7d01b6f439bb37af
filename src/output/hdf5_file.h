// HDF5 files in memory. A file starts with a block of ours that holds its length and checksum, which every HDF5 reader
// skips: damage is found before the HDF5 library, which is not made for damaged files, sees a byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace pliant {

enum class Hdf5Type { uint16, uint32, int64, float32, float64 };

// One thread at a time.
class Hdf5Writer {
public:
    Hdf5Writer();
    ~Hdf5Writer();
    Hdf5Writer(const Hdf5Writer&) = delete;
    Hdf5Writer& operator=(const Hdf5Writer&) = delete;

    void add_group(const std::string& name);
    // `name` may be "group/name"; `columns` 0 makes a list, else a table.
    void add_array(const std::string& name, Hdf5Type type, const void* data, std::size_t rows, std::size_t columns = 0);
    void add_number(const std::string& name, Hdf5Type type, const void* value);  // attribute of the root
    void add_text(const std::string& object, const std::string& name, const std::string& text);  // attribute

    void write(const std::filesystem::path& path);  // whole or not at all; once, at the end

private:
    std::int64_t file_;
};

class Hdf5Reader {
public:
    explicit Hdf5Reader(const std::filesystem::path& path);
    ~Hdf5Reader();
    Hdf5Reader(const Hdf5Reader&) = delete;
    Hdf5Reader& operator=(const Hdf5Reader&) = delete;

    bool has(const std::string& name) const;
    std::vector<std::string> names_in(const std::string& group) const;  // in the order they were added
    std::size_t rows_of(const std::string& name) const;
    // Throws InputError unless the array has this very type and shape.
    void read_array(const std::string& name, Hdf5Type type, void* data, std::size_t rows,
                    std::size_t columns = 0) const;
    void read_number(const std::string& name, Hdf5Type type, void* value) const;
    std::string read_text(const std::string& object, const std::string& name) const;

    [[noreturn]] void fail(const std::string& reason) const;  // InputError with the path

private:
    std::filesystem::path path_;
    std::vector<std::byte> bytes_;
    std::int64_t file_ = -1;
};

}  // namespace pliant
