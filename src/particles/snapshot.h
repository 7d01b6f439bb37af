// Named arrays that together are everything needed to go on: what a checkpoint holds, in memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "pliant/math/types.h"

namespace pliant {

class Snapshot {
public:
    // Rows of `width` numbers each: positions are n rows of 3.
    template <class T>
    struct Table {
        std::size_t width = 1;
        std::vector<T> values;
    };
    using Array = std::variant<Table<double>, Table<std::uint32_t>, Table<std::int32_t>, Table<std::uint64_t>>;

    template <class T>
    void put(const std::string& name, std::span<const T> rows);
    template <class T>
    void put(const std::string& name, const std::vector<T>& rows) {
        put(name, std::span<const T>(rows));
    }
    void put_text(const std::string& name, std::string_view text);
    void put_number(const std::string& name, std::uint64_t value) { put(name, std::vector<std::uint64_t>{value}); }
    void put_real(const std::string& name, double value) { put(name, std::vector<double>{value}); }

    // These throw InputError when the array is absent, of another type, or of another shape.
    template <class T>
    void get(const std::string& name, std::vector<T>& rows) const;
    std::string get_text(const std::string& name) const;
    std::uint64_t get_number(const std::string& name) const;
    double get_real(const std::string& name) const;
    bool has(const std::string& name) const { return arrays_.contains(name); }

    const std::map<std::string, Array>& arrays() const { return arrays_; }
    std::map<std::string, Array>& arrays() { return arrays_; }

private:
    const Array& find(const std::string& name) const;
    std::map<std::string, Array> arrays_;
};

// HDF5, followed by a checksum over all bytes; written to a temporary name, then renamed. Reading checks everything
// first: a file that was cut short, changed or made by something else throws InputError and changes nothing.
void write_snapshot(const std::filesystem::path& file, Snapshot snapshot);
Snapshot read_snapshot(const std::filesystem::path& file);

}  // namespace pliant
