// Memory of the elastic loops, which take turns: what the first loop over neighbours reads, and the second. Nothing
// outlives a product.
#pragma once

#include <algorithm>
#include <cstddef>

#include "pliant/geometry/raw_vector.h"

namespace pliant {

struct ElasticScratch {
    static constexpr std::size_t first_bytes = 64, second_bytes = 96;  // of a particle
    RawVector<std::byte> first, second;

    // For `count` particles, and as many more as fill up a pack.
    void resize(std::size_t count) {
        const std::size_t padded = (count + 7) / 8 * 8;
        first.assign(first_bytes * padded, std::byte(0));
        second.assign(second_bytes * padded, std::byte(0));
    }
    std::size_t bytes() const { return first.capacity() + second.capacity(); }
};

}  // namespace pliant
