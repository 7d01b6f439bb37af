// How the vertices of a mesh hang on moving frames: at most four frames a vertex, with weights that sum to one.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace pliant {

struct SkinWeights {
    std::vector<std::array<std::uint32_t, 4>> frame;  // unused entries repeat a used one, with weight 0
    std::vector<std::array<float, 4>> weight;         // the largest first

    std::size_t size() const { return frame.size(); }
};

}  // namespace pliant
