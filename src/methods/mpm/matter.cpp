#include "pliant/methods/mpm/matter.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Eigenvalues>

#include "pliant/base/error.h"
#include "pliant/base/parallel.h"
#include "pliant/math/svd.h"
#include "pliant/methods/scheduled_material.h"

namespace pliant {
namespace {

constexpr Real any_step = 1e-3;  // s; where a law is asked for without a step

const Real strain_of_norm = std::sqrt(2.0 / 3.0);

WideMatrix symmetric(const WideMatrix& U, const WideVector& s) {
    return compose(U, s, U);
}

// Of flat matter, that of a little less flat.
WideMatrix inverse(const WideMatrix& A) {
    using namespace simd;
    const auto& [a, b, c] = A.column;
    const WideVector x = cross(b, c), y = cross(c, a), z = cross(a, b);
    const Double4 det = dot(a, x);
    const Double4 scale = Double4(1.0) / times_sign(max(abs(det), Double4(1e-6)), det);
    return transpose(WideMatrix{{x * scale, y * scale, z * scale}});
}

Vec3 eigenvalues(const Mat3& symmetric) {
    return Eigen::SelfAdjointEigenSolver<Mat3>().computeDirect(symmetric, Eigen::EigenvaluesOnly).eigenvalues();
}

}  // namespace

Matter::Matter(const Model& model, const MpmSettings& settings)
    : model_(model), liquid_speed_(settings.liquid_speed), is_at_rest_(settings.grid == "rest") {
    melting_.resize(model.bodies.size());
    opens_of_.assign(model.bodies.size(), 0);
    for (std::size_t b = 0; b < model.bodies.size(); ++b) {
        opens_of_[b] = model.bodies[b].liquid.has_value();
        if (model.bodies[b].liquid) continue;
        const Material& own = model.material_of(b);
        const MaterialSchedule* schedule = schedule_of(model, model.bodies[b].material);
        melting_[b].melts = schedule && schedule->melts();
        if (schedule && schedule->loses_volume())
            melting_[b].least_bulk = std::min(own.moduli.bulk(), own.density * square(liquid_speed_));
        has_viscous_ |= own.viscous.has_value();
        flows_ |= own.plasticity.has_value();
        has_neo_hookean_ |= std::holds_alternative<NeoHookeanElasticity>(own.elasticity);
        opens_of_[b] =
            melting_[b].melts || (own.plasticity && (std::holds_alternative<DruckerPragerPlasticity>(*own.plasticity) ||
                                                     std::holds_alternative<SnowPlasticity>(*own.plasticity)));
    }
    opens_ = std::any_of(opens_of_.begin(), opens_of_.end(), [](std::uint8_t opens) { return opens; });
    begin_step(0, any_step);
}

void Matter::prepare(const ParticleState& state) {
    const std::size_t n = state.size();
    affine.assign(n, Mat3::Zero());
    stress.clear();
    keeps_stress_ = false;
    viscous_deformation_.assign(has_viscous_ ? n : 0, Mat3::Identity());
    opened_.assign(opens_ ? n : 0, 0);
}

void Matter::append(std::size_t count) {
    affine.insert(affine.end(), count, Mat3::Zero());
    if (keeps_stress_) stress.insert(stress.end(), count, Mat3::Zero());
    if (has_viscous_) viscous_deformation_.insert(viscous_deformation_.end(), count, Mat3::Identity());
    if (opens_) opened_.insert(opened_.end(), count, 0);
}

void Matter::reorder(std::span<const std::uint32_t> order) {
    const auto sort = [&](auto& array) {
        if (array.empty()) return;
        auto old = array;
        parallel_for(order.size(), [&](std::size_t k) { array[k] = old[order[k]]; });
    };
    sort(affine);
    sort(stress);
    sort(viscous_deformation_);
    sort(opened_);
}

LogStrainLaw Matter::elastic_law_of(std::size_t b, Real time, Real dt) const {
    const BodyModel& body = model_.bodies[b];
    if (body.liquid) return liquid_part(*body.liquid, body.liquid->density * square(liquid_speed_), dt);
    const Material material = material_of(b, time);
    if (is_molten(b, material.moduli)) return liquid_part({material.density, 0, 0}, material.moduli.bulk(), dt);
    if (std::holds_alternative<NeoHookeanElasticity>(material.elasticity)) return neo_hookean_part(material.moduli);
    return elastic_part(material.moduli, material.plasticity);
}

void Matter::begin_step(Real time, Real dt) {
    elastic_.clear();
    viscous_.clear();
    has_potential_ = true;
    for (std::size_t b = 0; b < model_.bodies.size(); ++b) {
        elastic_.push_back(elastic_law_of(b, time + dt, dt));
        const auto viscous = model_.bodies[b].liquid ? std::nullopt : material_of(b, time + dt).viscous;
        viscous_.push_back(viscous ? viscous_part(*viscous, dt) : LogStrainLaw{});
        has_potential_ &= elastic_.back().has_potential();
    }
}

Real Matter::sound_speed(const ParticleState& state, Real time) const {
    const Real fastest = sound_speed_at_rest(time);
    if (!is_at_rest_ && !has_neo_hookean_) return fastest;
    // Stiffness goes as 1 / sigma^2 on a grid at rest, and of neo-Hookean matter with J^2.
    const Real most = parallel_max(state.size(), Real(1), [&](std::size_t p) {
        const Mat3& F = state.deformation[p];
        const Real swelling = has_neo_hookean_ ? std::max(Real(1), F.determinant()) : 1;
        if (!is_at_rest_) return swelling;
        const Real thinnest = std::sqrt(std::max(Real(0), eigenvalues(F.transpose() * F).minCoeff()));
        return swelling / std::max(thinnest, HenckyElasticity::knee);
    });
    return most * fastest;
}

Real Matter::sound_speed_at_rest(Real time) const {
    Real fastest = 0;
    for (std::size_t b = 0; b < model_.bodies.size(); ++b) {
        if (model_.bodies[b].liquid) {
            fastest = std::max(fastest, liquid_speed_);
            continue;
        }
        const Material material = material_of(b, time);
        Real stiffness = material.moduli.p_wave();
        if (elastic_[b].is_snow) {
            const Real most_packed = -parallel_max(opened_.size(), Real(0), [&](std::size_t p) { return -opened_[p]; });
            stiffness *= elastic_[b].packed(most_packed);
        }
        if (material.viscous) stiffness += material.viscous->bulk + 4.0 / 3.0 * material.viscous->shear;
        fastest = std::max(fastest, std::sqrt(stiffness / material.density));
    }
    return fastest;
}

Real Matter::sound_speed_of_all_times() const {
    Real fastest = sound_speed_at_rest(0);
    for (const MaterialSchedule& schedule : model_.schedules) {
        for (const Real time : schedule.times()) fastest = std::max(fastest, sound_speed_at_rest(time));
    }
    return fastest;
}

WideMatrix Matter::seen_from_rest(const WideMatrix& F, const WideMatrix& Fe) const {
    return is_at_rest_ ? inverse(Fe) * F : F;
}

int Matter::advance(const Quartet& q, const WideMatrix& C, Real dt, bool with_stress, ParticleState& state) {
    using namespace simd;
    int yielding = 0;
    const Part part_e = part(0, q, state);
    WideMatrix Fe = advanced(part_e.F, part_e.B, C, Double4(dt));
    WideMatrix sum{};
    // What the grid feels of a part F = U s V^T
    const auto stress_of = [&](const WideSvd<Double4>& s, const LogStrain<Double4>& e, const WideVector& tau,
                               const WideMatrix& B) {
        if (!is_at_rest_) return symmetric(s.U, tau);
        return compose(s.U, {tau.x * e.slope.x, tau.y * e.slope.y, tau.z * e.slope.z}, B * s.V);
    };
    {
        const Law& law = part_e.law;
        const bool flow =
            law.has_granular || law.has_yield || law.has_liquid || law.has_snow || any(law.shear_kept != Double4(1.0));
        if (flow || with_stress) {
            const auto s = svd(Fe);
            const auto e = log_strain(s.sigma);
            const auto r = respond(law, e.value, part_e.alpha, part_e.opened);
            if (flow) {
                Fe = compose(s.U, stretch_of(r.strain), s.V);
                for (int lane = 0; lane < 4; ++lane) {
                    if (!q.is_there[lane]) continue;
                    const std::uint32_t p = q.particle[lane];
                    state.plastic_strain[p] += strain_of_norm * r.flow[lane];
                    yielding += r.flow[lane] > 0;
                    if (opens_) opened_[p] = r.opened[lane];
                }
            }
            if (with_stress) sum = stress_of(s, e, r.tau, WideMatrix::identity());
        }
    }
    if (has_viscous_) {
        const Part part_n = part(1, q, state);
        const WideMatrix trial = advanced(part_n.F, part_n.B, C, Double4(dt));
        const auto s = svd(trial);
        const auto e = log_strain(s.sigma);
        const auto r = respond(part_n.law, e.value, Double4(0.0), Double4(0.0));
        q.store(compose(s.U, stretch_of(r.strain), s.V), viscous_deformation_);
        if (with_stress) {
            const WideMatrix own = stress_of(s, e, r.tau, seen_from_rest(trial, Fe));
            for (int k = 0; k < 9; ++k) sum.data()[k] += own.data()[k];
        }
    }
    q.store(Fe, state.deformation);
    if (with_stress) q.store(sum, stress);
    return yielding;
}

namespace {

// Stress and elastic energy of a part that does not flow now, by its singular values.
struct AtRest {
    Vec3 tau;
    Real energy;
};
AtRest at_rest(const LogStrainLaw& law, const Vec3& sigma, Real opened) {
    const Real packed = law.packed(opened);
    const HenckyElasticity hencky{Moduli::from_shear_bulk(packed * law.shear / std::max(law.shear_kept, 1e-12),
                                                          packed * law.bulk / std::max(law.bulk_kept, 1e-12))};
    if (law.is_neo_hookean) {
        const NeoHookeanElasticity rubber{Moduli::from_shear_bulk(law.shear, law.bulk)};
        return {rubber.principal_stress(sigma).cwiseProduct(sigma), rubber.energy_density(sigma)};
    }
    if (law.shear_kept == 0) {  // a liquid
        const Real t = HenckyElasticity::strain(sigma).sum(), pressure = law.bulk * t;
        return {Vec3::Constant(pressure), pressure * t / 2};
    }
    return {hencky.strain_stress(sigma), hencky.energy_density(sigma)};
}

}  // namespace

Mat3 Matter::kirchhoff(const ParticleState& state, std::size_t p) const {
    const std::size_t b = state.body[p];
    const auto of_part = [](const LogStrainLaw& law, const Mat3& F, Real opened) -> Mat3 {
        const Svd s = svd(F);
        return s.U * at_rest(law, s.sigma, opened).tau.asDiagonal() * s.U.transpose();
    };
    Mat3 tau = of_part(elastic_[b], state.deformation[p], opened(p));
    if (has_viscous_) tau += of_part(viscous_[b], viscous_deformation_[p], 0);
    return tau;
}

void Matter::find_stress(const ParticleState& state) {
    keeps_stress_ = true;
    stress.resize(state.size());
    parallel_for(state.size(), [&](std::size_t p) {
        stress[p] = kirchhoff(state, p);
        if (is_at_rest_) stress[p] *= state.deformation[p].inverse().transpose();
    });
}

Real Matter::energy(const ParticleState& state) const {
    return parallel_sum((state.size() + 3) / 4, Real(0), [&](std::size_t pack) {
        const std::size_t first = 4 * pack, last = std::min(first + 4, state.size());
        Real sum = 0;
        const auto add = [&](const std::vector<LogStrainLaw>& laws, const std::vector<Mat3>& deformation, bool opens) {
            WideMatrix F = WideMatrix::identity();
            for (std::size_t p = first; p < last; ++p) set_lane(F, int(p - first), deformation[p]);
            const auto s = svd(F);
            for (std::size_t p = first; p < last; ++p) {
                const int lane = int(p - first);
                const Vec3 sigma(s.sigma.x[lane], s.sigma.y[lane], s.sigma.z[lane]);
                sum += state.rest_volume[p] * at_rest(laws[state.body[p]], sigma, opens ? opened(p) : 0).energy;
            }
        };
        add(elastic_, state.deformation, true);
        if (has_viscous_) add(viscous_, viscous_deformation_, false);
        return sum;
    });
}

void Matter::save(Snapshot& snapshot) const {
    snapshot.put("mpm.affine", affine);
    snapshot.put("mpm.stress", stress);
    snapshot.put("mpm.viscous_deformation", viscous_deformation_);
    snapshot.put("mpm.opened", opened_);
}

void Matter::restore(const Snapshot& snapshot) {
    std::vector<Mat3> C, tau, Fn;
    std::vector<Real> opened;
    snapshot.get("mpm.affine", C);
    snapshot.get("mpm.stress", tau);
    snapshot.get("mpm.viscous_deformation", Fn);
    snapshot.get("mpm.opened", opened);
    const std::size_t n = C.size();
    // There may be more particles than the scene begins with, never fewer.
    const bool fits = n >= affine.size() && tau.size() == (keeps_stress_ ? n : 0) &&
                      Fn.size() == (has_viscous_ ? n : 0) && opened.size() == (opens_ ? n : 0);
    if (!fits)
        throw InputError("the checkpoint's material points are not those of the scene: the scene has changed since");
    affine = std::move(C);
    stress = std::move(tau);
    viscous_deformation_ = std::move(Fn);
    opened_ = std::move(opened);
}

std::size_t Matter::bytes() const {
    return (affine.capacity() + stress.capacity() + viscous_deformation_.capacity()) * sizeof(Mat3) +
           opened_.capacity() * sizeof(Real);
}

}  // namespace pliant
