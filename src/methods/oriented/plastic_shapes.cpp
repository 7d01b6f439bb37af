#include "pliant/methods/oriented/plastic_shapes.h"

#include <cmath>

#include "pliant/base/parallel.h"
#include "pliant/math/rotation.h"

namespace pliant {

GroupFit fit_group(std::size_t middle, const ParticleState& state, const RestPose& rest) {
    GroupFit fit;
    Real total = 0;
    const auto each_member = [&](auto&& visit) {
        visit(middle);
        for (const std::uint32_t j : rest.neighbours(middle)) visit(j);
    };
    each_member([&](std::size_t i) {
        total += rest.mass[i];
        fit.centre += rest.mass[i] * state.position[i];
        fit.rest_centre += rest.mass[i] * rest.position[i];
    });
    fit.centre /= total;
    fit.rest_centre /= total;
    fit.R = (state.orientation[middle] * rest.orientation[middle].conjugate()).toRotationMatrix();
    each_member([&](std::size_t i) {
        const Vec3 p = rest.position[i] - fit.rest_centre;
        fit.deviation += rest.mass[i] * (state.position[i] - fit.centre - fit.R * p).squaredNorm();
        fit.moment += rest.mass[i] * p.squaredNorm();
    });
    return fit;
}

void absorb_dent(const RigidGroup& group, const ParticleState& state, RestPose& rest) {
    Vec3 centre = Vec3::Zero(), rest_centre = Vec3::Zero();
    Real total = 0;
    for (const std::uint32_t i : group.particles) {
        total += rest.mass[i];
        centre += rest.mass[i] * state.position[i];
        rest_centre += rest.mass[i] * rest.position[i];
    }
    centre /= total;
    rest_centre /= total;
    Mat3 A = Mat3::Zero();
    for (const std::uint32_t i : group.particles) {
        A += rest.mass[i] * (state.position[i] - centre) * (rest.position[i] - rest_centre).transpose();
        if (rest.is_joint[i]) continue;
        const Quat turn = state.orientation[i] * rest.orientation[i].conjugate();
        A += rest.mass[i] / 5 * turn.toRotationMatrix() * rest.shape(i);
    }
    const Quat back = nearest_rotation(A / A.norm(), Quat::Identity()).rotation.conjugate();
    for (const std::uint32_t i : group.particles) {
        rest.position[i] = rest_centre + back * (state.position[i] - centre);
        if (!rest.is_joint[i]) rest.orientation[i] = (back * state.orientation[i]).normalized();
    }
}

std::size_t creep(Real yield, Real rate, Real dt, ParticleState& state, RestPose& rest) {
    std::vector<GroupFit> fits(rest.size());
    std::vector<Real> share(rest.size(), 0);  // of the deviation that becomes permanent
    parallel_for(rest.size(), [&](std::size_t i) {
        if (rest.neighbours(i).empty() || rest.is_joint[i]) return;
        fits[i] = fit_group(i, state, rest);
        const Real strain = fits[i].strain();
        if (strain <= yield) return;
        share[i] = (1 - std::exp(-rate * dt)) * (strain - yield) / strain;
        state.plastic_strain[i] += share[i] * strain;
    });
    const std::size_t yielding = parallel_sum(rest.size(), std::size_t(0),
                                              [&](std::size_t i) { return static_cast<std::size_t>(share[i] > 0); });
    if (yielding == 0) return 0;
    std::vector<Vec3> moved(rest.size(), Vec3::Zero());
    parallel_for(rest.size(), [&](std::size_t j) {
        Real groups = 0;
        const auto add = [&](std::size_t i) {
            const GroupFit& fit = fits[i];
            ++groups;
            if (share[i] == 0) return;
            const Vec3 p = rest.position[j] - fit.rest_centre;
            moved[j] += share[i] * (fit.R.transpose() * (state.position[j] - fit.centre) - p);
        };
        add(j);
        for (const std::uint32_t i : rest.neighbours(j)) add(i);
        moved[j] /= groups;
    });
    for (std::size_t j = 0; j < rest.size(); ++j) rest.position[j] += moved[j];
    return yielding;
}

}  // namespace pliant
