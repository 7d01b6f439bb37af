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
        resize_discarding(first, first_bytes * padded);
        resize_discarding(second, second_bytes * padded);
        std::fill(first.begin(), first.end(), std::byte(0));
        std::fill(second.begin(), second.end(), std::byte(0));
    }
    std::size_t bytes() const { return first.capacity() + second.capacity(); }
};

}  // namespace pliant
