#include "pliant/methods/oriented/matching_groups.h"

#include <algorithm>

#include "pliant/base/parallel.h"
#include "pliant/math/rotation.h"

namespace pliant {
namespace {

constexpr float fit_tolerance = 1e-2f;   // rad, of the last step: what is left is below its square
constexpr std::size_t packs_a_task = 8;  // of a colour, shared among threads

// Large groups first: a pack takes as long as its largest.
std::vector<std::uint32_t> middles_of(const RestPose& rest, Cluster cluster) {
    std::vector<std::uint32_t> middles;
    for (std::uint32_t i = cluster.first; i < cluster.last; ++i) {
        if (!rest.neighbours(i).empty() && !rest.is_joint[i]) middles.push_back(i);
    }
    std::stable_sort(middles.begin(), middles.end(), [&](std::uint32_t a, std::uint32_t b) {
        return rest.neighbours(a).size() > rest.neighbours(b).size();
    });
    return middles;
}

std::vector<std::uint32_t> members_of(const RestPose& rest, std::uint32_t middle) {
    std::vector<std::uint32_t> members = {middle};
    const auto others = rest.neighbours(middle);
    members.insert(members.end(), others.begin(), others.end());
    return members;
}

}  // namespace

void MatchingGroups::set_groups(const RestPose& rest, std::span<const Cluster> clusters, WorkingParticles& working) {
    packs_.clear();
    colours_.clear();
    clusters_.clear();
    rows_.clear();
    auto spare = static_cast<std::uint32_t>(rest.size());
    for (const Cluster& cluster : clusters) {
        Range own = {static_cast<std::uint32_t>(colours_.size()), 0};
        const auto touched = [&](std::uint32_t i) { return members_of(rest, i); };
        const std::size_t most = cluster.is_large() ? rest.size() : 8;  // packs of a small one are all full
        for (const auto& middles : colours_of(middles_of(rest, cluster), cluster, most, touched)) {
            Range packs = {static_cast<std::uint32_t>(packs_.size()), 0};
            for (std::size_t k = 0; k < middles.size(); k += 8) {
                add_pack(rest, std::span(middles).subspan(k, std::min<std::size_t>(8, middles.size() - k)), spare);
            }
            packs.last = static_cast<std::uint32_t>(packs_.size());
            colours_.push_back(packs);
        }
        own.last = static_cast<std::uint32_t>(colours_.size());
        clusters_.push_back(own);
    }
    working.particle.resize(spare, WorkingParticle{});
    working.turn.resize(spare, Turn{});
}

// Lanes with fewer members repeat their middle with no weight: it is written as it was read. Lanes without a group
// have a spare particle each.
void MatchingGroups::add_pack(const RestPose& rest, std::span<const std::uint32_t> middles, std::uint32_t& spare) {
    Pack pack;
    pack.first = static_cast<std::uint32_t>(rows_.size());
    for (const std::uint32_t i : middles) {
        pack.count = std::max(pack.count, static_cast<std::uint32_t>(rest.neighbours(i).size()) + 1);
    }
    rows_.resize(rows_.size() + pack.count);
    for (std::size_t l = 0; l < 8; ++l) {
        const std::uint32_t middle = l < middles.size() ? middles[l] : spare++;
        const auto members = l < middles.size() ? members_of(rest, middle) : std::vector<std::uint32_t>(1, middle);
        for (std::uint32_t k = 0; k < pack.count; ++k) {
            rows_[pack.first + k].index[l] = k < members.size() ? members[k] : middle;
        }
    }
    packs_.push_back(pack);
}

void MatchingGroups::set_rest(const RestPose& rest, std::span<const std::uint8_t> held,
                              std::span<const Real> young_volume, std::span<const Real> share) {
    const bool is_spring = share.empty();
    parallel_for(packs_.size(), [&](std::size_t p) {
        Pack& pack = packs_[p];
        for (int l = 0; l < 8; ++l) {
            const std::uint32_t middle = rows_[pack.first].index[l];
            const bool exists = middle < rest.size();
            const std::size_t members = exists ? rest.neighbours(middle).size() + 1 : 0;
            const auto mass = [&](std::uint32_t i) { return rest.weight(i, held[i]); };
            Real total = 0, moment = 0;
            Vec3 centre = Vec3::Zero();
            for (std::size_t k = 0; k < members; ++k) {
                const std::uint32_t i = rows_[pack.first + k].index[l];
                total += mass(i);
                centre += mass(i) * rest.position[i];
            }
            if (exists) centre /= total;
            for (std::size_t k = 0; k < pack.count; ++k) {
                MemberRow& row = rows_[pack.first + k];
                const bool is_member = k < members;
                const std::uint32_t i = row.index[l];
                const Vec3 arm = is_member ? Vec3(rest.position[i] - centre) : Vec3(Vec3::Zero());
                if (is_member) moment += rest.mass[i] * arm.squaredNorm();
                row.weight.set(l, is_member ? float(mass(i)) : 0);
                row.rest.x.set(l, float(arm.x()));
                row.rest.y.set(l, float(arm.y()));
                row.rest.z.set(l, float(arm.z()));
            }
            pack.total.set(l, float(total));
            pack.inverse_total.set(l, exists ? float(1 / total) : 0);
            const Real kappa = exists && is_spring ? 3 * young_volume[middle] / std::max(moment, Real(1e-300)) : 0;
            pack.pull.set(l, exists ? float(is_spring ? std::min(kappa, Real(1e30)) : share[middle]) : 0);
            const Mat3 B = exists ? Mat3(rest.mass[middle] / 5 * rest.shape(middle)) : Mat3(Mat3::Zero());
            const Real six[6] = {B(0, 0), B(1, 1), B(2, 2), B(2, 1), B(2, 0), B(1, 0)};
            for (int e = 0; e < 6; ++e) pack.moment[e].set(l, float(six[e]));
            pack.scale.set(l, exists ? float(1 / (moment + B.trace())) : 0);
        }
    });
    if (is_spring) resize_discarding(moved_, rows_.size());
}

void MatchingGroups::begin_step(Real dt) {
    dt2_ = float(dt * dt);
    const Float8 zero(0);
    std::fill(moved_.begin(), moved_.end(), WideVec3<Float8>{zero, zero, zero});
}

template <bool is_spring>
void MatchingGroups::match(const Pack& pack, WorkingParticles& working) {
    using namespace simd;
    const MemberRow* rows = &rows_[pack.first];
    float* const numbers = working.numbers();
    Float8 q[4];
    gather_quads(numbers, particle_stride, rows[0].index, q);
    const WideVec3<Float8> middle = {q[0], q[1], q[2]};
    const Float8 zero(0);
    const auto turns = q[3] > zero;  // the middle is not held
    WideVec3<Float8> sum = {zero, zero, zero};
    WideMat3<Float8> A = {{sum, sum, sum}};
    for (std::uint32_t k = 0; k < pack.count; ++k) {
        const MemberRow& row = rows[k];
        gather_quads(numbers, particle_stride, row.index, q);
        const WideVec3<Float8> x = (WideVec3<Float8>{q[0], q[1], q[2]} - middle) * row.weight;
        sum = sum + x;
        const auto is_member = row.weight > zero;
        const Float8 p[3] = {row.rest.x, row.rest.y, row.rest.z};
        for (int c = 0; c < 3; ++c) {
            gather_quads(numbers + 4 + 4 * c, particle_stride, row.index, q);
            auto& a = A.column[c];
            a.x = fma(x.x, p[c], a.x + keep(is_member, q[0]));
            a.y = fma(x.y, p[c], a.y + keep(is_member, q[1]));
            a.z = fma(x.z, p[c], a.z + keep(is_member, q[2]));
        }
    }
    gather_quads(working.turns(), 4, rows[0].index, q);
    const WideQuat<Float8> before = {q[0], q[1], q[2], q[3]};
    const WideQuat<Float8> fit = nearest_rotation(A * pack.scale, before, fit_tolerance).rotation;
    const WideQuat<Float8> turn = select(turns, fit, before);  // a held middle clamps those around it
    const WideMat3<Float8> R = rotation_matrix(turn, Float8(1));
    WideVec3<Float8> centre = sum * pack.inverse_total;
    centre = centre + (sum - centre * pack.total) * pack.inverse_total;  // rounding here would add to the momentum
    const Float8 pull = is_spring ? pack.pull * Float8(dt2_) : pack.pull;
    const Float8 yield = Float8(1) / (Float8(1) + pull);
    for (std::uint32_t k = 0; k < pack.count; ++k) {
        const MemberRow& row = rows[k];
        gather_quads(numbers, particle_stride, row.index, q);
        const auto is_free = (row.weight > zero) & (q[3] > zero);
        const WideVec3<Float8> x = WideVec3<Float8>{q[0], q[1], q[2]} - middle;
        WideVec3<Float8> move = (R * row.rest + (centre - x)) * pull;
        if constexpr (is_spring) {
            WideVec3<Float8>& moved = moved_[pack.first + k];
            move = (move - moved) * yield;
            move = {keep(is_free, move.x), keep(is_free, move.y), keep(is_free, move.z)};
            moved = moved + move;
        } else {
            move = {keep(is_free, move.x), keep(is_free, move.y), keep(is_free, move.z)};
        }
        const Float8 moved_to[4] = {q[0] + move.x, q[1] + move.y, q[2] + move.z, q[3]};
        scatter_quads(numbers, particle_stride, row.index, moved_to);
    }
    const Float8* B = pack.moment;
    const WideMat3<Float8> own = turned_moment(R, B[0], B[1], B[2], B[3], B[4], B[5]);
    for (int c = 0; c < 3; ++c) {
        const auto& a = own.column[c];
        scatter_quads(numbers + 4 + 4 * c, particle_stride, rows[0].index, {a.x, a.y, a.z, zero});
    }
    scatter_quads(working.turns(), 4, rows[0].index, {turn.w, turn.x, turn.y, turn.z});
}

void MatchingGroups::sweep(std::size_t cluster, WorkingParticles& working, bool backwards, bool in_parallel) {
    const Range colours = clusters_[cluster];
    const auto work = [&](std::size_t p) {
        moved_.empty() ? match<false>(packs_[p], working) : match<true>(packs_[p], working);
    };
    for (std::uint32_t k = 0; k < colours.last - colours.first; ++k) {
        const Range packs = colours_[backwards ? colours.last - 1 - k : colours.first + k];
        if (in_parallel) {
            parallel_for(
                packs.last - packs.first, [&](std::size_t p) { work(packs.first + p); }, packs_a_task);
        } else {
            for (std::uint32_t p = packs.first; p < packs.last; ++p) work(p);
        }
    }
}

std::size_t MatchingGroups::bytes() const {
    return rows_.capacity() * sizeof(MemberRow) + packs_.capacity() * sizeof(Pack) +
           moved_.capacity() * sizeof(WideVec3<Float8>);
}

}  // namespace pliant
