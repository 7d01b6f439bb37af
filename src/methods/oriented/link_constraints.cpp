#include "pliant/methods/oriented/link_constraints.h"

#include <algorithm>
#include <array>
#include <limits>

namespace pliant {
namespace {

constexpr std::uint32_t no_link = std::numeric_limits<std::uint32_t>::max();
constexpr float shortest = 1e-20f;  // m^2

}  // namespace

void LinkConstraints::set(const RestPose& rest, std::span<const Cluster> clusters, WorkingParticles& working) {
    packs_.clear();
    begin_ = {0};
    auto spare = static_cast<std::uint32_t>(working.particle.size());
    std::uint32_t next = 0;
    for (const Cluster& cluster : clusters) {
        std::vector<std::uint32_t> own;
        for (; next < rest.links.size() && rest.links[next].a < cluster.last; ++next) {
            if (rest.links[next].stretch > 0 || rest.links[next].torsion > 0) own.push_back(next);
        }
        const auto ends = [&](std::uint32_t k) { return std::array{rest.links[k].a, rest.links[k].b}; };
        for (const auto& colour : colours_of(own, cluster, 8, ends)) {
            for (std::size_t k = 0; k < colour.size(); k += 8) {
                Pack& pack = packs_.emplace_back();
                for (std::size_t l = 0; l < 8; ++l) {
                    const bool exists = k + l < colour.size();
                    pack.link[l] = exists ? colour[k + l] : no_link;
                    pack.a[l] = exists ? rest.links[colour[k + l]].a : spare++;
                    pack.b[l] = exists ? rest.links[colour[k + l]].b : spare++;
                }
            }
        }
        begin_.push_back(static_cast<std::uint32_t>(packs_.size()));
    }
    working.particle.resize(spare, WorkingParticle{});
    working.turn.resize(spare, Turn{});
    set_rest(rest);
}

void LinkConstraints::set_rest(const RestPose& rest) {
    for (Pack& pack : packs_) {
        for (int l = 0; l < 8; ++l) {
            const bool exists = pack.link[l] != no_link;
            const Link link = exists ? rest.links[pack.link[l]] : Link{};
            const bool is_joint = exists && (rest.is_joint[link.a] || rest.is_joint[link.b]);
            pack.length.set(l, exists ? float((rest.position[link.a] - rest.position[link.b]).norm()) : 0);
            pack.stretch.set(l, link.stretch);
            pack.torsion.set(l, is_joint ? 0 : link.torsion);
            pack.stretches |= link.stretch > 0;
            pack.twists |= !is_joint && link.torsion > 0;
        }
    }
}

void LinkConstraints::stretch(const Pack& pack, WorkingParticles& working) const {
    using namespace simd;
    Float8 a[4], b[4];
    gather_quads(working.numbers(), particle_stride, pack.a, a);
    gather_quads(working.numbers(), particle_stride, pack.b, b);
    const WideVec3<Float8> d = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    const Float8 length = sqrt(dot(d, d) + Float8(shortest)), total = a[3] + b[3];
    const Float8 lambda =
        pack.stretch * (length - pack.length) / (length * max(total, std::numeric_limits<float>::min()));
    const Float8 to_b = lambda * a[3], to_a = -(lambda * b[3]);
    scatter_quads(working.numbers(), particle_stride, pack.a,
                  {fma(to_b, d.x, a[0]), fma(to_b, d.y, a[1]), fma(to_b, d.z, a[2]), a[3]});
    scatter_quads(working.numbers(), particle_stride, pack.b,
                  {fma(to_a, d.x, b[0]), fma(to_a, d.y, b[1]), fma(to_a, d.z, b[2]), b[3]});
}

void LinkConstraints::twist(const Pack& pack, WorkingParticles& working) const {
    using namespace simd;
    Float8 a[4], b[4];
    gather_quads(working.turns(), 4, pack.a, a);
    gather_quads(working.turns(), 4, pack.b, b);
    const Float8 cosine = fma(a[3], b[3], fma(a[2], b[2], fma(a[1], b[1], a[0] * b[0])));
    Float8 at_a[4], at_b[4];
    gather_quads(working.numbers(), particle_stride, pack.a, at_a);
    gather_quads(working.numbers(), particle_stride, pack.b, at_b);
    const Float8 zero(0), one(1), half(0.5f);  // a held end leaves all of it to the other
    const Float8 share_a = pack.torsion * select(at_a[3] > zero, select(at_b[3] > zero, half, one), zero);
    const Float8 share_b = pack.torsion * select(at_b[3] > zero, select(at_a[3] > zero, half, one), zero);
    Float8 new_a[4], new_b[4];
    for (int c = 0; c < 4; ++c) {
        new_a[c] = fma(one - share_a, a[c], times_sign(share_a, cosine) * b[c]);
        new_b[c] = fma(one - share_b, b[c], times_sign(share_b, cosine) * a[c]);
    }
    const auto normalise = [](Float8(&q)[4]) {
        const Float8 length = sqrt(squared_length(WideQuat<Float8>{q[0], q[1], q[2], q[3]}));
        for (Float8& c : q) c = c / length;
    };
    normalise(new_a);
    normalise(new_b);
    scatter_quads(working.turns(), 4, pack.a, new_a);
    scatter_quads(working.turns(), 4, pack.b, new_b);
    for (int l = 0; l < 8; ++l) {
        if (pack.link[l] == no_link) continue;
        working.refresh_moment(pack.a[l]);
        working.refresh_moment(pack.b[l]);
    }
}

void LinkConstraints::sweep(std::size_t cluster, WorkingParticles& working) const {
    for (std::uint32_t p = begin_[cluster]; p < begin_[cluster + 1]; ++p) {
        if (packs_[p].stretches) stretch(packs_[p], working);
        if (packs_[p].twists) twist(packs_[p], working);
    }
}

}  // namespace pliant
