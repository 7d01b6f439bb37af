#include "pliant/methods/sph/loose_particles.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "pliant/base/error.h"
#include "pliant/base/parallel.h"
#include "pliant/methods/scheduled_material.h"

namespace pliant {
namespace {

constexpr Real near = 2;                          // stretch of a particle that has come back
constexpr Real far_time = 0.1, near_time = 0.01;  // T [s]: comes back in about this time, and becomes firm in this
constexpr Real firm = std::numeric_limits<Real>::infinity();

bool is_liquid(const Moduli& m) {
    return !(m.mu > 0);
}

// Squared, over all neighbours at rest.
Real stretch2(const ElasticSolids& solids, const ParticleState& state, std::size_t i) {
    const auto X = solids.reference();
    Real now = 0, at_rest = 0;
    solids.rows().each(i, [&](std::uint32_t j, Real g) {
        now += g * (state.position[j] - state.position[i]).squaredNorm();
        at_rest += g * (X[j] - X[i]).squaredNorm();
    });
    return at_rest > 0 ? now / at_rest : 1;
}

}  // namespace

void LooseParticles::prepare(const Model& model, const ElasticSolids& solids) {
    held_.assign(model.schedules.empty() ? 0 : solids.size(), firm);
    for (std::size_t i = 0; i < held_.size(); ++i) {
        if (is_liquid(scheduled_moduli(model, solids.material(i), 0))) held_[i] = 0;
    }
}

std::span<const Real> LooseParticles::shares(const Model& model, const ParticleState& state,
                                             const ElasticSolids& solids, std::span<const Moduli> of_materials,
                                             Real elapsed) {
    share_.resize(held_.size());
    const std::size_t loose = parallel_sum(held_.size(), std::size_t(0), [&](std::size_t i) -> std::size_t {
        share_[i] = 1;
        const Moduli& moduli = of_materials[solids.material(i)];
        Real& w = held_[i];
        if (is_liquid(moduli)) w = 0;
        if (is_liquid(moduli) || w == firm) return 0;
        const Real s2 = stretch2(solids, state, i);
        const bool is_near = s2 <= square(near);
        if (w > 0) w *= std::exp(elapsed / (is_near ? near_time : far_time));
        if (w == 0) w = is_near ? firm : 1 / far_time;
        const Real c = sound_speed(moduli, model.materials[solids.material(i)].density);
        const Real h = model.bodies[state.body[i]].spacing;
        share_[i] = std::min({Real(1), square(w * h / c), square(near) / s2});
        if (share_[i] == 1) w = firm;
        return w != firm;
    });
    return loose > 0 ? std::span<const Real>(share_) : std::span<const Real>();
}

void LooseParticles::save(Snapshot& snapshot) const {
    if (!held_.empty()) snapshot.put("sph.held", held_);
}

void LooseParticles::restore(const Snapshot& snapshot) {
    if (held_.empty()) return;
    std::vector<Real> held;
    snapshot.get("sph.held", held);
    if (held.size() != held_.size()) throw InputError("the checkpoint's loose particles do not fit its particles");
    held_ = std::move(held);
}

}  // namespace pliant
