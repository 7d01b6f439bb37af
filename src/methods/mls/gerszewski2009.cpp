#include "pliant/methods/mls/gerszewski2009.h"

#include <algorithm>
#include <array>
#include <limits>

#include "pliant/base/error.h"
#include "pliant/base/parallel.h"
#include "pliant/materials/elasticity.h"
#include "pliant/math/polar.h"
#include "pliant/math/svd.h"
#include "pliant/math/symmetric.h"
#include "pliant/math/wide.h"
#include "pliant/methods/mls/neighbour_lanes.h"
#include "pliant/methods/obstacles.h"

namespace pliant {
namespace {

// Measured on dropped cubes, with and without viscosity; see step_rate().
constexpr Real stiffest_share = 0.4;  // of the bound on a neighbourhood's frequency that is reached in a body
constexpr Real viscous_share = 1.2;   // of the estimate of the rate at which viscosity slows it
constexpr Real softening = 0.01;      // of the viscosity's 1/r^2, in squared spacings
// Directions in which a neighbourhood is this much flatter than in its widest count as not spanned. A smaller share
// makes a few ragged particles so stiff that they alone set the step.
constexpr Real flattest = 0.08;
constexpr Real least_density = 0.1;  // of the material's, for the pressure's rest state; corners of a lattice have more
constexpr std::size_t svd_batch = 64;

Gerszewski2009::Moments sum_moments(const NeighbourRow& row, const RawVector<Double4>& place, Double4 here) {
    using namespace simd;
    Double4 xx(0), xy(0), xz(0), yy(0), yz(0), zz(0), weight(0), density(0), slope(0);
    for (std::size_t k = 0; k < row.index.size(); k += 4) {
        const FourNeighbours four(row, k);
        const Lanes q = four.gather(place) - here;
        const Double4 w = four.numbers(&row.weight[k]);
        const Lanes wq = w * q;
        xx = fma(wq.x, q.x, xx), xy = fma(wq.x, q.y, xy), xz = fma(wq.x, q.z, xz);
        yy = fma(wq.y, q.y, yy), yz = fma(wq.y, q.z, yz), zz = fma(wq.z, q.z, zz);
        weight += w;
        density = fma(w, q.number, density);
        slope = fma(four.numbers(&row.slope[k]), q.number, slope);
    }
    Gerszewski2009::Moments m;
    m.K << sum(xx), sum(xy), sum(xz), sum(xy), sum(yy), sum(yz), sum(xz), sum(yz), sum(zz);
    m.weight = sum(weight);
    m.density = sum(density);
    m.slope = sum(slope);
    return m;
}

}  // namespace

Gerszewski2009::Gerszewski2009(const MlsSettings& settings, const Model& model)
    : settings_(settings.resolved("gerszewski09")),
      model_(model),
      neighbours_(model, *settings_.support, kernel_from_name(*settings_.kernel).value_or(KernelKind::cosine)),
      body_contact_(model, settings.contact_stiffness),
      obstacle_speed_(fastest_obstacle(model)) {}

void Gerszewski2009::prepare(const ParticleState& state) {
    const std::size_t n = state.size();
    stress_.resize(n);
    energy_density_.resize(n);
    density_.resize(n);
    moment_inverse_.resize(n);
    projector_.resize(n);
    rank_.resize(n);
    force_.resize(n);
    resize_discarding(force_columns_, 3 * n);
    resize_discarding(velocity_, n);
    parallel_blocks(n, default_block, [&](std::size_t begin, std::size_t end) { update_stress(state, begin, end); });
    find_neighbours(state);
    invert_moments(state);
    rest_density_ = density_;
    for (std::size_t i = 0; i < n; ++i) {  // a lonely particle may find company later
        rest_density_[i] = std::max(rest_density_[i], least_density * model_.material_of(state.body[i]).density);
    }
}

StepReport Gerszewski2009::step(ParticleState& state, Real time, Real dt) {
    StepReport report;
    compute_forces(state, dt);  // f_i = sum_j w_ij (T_i + T_j) q_ij + stabilisers
    accelerate(state, dt);      // v += dt (f / m + g)
    {
        const auto phase = timers.phase("contact");
        report.contacts = apply_obstacles(model_, state, time, dt);
    }
    report.yielding = deform(state, dt);  // Fe = flow((1 + dt grad v) Fe)       [Bargteil07]
    move(state, dt);                      // q += dt v
    report.neighbours = neighbours_.average_count();
    return report;
}

void Gerszewski2009::compute_forces(const ParticleState& state, Real dt) {
    find_neighbours(state);
    invert_moments(state);  // K_i^+, T_i = V_i P_i Fe_i^T K_i^+
    gather_forces(state);
    const auto phase = timers.phase("body contact");
    body_contact_.add_forces(state, dt, force_);
}

void Gerszewski2009::find_neighbours(const ParticleState& state) {
    const auto phase = timers.phase("neighbours");
    neighbours_.update(state);
}

void Gerszewski2009::invert_moments(const ParticleState& state) {
    const auto phase = timers.phase("moments");
    const auto& place = neighbours_.place();
    const auto rate_of = [&](std::size_t i) -> Real {
        Moments m = sum_moments(neighbours_[i], place, place[i]);
        const PseudoInverse K = pseudo_inverse(m.K, flattest);
        const Material& material = model_.material_of(state.body[i]);
        moment_inverse_[i] = K.inverse;
        rank_[i] = static_cast<std::uint8_t>(K.rank);
        density_[i] = m.density;
        const Mat3 B = state.deformation[i].transpose() * K.inverse;
        Mat3 T = state.rest_volume[i] * stress_[i] * B;
        if (K.rank < 3) {
            // Stress along directions that no neighbour spans would turn the body: leave it out.
            projector_[i] = K.projector;
            T = state.rest_volume[i] * K.projector * stress_[i] * state.deformation[i].transpose() * K.projector *
                K.inverse;
        }
        for (int c = 0; c < 3; ++c) force_columns_[3 * i + std::size_t(c)] = padded(T.col(c));
        m.rank = std::max(1, K.rank);
        m.steepness = (B * state.deformation[i]).trace();
        return step_rate(m, material, model_.bodies[state.body[i]].spacing);
    };
    step_rate_ = parallel_max(state.size(), 0.0, rate_of);
}

// One over the longest step that a neighbourhood bears [1/s]. Its vibration has
//     omega <= 2 c sum_j |g_ij| <= 2 c sqrt(sum_j w_ij  tr(Fe^T K^+ Fe)),     g_ij = w_ij B q_ij  [Cauchy, Schwarz]
// of which a body reaches less than half, and two particles by themselves all;
// and viscosity slows neighbours that move against each other at
//     nu  ~  2 (10 mu / rho^2) sum_j m_j (-W'_ij / r) / rank,                 the directions that it spans being alike.
// Symplectic Euler is stable for (omega dt)^2 / 4 + nu dt / 2 < 1.
Real Gerszewski2009::step_rate(const Moments& m, const Material& material, Real h) const {
    const Moduli& moduli = material.moduli;
    const Real c = std::sqrt((moduli.p_wave() + settings_.pressure * moduli.bulk()) / material.density);
    const Real mu = settings_.viscosity * material.density * sound_speed(moduli, material.density) * h;
    const Real share = m.rank == 3 ? stiffest_share : 1;
    const Real omega = share * 2 * c * std::sqrt(std::max(Real(0), m.weight * m.steepness));
    const Real nu = viscous_share * 2 * 10 * mu / square(material.density) * m.slope / m.rank;
    return omega > 0 ? square(omega) / (std::sqrt(square(nu) + 4 * square(omega)) - nu) : nu / 2;
}

// Elastic:    f_i = sum_j w_ij (T_i + T_j) q_ij,   the gradient of sum_i V_i Psi(Fe_i)
// Viscosity:  f_i = sum_j 10 mu V_i V_j (v_ij . q_ij) / r^2 (-W'/r) q_ij
// Pressure:   f_i = -sum_j V_i V_j (p_i + p_j) / 2 (-W'/r) q_ij,   p = k max(0, rho / rho_0 - 1)
void Gerszewski2009::gather_forces(const ParticleState& state) {
    const auto phase = timers.phase("forces");
    const auto& place = neighbours_.place();
    const auto pressure_of = [&](std::size_t i) {
        const Real k = settings_.pressure * model_.material_of(state.body[i]).moduli.bulk();
        return k * std::max(Real(0), density_[i] / rest_density_[i] - 1);
    };
    parallel_for(state.size(), [&](std::size_t i) { velocity_[i] = padded(state.velocity[i], pressure_of(i)); });

    const bool stabilised = settings_.viscosity > 0 || settings_.pressure > 0;
    parallel_for(state.size(), [&](std::size_t i) {
        const NeighbourRow row = neighbours_[i];
        const Material& material = model_.material_of(state.body[i]);
        const Real h = model_.bodies[state.body[i]].spacing;
        const Real V = state.rest_volume[i];
        const Real c = sound_speed(material.moduli, material.density);
        const Double4 viscosity(10 * settings_.viscosity * material.density * c * h * V);
        const Double4 half_volume(V / 2), softened(softening * h * h), volume_of_mass(1 / material.density);
        const Double4 here = place[i], v = velocity_[i], pressure(v[3]);
        Double4 elastic(0);
        Lanes sum_wq{Double4(0), Double4(0), Double4(0), Double4(0)}, central = sum_wq;
        for (std::size_t n = 0; n < row.index.size(); n += 4) {
            const FourNeighbours four(row, n);
            const Lanes q = four.gather(place) - here;  // with the masses m_j
            const Lanes wq = four.numbers(&row.weight[n]) * q;
            sum_wq.x += wq.x, sum_wq.y += wq.y, sum_wq.z += wq.z;
            for (int l = 0; l < four.count; ++l) {
                const Double4* T = &force_columns_[3 * four[l]];
                elastic = product(T, wq.x[l], wq.y[l], wq.z[l], elastic);
            }
            if (!stabilised) continue;
            const Lanes u = four.gather(velocity_) - v;  // with the pressures p_j
            const Double4 along = viscosity * dot(u, q) / (dot(q, q) + softened) - half_volume * (pressure + u.number);
            const Double4 scale = along * (q.number * volume_of_mass) * four.numbers(&row.slope[n]);
            central.x = simd::fma(scale, q.x, central.x);
            central.y = simd::fma(scale, q.y, central.y);
            central.z = simd::fma(scale, q.z, central.z);
        }
        using simd::sum;
        elastic = product(&force_columns_[3 * i], sum(sum_wq.x), sum(sum_wq.y), sum(sum_wq.z), elastic);
        force_[i] = unpadded(elastic) + Vec3(sum(central.x), sum(central.y), sum(central.z));
    });
}

void Gerszewski2009::accelerate(ParticleState& state, Real dt) const {
    parallel_for(state.size(),
                 [&](std::size_t i) { state.velocity[i] += dt * (force_[i] / state.mass[i] + model_.gravity); });
}

// 1 + dt grad v with grad v = (sum_j w_ij v_ij q_ij^T) K^+, the least-squares fit of one step's motion.
Mat3 Gerszewski2009::increment(std::size_t i, const RawVector<Double4>& velocity, Real dt) const {
    using simd::fma, simd::sum;
    const NeighbourRow row = neighbours_[i];
    const auto& place = neighbours_.place();
    Lanes x{Double4(0), Double4(0), Double4(0), Double4(0)}, y = x, z = x;  // rows of sum_j w_ij v_ij q_ij^T
    for (std::size_t n = 0; n < row.index.size(); n += 4) {
        const FourNeighbours four(row, n);
        const Lanes wq = four.numbers(&row.weight[n]) * (four.gather(place) - place[i]);
        const Lanes u = four.gather(velocity) - velocity[i];
        x.x = fma(u.x, wq.x, x.x), x.y = fma(u.x, wq.y, x.y), x.z = fma(u.x, wq.z, x.z);
        y.x = fma(u.y, wq.x, y.x), y.y = fma(u.y, wq.y, y.y), y.z = fma(u.y, wq.z, y.z);
        z.x = fma(u.z, wq.x, z.x), z.y = fma(u.z, wq.y, z.y), z.z = fma(u.z, wq.z, z.z);
    }
    Mat3 product;
    product << sum(x.x), sum(x.y), sum(x.z), sum(y.x), sum(y.y), sum(y.z), sum(z.x), sum(z.y), sum(z.z);
    const Mat3 gradient = product * moment_inverse_[i];
    if (rank_[i] == 3) return Mat3::Identity() + dt * gradient;

    // Directions N without neighbours turn with the others: the skew completion of the gradient gives the rotation.
    const Mat3 N = Mat3::Identity() - projector_[i];
    const Mat3 completed = Mat3::Identity() + dt * (gradient - gradient.transpose() * N);
    return (Mat3::Identity() + dt * gradient) * projector_[i] + polar(completed).R * N;
}

std::size_t Gerszewski2009::deform(ParticleState& state, Real dt) {
    const auto phase = timers.phase("deformation");
    parallel_for(state.size(), [&](std::size_t i) { velocity_[i] = padded(state.velocity[i]); });
    std::vector<std::size_t> yielding(block_count(state.size(), svd_batch));
    parallel_blocks(state.size(), svd_batch, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            state.deformation[i] = increment(i, velocity_, dt) * state.deformation[i];
        std::array<Svd, svd_batch> F;
        svd(std::span(&state.deformation[begin], end - begin), std::span(F.data(), end - begin));
        for (std::size_t i = begin; i < end; ++i) {
            Svd& f = F[i - begin];
            const Material& material = model_.material_of(state.body[i]);
            if (material.plasticity) {
                const PlasticStep flowed =
                    flow(*material.plasticity, material.elasticity, f.sigma, state.plastic_strain[i], dt);
                if (flowed.alpha > state.plastic_strain[i]) {
                    f.sigma = flowed.elastic;
                    state.deformation[i] = f.U * f.sigma.asDiagonal() * f.V.transpose();
                    state.plastic_strain[i] = flowed.alpha;
                    ++yielding[begin / svd_batch];
                }
            }
            stress_[i] = first_piola_stress(material.elasticity, f);
            energy_density_[i] = energy_density(material.elasticity, f.sigma);
        }
    });
    std::size_t total = 0;
    for (const std::size_t count : yielding) total += count;
    return total;
}

void Gerszewski2009::move(ParticleState& state, Real dt) const {
    parallel_for(state.size(), [&](std::size_t i) { state.position[i] += dt * state.velocity[i]; });
}

void Gerszewski2009::update_stress(const ParticleState& state, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
        const Svd F = svd(state.deformation[i]);
        const Elasticity& law = model_.material_of(state.body[i]).elasticity;
        stress_[i] = first_piola_stress(law, F);
        energy_density_[i] = energy_density(law, F.sigma);
    }
}

// Three limits: the least that a neighbourhood bears, what contact between bodies does, and no particle may run through
// another, or an obstacle through a particle, within a step.
Real Gerszewski2009::largest_timestep(const ParticleState& state) {
    Real spacing = std::numeric_limits<Real>::infinity(), speed_limit = 0;
    for (const BodyModel& body : model_.bodies) {
        const Material& material = model_.materials[body.material];
        spacing = std::min(spacing, body.spacing);
        speed_limit = std::max(speed_limit, sound_speed(material.moduli, material.density) / body.spacing);
    }
    const Real lonely = 1 / speed_limit;  // for bodies without any neighbours
    const Real bearable = step_rate_ > 0 ? std::min(lonely, 1 / step_rate_) : lonely;
    const Real speed = std::max(largest_speed(state), obstacle_speed_);
    const Real crossing = speed > 0 ? 0.3 * spacing / speed : std::numeric_limits<Real>::infinity();
    return std::min({settings_.safety * bearable, settings_.safety * body_contact_.largest_timestep(), crossing});
}

Real Gerszewski2009::elastic_energy(const ParticleState& state) const {
    return parallel_sum(state.size(), Real(0),
                        [&](std::size_t i) { return state.rest_volume[i] * energy_density_[i]; });
}

std::vector<Quantity> Gerszewski2009::quantities(const ParticleState& state) const {
    Quantity stress{"stress", "Pa", std::vector<Real>(state.size())};
    parallel_for(state.size(), [&](std::size_t i) {
        const Mat3& F = state.deformation[i];
        const Mat3 kirchhoff = stress_[i] * F.transpose();
        const Real J = F.determinant();
        stress.values[i] = von_mises_stress(J > 1e-6 ? Mat3(kirchhoff / J) : kirchhoff);
    });
    return {std::move(stress), {"plastic_strain", "", state.plastic_strain}};
}

void Gerszewski2009::save(Snapshot& snapshot) const {
    snapshot.put("mls.stress", stress_);
    snapshot.put("mls.energy_density", energy_density_);
    snapshot.put("mls.rest_density", rest_density_);
    snapshot.put_real("mls.step_rate", step_rate_);
}

void Gerszewski2009::restore(const Snapshot& snapshot) {
    const std::size_t n = stress_.size();
    snapshot.get("mls.stress", stress_);
    snapshot.get("mls.energy_density", energy_density_);
    snapshot.get("mls.rest_density", rest_density_);
    if (stress_.size() != n || energy_density_.size() != n || rest_density_.size() != n) {
        throw InputError("the checkpoint's arrays of the method mls have another length than its positions");
    }
    step_rate_ = snapshot.get_real("mls.step_rate");
}

std::size_t Gerszewski2009::bytes() const {
    const std::size_t a_particle = 3 * sizeof(Mat3) + 4 * sizeof(Real) + sizeof(Vec3) + 4 * sizeof(Double4) + 1;
    return neighbours_.bytes() + body_contact_.bytes() + stress_.size() * a_particle;
}

}  // namespace pliant
