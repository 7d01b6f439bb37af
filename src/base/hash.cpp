#include "pliant/base/hash.h"

#include <cstring>
#include <vector>

#include "pliant/base/parallel.h"

namespace pliant {
namespace {

constexpr std::size_t bytes_a_block = std::size_t(1) << 16;

// Multiplies to 128 bits and folds the halves, so that a flipped bit of either reaches all the others. The factor is a
// constant: were it the word itself, a word that makes it zero would wipe out all that came before.
std::uint64_t mix(std::uint64_t state, std::uint64_t word) {
    const auto product = static_cast<unsigned __int128>(state ^ word ^ 0xE7037ED1A0B428DBu) * 0xA0761D6478BD642Fu;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

std::uint64_t hash_block(const unsigned char* bytes, std::size_t size, std::uint64_t seed) {
    std::uint64_t state = mix(seed, size);
    std::uint64_t word = 0;
    for (; size >= 8; bytes += 8, size -= 8) {
        std::memcpy(&word, bytes, 8);
        state = mix(state, word);
    }
    if (size > 0) {
        word = 0;
        std::memcpy(&word, bytes, size);
        state = mix(state, word);
    }
    return state;
}

}  // namespace

void Hash::add_number(std::uint64_t value) {
    state_ = mix(state_, value);
}

void Hash::add_bytes(const void* data, std::size_t size) {
    const auto* bytes = static_cast<const unsigned char*>(data);
    std::vector<std::uint64_t> partial(block_count(size, bytes_a_block));
    parallel_blocks(size, bytes_a_block, [&](std::size_t begin, std::size_t end) {
        partial[begin / bytes_a_block] = hash_block(bytes + begin, end - begin, begin);
    });
    add_number(size);
    for (const std::uint64_t value : partial) add_number(value);
}

}  // namespace pliant
