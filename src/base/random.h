// Random numbers by mixing a counter: each pair of seed and stream has its own, the same on every machine.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pliant {

class Random {
public:
    Random(std::uint64_t seed, std::uint64_t stream) : state_(seed * 0xD1342543DE82EF95u) {
        state_ = bits() ^ stream * 0x9E3779B97F4A7C15u;
    }

    std::uint64_t bits() {
        std::uint64_t v = state_ += 0x9E3779B97F4A7C15u;
        v = (v ^ v >> 30) * 0xBF58476D1CE4E5B9u;
        v = (v ^ v >> 27) * 0x94D049BB133111EBu;
        return v ^ v >> 31;
    }
    float fraction() { return float(bits() >> 40) * 0x1p-24f; }  // 0 <= fraction < 1
    std::size_t below(std::size_t n) { return std::size_t((bits() >> 32) * std::uint64_t(n) >> 32); }

private:
    std::uint64_t state_;
};

}  // namespace pliant
