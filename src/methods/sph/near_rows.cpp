#include "pliant/methods/sph/near_rows.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "pliant/base/error.h"
#include "pliant/base/parallel.h"
#include "pliant/math/kernels.h"
#include "pliant/math/wide.h"
#include "pliant/methods/sph/pack_lanes.h"

namespace pliant {
namespace {

constexpr Real margin_of_support = 0.1, reach_of_support = 0.9;
constexpr Real rounding_of_support = 1e-3;  // what is near is told in single precision
// Of 1 - r / H: nearer to its edge the kernel is nothing, and its square a number that is slow to work with.
constexpr float edge = 1e-4f;
constexpr float most = 65535;        // that a slope counts to
constexpr std::size_t usual = 256;   // candidates; of more the order is restored in memory of its own
constexpr int few_steps = 3;         // a margin that does not last so many is not worth it,
constexpr int try_again_after = 10;  // for so many searches

// A sum of numbers below 100, to 24 bits behind the point, that is the same in any order: whatever else was a
// candidate, and in which lane a number stood.
class ExactSum {
public:
    void add(Float8 v) {
#if defined(__AVX2__)
        const __m256i whole = _mm256_cvtps_epi32((v * Float8(one)).v);
        low_ = _mm256_add_epi64(low_, _mm256_cvtepi32_epi64(_mm256_castsi256_si128(whole)));
        high_ = _mm256_add_epi64(high_, _mm256_cvtepi32_epi64(_mm256_extracti128_si256(whole, 1)));
#else
        for (int l = 0; l < 8; ++l) sum_ += std::lrint(v[l] * one);
#endif
    }
    double total() const {
#if defined(__AVX2__)
        typedef long long Numbers __attribute__((vector_size(32)));
        const Numbers both = (Numbers)_mm256_add_epi64(low_, high_);
        return double(both[0] + both[1] + both[2] + both[3]) / one;
#else
        return double(sum_) / one;
#endif
    }

private:
    static constexpr float one = 1 << 24;
#if defined(__AVX2__)
    __m256i low_ = _mm256_setzero_si256(), high_ = _mm256_setzero_si256();
#else
    long long sum_ = 0;
#endif
};

}  // namespace

NearRows::NearRows(Real spacing, Real support) : support_(support), served_(few_steps) {
    Real sum = 0;
    const int reach = static_cast<int>(std::ceil(support / spacing));
    for (int x = -reach; x <= reach; ++x) {
        for (int y = -reach; y <= reach; ++y) {
            for (int z = -reach; z <= reach; ++z) {
                sum += WendlandC2Kernel::value(spacing * std::sqrt(Real(x * x + y * y + z * z)), support);
            }
        }
    }
    scale_ = 1 / (cube(spacing) * sum);
}

bool NearRows::candidates_serve(const ParticleState& state, const Boundary& boundary, Real time) {
    if (searched_ != state.size() + boundary.size() || rows_.size() != state.size()) return false;
    Box near = bounds(state);
    if (!near.isEmpty()) near = Box(near.min().array() - support_, near.max().array() + support_);
    return watch_.serves(state.position, boundary.position(), boundary.moved(near, time));
}

// Whether there is a margin changes how soon is searched again, and nothing else.
void NearRows::search(const ParticleState& state, Boundary& boundary, Real time, Real dt) {
    if (without_ > 0) {
        --without_;
    } else if (served_ < few_steps) {
        without_ = try_again_after;
    }
    served_ = 0;
    const bool has_margin = without_ == 0;
    const Real margin = (has_margin ? margin_of_support : rounding_of_support) * support_;
    const Real reach = has_margin ? reach_of_support * support_ : 0;
    boundary.choose(state, time, support_ + margin + reach);
    boundary.move(time, dt);
    std::vector<Vec3> points;
    points.reserve(state.size() + boundary.size());
    points.assign(state.position.begin(), state.position.end());
    points.insert(points.end(), boundary.position().begin(), boundary.position().end());
    // What a search works with goes afterwards, as pressure needs as much; its lists become the words.
    NeighbourLists lists;
    lists.indices.swap(words_);
    NeighbourSearch().find(points, support_ + margin, lists);
    take_candidates(lists, state.size());
    searched_ = points.size();
    has_margin
        ? watch_.begin(points, (1 + rounding_of_support) * support_, margin - rounding_of_support * support_, reach)
        : watch_.end();
}

// Numbers ascend, so that the particles which 16 bits reach are one behind the other. Boundary samples are never.
// A row of words is never shorter than its list: lists become rows in place, from the last one on.
void NearRows::take_candidates(NeighbourLists& lists, std::size_t n) {
    rows_.resize(n);
    const auto list_of = [&](std::size_t i) {
        return std::span(lists.indices).subspan(lists.offsets[i], lists.offsets[i + 1] - lists.offsets[i]);
    };
    const Real widest = parallel_max(n, 0, [&](std::size_t i) {
        const auto list = list_of(i);
        const auto first = std::lower_bound(list.begin(), list.end(), i < middle ? 0 : std::uint32_t(i) - middle);
        const auto last = std::lower_bound(first, list.end(), std::uint32_t(std::min(i + middle, n)));
        const std::size_t narrow = std::size_t(last - first), wide = list.size() - narrow;
        rows_[i] = {0, static_cast<std::uint16_t>(narrow), static_cast<std::uint16_t>(wide)};
        std::rotate(list.begin(), first, last);  // narrow ones first
        for (std::uint32_t& j : list.first(narrow)) j -= static_cast<std::uint32_t>(i) - middle;
        return Real(wide);
    });
    if (widest > lower) {
        throw SimulationError(
            fmt::format("a particle has {:.0f} neighbours or more: particles have collapsed onto each other", widest));
    }
    std::size_t total = 0;
    for (Row& row : rows_) {
        row.begin = static_cast<std::uint32_t>(total / 2);
        total += words_of(row);
    }
    words_.swap(lists.indices);
    const std::size_t needed = total + 8;  // eight are read at once
    if (words_.capacity() < needed) words_.reserve(needed + needed / 16);
    words_.resize(needed);
    for (std::size_t i = n; i-- > 0;) {
        const Row& row = rows_[i];
        const std::uint32_t* from = words_.data() + lists.offsets[i];
        std::uint32_t* to = words_.data() + 2 * std::size_t(row.begin);
        std::uint32_t* indices = to + even(row.narrow) + even(row.wide);
        std::memmove(indices, from + row.narrow, 4 * std::size_t(row.wide));
        std::memmove(to, from, 4 * std::size_t(row.narrow));
        std::fill(indices + even(row.wide), to + words_of(row), 0u);  // marks
    }
}

void NearRows::update(const ParticleState& state, Boundary& boundary, Real time, Real dt) {
    const std::size_t n = state.size();
    boundary.move(time, dt);
    if (!candidates_serve(state, boundary, time)) search(state, boundary, time, dt);
    ++served_;
    samples_ = boundary.size();
    const Box box = bounds(state);
    const Vec3 centre = box.isEmpty() ? Vec3(Vec3::Zero()) : Vec3(box.center());
    resize_discarding(place_, 4 * (n + samples_));
    parallel_for(n + samples_, [&](std::size_t i) {
        const Vec3 x = (i < n ? state.position[i] : boundary.position()[i - n]) - centre;
        const Real V = i < n ? state.rest_volume[i] : boundary.volume(i - n);
        float* to = &place_[4 * i];
        to[0] = float(x.x()), to[1] = float(x.y()), to[2] = float(x.z()), to[3] = float(V);
    });
    largest_volume_ = float(parallel_max(n, 0, [&](std::size_t i) { return Real(place_[4 * i + 3]); }));
    unit_.resize(n);
    density_.resize(n);
    parallel_for(n, [&](std::size_t i) { keep_near(i); });
}

// Those within the support, one behind the other, and the sum of their W.
void NearRows::keep_near(std::size_t i) {
    using namespace simd;
    Row& row = rows_[i];
    const float* place = place_.data();
    const Float8 x(place[4 * i]), y(place[4 * i + 1]), z(place[4 * i + 2]);
    const float H = float(support_);
    // W = w u^4 (5 - 4 u),   W' / r = -d u^3
    const Real w = scale_ * 21 / (2 * pi) / cube(support_), d = scale_ * 210 / pi / (cube(support_) * square(support_));
    const float V = place[4 * i + 3], share = 1 / largest_volume_;
    unit_[i] = static_cast<float>(-d * square(Real(largest_volume_)) / (most * Real(V)));
    ExactSum sum;
    // u^3 and V of those of eight that are near; the sum takes them in.
    struct Near {
        Float8 u3, V;
        PackedLanes lanes;
    };
    const auto look = [&](const float* from, const std::uint32_t* index, int many) -> Near {
        Float8 q[4];
        gather_quads(from, 4, index, q);
        const Float8 dx = x - q[0], dy = y - q[1], dz = z - q[2];
        const Float8 r = sqrt(fma(dx, dx, fma(dy, dy, dz * dz)));
        const Float8 u = max(fnma(r, Float8(1 / H), Float8(1.0f)), Float8(0.0f)), u3 = u * u * u;
        const auto is_near = (u > Float8(edge)) & first_lanes<Float8>(many);
        const Float8 W = Float8(float(w)) * q[3] * (u3 * u) * fnma(u, Float8(4.0f), Float8(5.0f));
        sum.add(keep(is_near, W));
        return {u3, q[3], pack_lanes(is_near)};
    };
    std::uint32_t few[usual + 8];
    std::vector<std::uint32_t> many_more;
    std::uint32_t* all = few;  // candidates in ascending order; behind what was looked at, those that are not near
    if (const std::size_t most = std::max(row.narrow, row.wide); most > usual) {
        many_more.resize(most + 8);
        all = many_more.data();
    }
    // Looks at `count` candidates, eight at a time. put(kept, index, near) writes those that are near behind `kept`
    // others. What is not near goes behind all of them, to `words`. Returns how many are near.
    const auto part = [&](std::uint32_t* words, std::size_t near_before, std::size_t count, std::uint8_t* marks,
                          std::uint32_t mask, std::uint32_t self, const float* from, auto&& put) {
        restore_order(words, words + near_before, marks, count, all);
        std::size_t kept = 0, left = 0;
        for (std::size_t first = 0; first < count; first += 8) {
            const int many = static_cast<int>(std::min<std::size_t>(8, count - first));
            std::uint32_t index[8];
            for (std::size_t l = 0; l < 8; ++l) index[l] = all[first + l] & mask;
            std::fill(index + many, index + 8, self);
            const Near near = look(from, index, many);
            const PackedLanes others(~near.lanes.chosen() & ((1u << many) - 1));
            others.store(all + left, index);
            left += std::size_t(others.count());
            put(kept, index, near);
            kept += std::size_t(near.lanes.count());
            marks[first / 8] = static_cast<std::uint8_t>(near.lanes.chosen());
        }
        std::copy_n(all, left, words + kept);
        return static_cast<std::uint16_t>(kept);
    };

    std::uint32_t* word = &words_[2 * std::size_t(row.begin)];
    std::uint32_t *slopes = word + even(row.narrow), *indices = slopes + even(row.wide);
    auto* marks = reinterpret_cast<std::uint8_t*>(indices + even(row.wide));
    const float* base = place + 4 * (std::ptrdiff_t(i) - std::ptrdiff_t(middle));
    row.near = part(word, row.near, row.narrow, marks, lower, middle, base,
                    [&](std::size_t kept, std::uint32_t* index, const Near& near) {
                        // The product of both volumes comes first: so it is the same from both sides.
                        const Float8 slope = near.u3 * ((Float8(V * share) * (near.V * Float8(share))) * Float8(most));
                        Float8::Bits below;
                        std::memcpy(&below, index, sizeof(below));
                        const Float8::Bits both =
                            __builtin_convertvector((slope + Float8(0.5f)).v, Float8::Bits) << 16 | below;
                        std::memcpy(index, &both, sizeof(both));
                        near.lanes.store(word + kept, index);
                    });
    if (row.narrow % 2) word[row.narrow] = middle;

    const std::uint32_t self = static_cast<std::uint32_t>(i);
    row.far = part(indices, row.far, row.wide, marks + mark_bytes(row.narrow), ~std::uint32_t(0), self, place,
                   [&](std::size_t kept, std::uint32_t* index, const Near& near) {
                       near.lanes.store(indices + kept, index);
                       const Float8 slope = near.u3 * near.V * Float8(static_cast<float>(-d));
                       near.lanes.store(reinterpret_cast<float*>(slopes) + kept, slope);
                   });
    if (row.far % 2) slopes[row.far] = 0;
    if (row.wide % 2) indices[row.wide] = self;
    density_[i] = static_cast<float>(w * Real(V) + sum.total());
}

void NearRows::forget_obstacles(std::size_t i, const Boundary& boundary) {
    const Row& row = rows_[i];
    std::uint32_t* slopes = &words_[2 * std::size_t(row.begin)] + even(row.narrow);
    const auto at = [&](std::size_t k) { return Vec3(place_[4 * k], place_[4 * k + 1], place_[4 * k + 2]); };
    Real sum = 0;
    for (std::size_t k = 0; k < row.far; ++k) {
        const std::size_t j = far_indices_of(row)[k];
        if (j < particles() || boundary.rigid(j - particles()) != Boundary::no_rigid) continue;
        sum += Real(place_[4 * j + 3]) * WendlandC2Kernel::value((at(i) - at(j)).norm(), support_);
        slopes[k] = 0;
    }
    density_[i] -= static_cast<float>(scale_ * sum);
}

Real NearRows::average_count() const {
    const std::size_t n = particles();
    return n == 0 ? 0 : Real(parallel_sum(n, std::size_t(0), [&](std::size_t i) { return count(i); })) / Real(n);
}

std::size_t NearRows::bytes() const {
    return watch_.bytes() + rows_.capacity() * sizeof(Row) +
           (place_.capacity() + words_.capacity() + unit_.capacity() + density_.capacity()) * 4;
}

}  // namespace pliant
