// Items that touch particles, sorted into colours: no two items of a colour touch the same particle, so that those of a
// colour can be worked on in any order, or at once, with the same result.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace pliant {

// Bodies that are worked on together, one after the other in a thread: small ones share, so that colours fill packs.
struct Cluster {
    std::uint32_t first = 0, last = 0;  // particles

    bool is_large() const { return last - first >= 4096; }  // so that the items of a colour are shared among threads
};

// By greedy choice in the order given, with at most so many items a colour. touched(item) lists particles.
template <class Touched>
std::vector<std::vector<std::uint32_t>> colours_of(std::span<const std::uint32_t> items, Cluster particles,
                                                   std::size_t most, Touched&& touched) {
    std::vector<std::vector<std::uint8_t>> used;  // by colour and particle
    std::vector<std::vector<std::uint32_t>> colours;
    std::size_t open = 0;  // all before it are full
    for (const std::uint32_t item : items) {
        const auto fits = [&](std::size_t colour) {
            if (colours[colour].size() >= most) return false;
            for (const std::uint32_t i : touched(item)) {
                if (used[colour][i - particles.first]) return false;
            }
            return true;
        };
        while (open < colours.size() && colours[open].size() >= most) ++open;
        std::size_t colour = open;
        while (colour < colours.size() && !fits(colour)) ++colour;
        if (colour == colours.size()) {
            colours.emplace_back();
            used.emplace_back(particles.last - particles.first, 0);
        }
        colours[colour].push_back(item);
        for (const std::uint32_t i : touched(item)) used[colour][i - particles.first] = 1;
    }
    return colours;
}

}  // namespace pliant
