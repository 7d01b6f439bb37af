// Who is near whom now: for each particle the particles and boundary samples within the kernel's support, with the
// kernel's slope. Candidates are searched with a margin and serve until neighbours have moved apart by it; each update
// keeps those truly within the support, in an order that their numbers alone decide, so that what is kept does not
// depend on when was searched.
//     s_ij = c V_j W'(r) / r,   so that   V_j grad W_ij = s_ij (x_i - x_j)
// The factor c makes the volumes of a lattice at rest sum up to one: c sum_j V_j W_ij = 1. Without it bodies would
// swell by 3.4 %.
// Loops over rows wait for memory, and rows are most of it, so they are kept small: a word of 32 bits holds V_i s_ij,
// which both sides of a pair round alike, in 16 bits, and below it where the neighbour lies, j - i + 32768. Particles
// that lie further off in memory, and boundary samples, take two words, the slope as it is and j. The other candidates
// lie behind the neighbours with a slope of 0, and a bit of each candidate tells where it belongs in ascending order.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "pliant/geometry/neighbours.h"
#include "pliant/geometry/raw_vector.h"
#include "pliant/methods/sph/boundary.h"
#include "pliant/methods/sph/quads.h"
#include "pliant/methods/sph/search_watch.h"
#include "pliant/particles/state.h"

namespace pliant {

class NearRows {
public:
    NearRows(Real spacing, Real support);  // m

    void update(const ParticleState& state, Boundary& boundary, Real time, Real dt);

    std::size_t particles() const { return rows_.size(); }
    std::size_t points() const { return particles() + samples_; }  // with boundary samples behind
    std::size_t count(std::size_t i) const { return std::size_t(rows_[i].near) + rows_[i].far; }

    // use(j, s_ij)
    template <class Use>
    [[gnu::always_inline]] void each(std::size_t i, Use&& use) const {
        const Row& row = rows_[i];
        const std::uint32_t* word = near_of(row);
        for (std::size_t k = 0; k < row.near; ++k) use(i - middle + (word[k] & lower), unit_[i] * float(word[k] >> 16));
        each_far(i, use);
    }

    // use(b, s_ib) for boundary samples, which are counted from the first on.
    template <class Use>
    [[gnu::always_inline]] void each_sample(std::size_t i, Use&& use) const {
        each_far(i, [&](std::size_t j, float slope) {
            if (j >= particles()) use(j - particles(), slope);
        });
    }
    // Until the next update obstacles neither push this particle nor make it dense; rigid bodies do. It still counts as
    // one that sees samples.
    void forget_obstacles(std::size_t i, const Boundary& boundary);
    bool sees_samples(std::size_t i) const {
        const Row& row = rows_[i];
        return row.far > 0 && far_indices_of(row)[row.far - 1] >= particles();
    }

    // use(j, k, slopes of both in the lanes of two quads); where a number is missing, some particle with a slope of 0.
    template <class Use>
    [[gnu::always_inline]] void each_two(std::size_t i, Use&& use) const {
        const Row& row = rows_[i];
        const std::uint32_t* word = near_of(row);
        const Float8 unit(unit_[i]);
        const std::size_t base = i - middle;
        for (std::size_t k = 0; k < row.near; k += 2) {
            use(base + (word[k] & lower), base + (word[k + 1] & lower), spread_upper(word + k) * unit);
        }
        const std::uint32_t* index = far_indices_of(row);
        for (std::size_t k = 0; k < row.far; k += 2) {
            use(std::size_t(index[k]), std::size_t(index[k + 1]), spread_words(far_slopes_of(row) + k));
        }
    }

    // Quads (x, y, z, anything) of all points, from the middle of the scene. The last number is free until the next
    // update, for whoever walks along the rows and needs one more.
    std::span<const float> place() const { return place_; }
    std::span<float> place() { return place_; }

    Real density(std::size_t i) const { return density_[i]; }  // c sum_j V_j W_ij, the particle itself included
    Real support() const { return support_; }
    Real kernel_scale() const { return scale_; }
    Real average_count() const;

    std::size_t bytes() const;

private:
    static constexpr std::uint32_t lower = 0xffffu, middle = 0x8000u;

    // The words of a row: `narrow` candidates, which 16 bits reach; slopes, then numbers, of `wide` ones, which lie
    // further off in memory; each of the three filled up to an even number. Then marks, a bit a candidate in ascending
    // order, set if it is near; those of wide ones begin with a byte of their own.
    struct Row {
        std::uint32_t begin;              // of two words
        std::uint16_t narrow, wide;       // candidates
        std::uint16_t near = 0, far = 0;  // of these, those within the support
    };
    static std::size_t even(std::size_t count) { return count + count % 2; }
    static std::size_t mark_bytes(std::size_t candidates) { return (candidates + 7) / 8; }
    static std::size_t words_of(const Row& row) {
        return even(row.narrow) + 2 * even(row.wide) + even((mark_bytes(row.narrow) + mark_bytes(row.wide) + 3) / 4);
    }

    const std::uint32_t* near_of(const Row& row) const { return words_.data() + 2 * std::size_t(row.begin); }
    const std::uint32_t* far_slopes_of(const Row& row) const { return near_of(row) + even(row.narrow); }
    const std::uint32_t* far_indices_of(const Row& row) const {
        return near_of(row) + even(row.narrow) + even(row.wide);
    }

    template <class Use>
    [[gnu::always_inline]] void each_far(std::size_t i, Use&& use) const {
        const Row& row = rows_[i];
        for (std::size_t k = 0; k < row.far; ++k) {
            use(std::size_t(far_indices_of(row)[k]), std::bit_cast<float>(far_slopes_of(row)[k]));
        }
    }

    bool candidates_serve(const ParticleState& state, const Boundary& boundary, Real time);
    void search(const ParticleState& state, Boundary& boundary, Real time, Real dt);
    void take_candidates(NeighbourLists& lists, std::size_t n);
    void keep_near(std::size_t i);

    Real support_, scale_;
    SearchWatch watch_;
    int served_;       // updates, by the last search
    int without_ = 0;  // searches to come that have no margin
    std::size_t searched_ = 0, samples_ = 0;
    RawVector<float> place_;
    std::vector<Row> rows_;
    RawVector<std::uint32_t> words_;
    float largest_volume_ = 0;
    std::vector<float> unit_;  // of the slopes in the words of a row
    std::vector<float> density_;
};

}  // namespace pliant
