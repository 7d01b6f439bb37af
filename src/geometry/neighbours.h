// Who is near whom: for each particle, the others within a radius.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "pliant/geometry/raw_vector.h"
#include "pliant/math/types.h"

namespace pliant {

// Compressed rows: the neighbours of particle i are indices[offsets[i]] up to indices[offsets[i + 1]], ascending.
// Each pair stands in both rows; no particle is its own neighbour.
struct NeighbourLists {
    RawVector<std::uint64_t> offsets;  // one more than there are particles; empty before the first search
    RawVector<std::uint32_t> indices;

    std::size_t size() const { return offsets.empty() ? 0 : offsets.size() - 1; }
    std::span<const std::uint32_t> operator[](std::size_t i) const {
        return {indices.data() + offsets[i], indices.data() + offsets[i + 1]};
    }
    std::size_t memory() const;  // bytes held, spare room included
};

// Whether two particles are neighbours, by the definition that the search keeps to the bit:
// fma(dx, dx, fma(dy, dy, dz dz)) <= radius^2 in double.
bool is_within(const Vec3& a, const Vec3& b, Real radius);

// Keeps its memory between searches: once it has seen the largest set of particles, nothing is allocated.
class NeighbourSearch {
public:
    NeighbourSearch();
    ~NeighbourSearch();
    NeighbourSearch(NeighbourSearch&&) noexcept;
    NeighbourSearch& operator=(NeighbourSearch&&) noexcept;

    // A search that would list more neighbours than this ends in a SimulationError: particles have collapsed onto
    // each other, or the radius is far too large. 16 GB by default.
    std::uint64_t most_neighbours = 4'000'000'000;

    // Positions may lie anywhere up to 10^12 radii from the origin. Beyond, or where they are not finite, a
    // SimulationError names the first particle; a radius outside 1e-150 to 1e150 m is an InputError.
    void find(std::span<const Vec3> positions, Real radius, NeighbourLists& lists);

    std::size_t memory() const;  // bytes of working memory

private:
    struct Workspace;
    std::unique_ptr<Workspace> workspace_;
};

}  // namespace pliant
