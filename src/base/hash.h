// A 64-bit hash of bytes, for telling whether two states are the same bits. Not for security.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace pliant {

class Hash {
public:
    // The order of calls matters, and so does the cut: one array in two calls gives another value than in one.
    template <class T>
    requires std::is_trivially_copyable_v<T>
    void add(std::span<const T> values) { add_bytes(values.data(), values.size_bytes()); }
    void add_bytes(const void* data, std::size_t size);
    void add_number(std::uint64_t value);

    std::uint64_t value() const { return state_; }

private:
    std::uint64_t state_ = 0x9E3779B97F4A7C15u;
};

}  // namespace pliant
