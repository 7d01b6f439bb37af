#include "pliant/methods/mls/zhou2013.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "pliant/base/error.h"
#include "pliant/base/parallel.h"
#include "pliant/materials/elasticity.h"
#include "pliant/math/polar.h"
#include "pliant/math/svd.h"
#include "pliant/methods/obstacles.h"

namespace pliant {
namespace {

constexpr int most_passes = 6;              // of contact in a step
constexpr Real tolerance_in_contact = 0.3;  // of the tolerance: stiff bodies turn what is left into energy
constexpr Real rough_tolerance = 3e-2;      // of the solver, while contacts still change
constexpr int most_iterations = 500;
constexpr Real facing = 0.3;            // cosine between a normal and the line to what it faces
constexpr int most_linearisations = 4;  // of a law that is not linear in the stretch, in a step
constexpr int most_attempts = 8;        // to find a step that does not gain energy
constexpr Real most_growth = 2;         // of the energy in a step
constexpr int few_iterations = 3;       // of a solve that changes nothing worth another
// What an implicit step counts for in explicit ones. Measured on two threads: 16 for a cube of 2,744 particles, 40 for
// the creature of 19,728 while it lands, because contacts are solved for several times.
constexpr Real explicit_steps = 20;
constexpr Real explicit_steps_flowing = 8;  // lower, because flow makes long explicit steps fail; not fitted
constexpr Real cell_in_spacings = 4;        // of the preconditioner's grid
constexpr Real most_cells = 4000;          // of a body; beyond, they grow, for a factorisation grows faster than a body
constexpr std::size_t flowed_share = 200;  // one particle in so many has flowed far: time for new neighbours
constexpr std::size_t packs_a_block = 16;
constexpr std::array<Real, 3> few_neighbours = {0.5, 0.3, 0.2};  // of those inside a body: of loose particles
constexpr Real tip_work = 1e4;  // multiplications a particle that their elimination may take; not fitted

int iterations_since(const StepReport& report, std::size_t first) {
    return std::accumulate(report.solvers.begin() + std::ptrdiff_t(first), report.solvers.end(), 0,
                           [](int sum, const SolverReport& solver) { return sum + solver.iterations; });
}

}  // namespace

Zhou2013::Zhou2013(const MlsSettings& settings, Time time, const Model& model, std::optional<Real> given_step)
    : settings_(settings.resolved("implicit")),
      time_(time),
      given_step_(given_step),
      model_(model),
      rest_(model, *settings_.support, kernel_from_name(*settings_.kernel).value_or(KernelKind::cosine)),
      elastic_(rest_, *settings_.stabilisation),
      body_contact_(model, settings.contact_stiffness),
      contacts_(model),
      pairs_(model, settings.contact_stiffness),
      obstacle_speed_(fastest_obstacle(model)) {}

void Zhou2013::prepare(const ParticleState& state) {
    const std::size_t n = state.size();
    for (auto* array : {&predicted_, &force_, &right_, &change_, &impulse_, &elastic_product_, &best_})
        array->assign(n, Vec3::Zero());
    for (auto* array : {&mu_, &lambda_}) array->resize(n);
    for (auto* array : {&diagonal_, &turn_}) array->resize(n);
    contacts_.prepare(state);
    groups_.clear();
    for (const BodyRange& range : body_ranges(state, model_.bodies.size())) {
        const Real cells = std::max(Real(1), Real(range.size()) / cube(cell_in_spacings) / most_cells);
        const Real spacing = model_.bodies[groups_.size()].spacing;
        groups_.push_back({range.first, range.last, cell_in_spacings * std::cbrt(cells) * spacing});
    }
    rest_.set(state);
    elastic_.prepare(state, model_);
    elastic_.take_rest_shape();
    for (std::size_t i = 0; i < n; ++i) elastic_.set_rotation(i, rest_.projector(i));
    linearise(state);
    if (time_ != Time::implicit_euler) frequency_ = elastic_.largest_frequency(state.mass);
    if (time_ == Time::cheaper) choose_time(state);
    take_rest_shape();
}

// An implicit step costs as much as so many explicit ones; flow adds to what explicit steps must be shorter by.
void Zhou2013::choose_time(const ParticleState& state) {
    const Real longest = largest_timestep(state, Time::implicit_euler);
    const Real shortest = largest_timestep(state, Time::symplectic_euler);
    if (given_step_) {
        const bool is_stable = *given_step_ <= shortest;
        time_ = is_stable ? Time::symplectic_euler : Time::implicit_euler;
        choice_ = fmt::format("{}: explicit steps are stable up to {:.3g} ms, and the scene asks for {:.3g} ms",
                              is_stable ? "explicit" : "implicit", 1e3 * shortest, 1e3 * *given_step_);
        return;
    }
    const bool flows = std::any_of(model_.materials.begin(), model_.materials.end(),
                                   [](const Material& m) { return m.plasticity.has_value(); });
    const Real cost = flows ? explicit_steps_flowing : explicit_steps;
    const bool is_implicit = longest > cost * shortest;
    time_ = is_implicit ? Time::implicit_euler : Time::symplectic_euler;
    choice_ = fmt::format(
        "{}: an implicit step of {:.3g} ms replaces {:.3g} explicit ones of {:.3g} ms and costs about {:g}{}",
        is_implicit ? "implicit" : "explicit", 1e3 * longest, longest / shortest, 1e3 * shortest, cost,
        flows ? ", plastic flow counted in" : "");
}

void Zhou2013::take_rest_shape() {
    elastic_.take_rest_shape();
    elastic_.diagonal(stiffness_);
    if (time_ != Time::implicit_euler) return;
    preconditioner_.set_points(rest_.reference(), groups_);
    // Particles at the tips of thin parts hang loosely, unlike any continuum that the preconditioner's grid could take
    // them for: they are eliminated exactly.
    eliminate_tips();
    RestSurface surface = rest_.surface();
    outward_ = std::move(surface.outward);
    pairs_.set_surface(std::move(surface.is_surface));
}

// As many as are worth it: in a sheet all particles have few neighbours.
void Zhou2013::eliminate_tips() {
    for (const Real share : few_neighbours) {
        tips_.set_points(elastic_.rows_of(rest_.particles_with_neighbours_below(share)), rest_.reference(),
                         tip_work * Real(rest_.size()));
        if (tips_.is_within_work()) return;
    }
    tips_.set_points({}, rest_.reference());
}

StepReport Zhou2013::step(ParticleState& state, Real time, Real dt) {
    StepReport report;
    linearise(state);
    if (time_ == Time::implicit_euler) {
        solve_velocities(state, time, dt, report);  // (M + dt^2 K) dv = dt (f(q + dt v) + M g), v += dv
    } else {
        accelerate(state, time, dt, report);  // v += dt (f(q) / m + g)
    }
    parallel_for(state.size(), [&](std::size_t i) { state.position[i] += dt * state.velocity[i]; });
    report.yielding = deform(state, dt);  // Fe, R, and flow    [Bargteil07]
    renew_rest_shape(state, report.yielding > 0);
    report.neighbours = rest_.average_count();
    return report;
}

// Linearised, the forces at the end of the step are f(q + dt v) - dt K dv; all that is known stands on the right.
void Zhou2013::solve_velocities(ParticleState& state, Real time, Real dt, StepReport& report) {
    const std::size_t n = state.size();
    parallel_for(n, [&](std::size_t i) { change_[i] = dt * model_.gravity; });
    gather_right_side(state, dt);
    {
        const auto phase = timers.phase("contact");
        parallel_for(n, [&](std::size_t i) { predicted_[i] = state.velocity[i] + change_[i]; });
        contacts_.begin(state, time, dt, predicted_);
        pairs_.begin(state, dt, predicted_, [&](std::size_t i, std::size_t j) { return may_touch(state, i, j); });
    }
    const Real reference = dt * model_.gravity.norm() *
                           std::sqrt(parallel_sum(n, Real(0), [&](std::size_t i) { return square(state.mass[i]); }));
    solve_motion(state, dt, reference, report);
    contacts_.finish(state);
    state.velocity.swap(predicted_);
    report.contacts = contacts_.count();
}

// A linear law needs one linearisation. But rotations that are held fixed let particles move along tangents, and in a
// stiff body that an impact turns fast, the stretch of a long step can be more than all the energy there is. Then the
// step is linearised again where it ends, until it gains no more; of those that do, the least serves.
void Zhou2013::solve_motion(const ParticleState& state, Real dt, Real reference, StepReport& report) {
    const Real bearable = most_growth * (strain_energy(state) + kinetic_energy(state));
    Real least = std::numeric_limits<Real>::infinity();
    reference = solve_contacts(state, dt, reference, report);
    std::size_t known = 0;  // solves before the last linearisation
    for (int solved = 1;; ++solved) {
        const Real energy = take_rotations_after(state, dt);
        const bool is_bearable = energy <= bearable || *settings_.rotation == "predicted";  // which stay as they are
        const bool is_last = solved >= (is_bearable ? most_linearisations : most_attempts) ||
                             (solved > 1 && iterations_since(report, known) <= few_iterations);
        if (is_bearable && (is_last || !elastic_.is_nonlinear())) return;
        if (!(energy > least)) {
            least = energy;
            best_ = predicted_;
        }
        if (is_last) break;
        contacts_.reopen(state, predicted_);
        gather_right_side(state, dt);
        known = report.solvers.size();
        solve_contacts(state, dt, reference, report);
    }
    predicted_.swap(best_);
}

// Where the velocities in predicted_ lead. Returns the energy there, potential energy counted from the start of the
// step.
Real Zhou2013::take_rotations_after(const ParticleState& state, Real dt) {
    const auto phase = timers.phase("deformation");
    const std::size_t n = state.size();
    parallel_for(n, [&](std::size_t i) { impulse_[i] = state.position[i] + dt * predicted_[i]; });
    const Real strain = take_rotations(state, impulse_);
    return strain + parallel_sum(n, Real(0), [&](std::size_t i) {
               return state.mass[i] * (predicted_[i] / 2 - dt * model_.gravity).dot(predicted_[i]);
           });
}

// dt (f(q + dt v) + M g)
void Zhou2013::gather_right_side(const ParticleState& state, Real dt) {
    const auto phase = timers.phase("forces");
    parallel_for(state.size(), [&](std::size_t i) { predicted_[i] = state.position[i] + dt * state.velocity[i]; });
    if (*settings_.rotation == "predicted") take_rotations(state, predicted_);
    elastic_.forces(predicted_, force_);
    parallel_for(state.size(), [&](std::size_t i) { force_[i] = dt * (force_[i] + state.mass[i] * model_.gravity); });
}

// Solves and reviews the contacts until these stay: roughly while they change, well once they have settled. Leaves the
// velocities at the end of the step in predicted_, and returns what residuals are compared with.
Real Zhou2013::solve_contacts(const ParticleState& state, Real dt, Real reference, StepReport& report) {
    set_system(state, dt);
    bool has_settled = contacts_.count() == 0 && pairs_.active().empty();
    bool knows_product = false;
    has_factors_ = false;
    for (int pass = 0; pass < most_passes; ++pass) {
        right_ = force_;
        contacts_.add_drag(state, right_);
        pairs_.add_impulses(state, right_);
        if (contacts_.prescribe(state, change_)) knows_product = false;
        const bool is_rough = !has_settled && pass + 1 < most_passes;
        const Real well = settings_.tolerance * (contacts_.count() > 0 ? tolerance_in_contact : 1);
        const Real tolerance = is_rough ? std::max(rough_tolerance, well) : well;
        const auto known = knows_product ? std::span(elastic_product_) : std::span<Vec3>();
        const CgReport solved = solve(state, dt, right_, change_, reference, tolerance, known);
        if (pass == 0) reference = std::max(reference, solved.initial_residual);
        report.solvers.push_back({"velocity", solved.iterations, reference > 0 ? solved.residual / reference : 0});
        parallel_for(state.size(), [&](std::size_t i) { predicted_[i] = state.velocity[i] + change_[i]; });
        if (contacts_.held().empty() && model_.colliders.empty() && pairs_.active().empty()) break;
        if (!knows_product || solved.iterations > 0) elastic_.multiply(state.mass, dt, change_, elastic_product_);
        knows_product = true;
        impulse_ = elastic_product_;
        add_contact_product(change_, impulse_);
        parallel_for(state.size(), [&](std::size_t i) { impulse_[i] -= right_[i]; });
        const bool pairs_changed = pairs_.review(predicted_);
        const auto change = contacts_.review(state, predicted_, impulse_, is_rough ? solved.residual : 0);
        has_settled = !pairs_changed && change != ContactConstraints::Change::held;
        if (!has_settled) has_factors_ = false;
        if (has_settled && !is_rough) break;  // friction that is still a little off is right in the next step
    }
    return reference;
}

void Zhou2013::set_system(const ParticleState& state, Real dt) {
    const auto phase = timers.phase("preconditioner");
    parallel_for(state.size(), [&](std::size_t i) {
        const Mat3 R = elastic_.rotation(i);
        // Where a neighbourhood does not span space, R leaves out directions: there the mean stiffness serves for all.
        diagonal_[i] = rest_.rank(i) == 3 ? Mat3(R * stiffness_[i] * R.transpose())
                                          : Mat3(stiffness_[i].trace() / 3 * Mat3::Identity());
        diagonal_[i] *= dt * dt;
        diagonal_[i].diagonal().array() += state.mass[i];
        mu_[i] = dt * dt * elastic_.mu_volume(i);
        lambda_[i] = dt * dt * elastic_.lambda_volume(i);
        turn_[i] = elastic_.rotation(i) * rest_.A_inverse(i).transpose();
    });
    preconditioner_.set_system({state.mass, mu_, lambda_, turn_, diagonal_});
    const PointRows& rows = tips_.rows();
    std::vector<Mat3>& blocks = tips_.new_blocks();
    elastic_.blocks(rows, blocks);
    for (Mat3& block : blocks) block *= dt * dt;
    for (std::size_t k = 0; k < rows.size(); ++k) {
        blocks[rows.at(k, rows.point[k])].diagonal().array() += state.mass[rows.point[k]];
    }
}

void Zhou2013::multiply(const ParticleState& state, Real dt, std::span<const Vec3> x, std::span<Vec3> result) {
    elastic_.multiply(state.mass, dt, x, result);
    add_contact_product(x, result);
}

void Zhou2013::add_contact_product(std::span<const Vec3> x, std::span<Vec3> result) const {
    pairs_.add_product(x, result);
    contacts_.add_product(x, result);
}

// Two particles of one body touch if they are no neighbours at rest and their surfaces face each other.
bool Zhou2013::may_touch(const ParticleState& state, std::size_t i, std::size_t j) const {
    const Vec3 n = (state.position[j] - state.position[i]).normalized();
    const auto faces = [&](std::size_t k, const Vec3& to) {
        const Mat3 R = elastic_.rotation(k);
        if (rest_.rank(k) == 3) return to.dot(R * outward_[k]) > facing;
        return (to - R * (R.transpose() * to)).norm() > facing;  // a sheet or string: across what it spans
    };
    const RestRow row = rest_.row(i);
    return faces(i, n) && faces(j, -n) && !std::binary_search(row.index.begin(), row.index.end(), j);
}

void Zhou2013::factor() {
    const auto phase = timers.phase("preconditioner");
    tips_.factor(contacts_.held(), pairs_.active());
    preconditioner_.factor(contacts_.held(), pairs_.active());
}

CgReport Zhou2013::solve(const ParticleState& state, Real dt, std::span<const Vec3> b, std::span<Vec3> dv,
                         Real reference, Real tolerance, std::span<Vec3> known) {
    const auto phase = timers.phase("solve");
    bool is_start = true;  // the first product is that of dv
    const auto product = [&](std::span<const Vec3> x, std::span<Vec3> result) {
        if (!std::exchange(is_start, false) || known.empty()) return multiply(state, dt, x, result);
        std::copy(known.begin(), known.end(), result.begin());
        add_contact_product(x, result);
    };
    std::span<const Vec3> residual;
    const auto is_done = [&](const CgProgress& p) {
        residual = p.residual_vector;
        return p.residual <= tolerance * std::max(reference, p.initial_residual);
    };
    const auto project = [&](std::span<Vec3> v) { contacts_.project(v); };
    const auto precondition = [&](std::span<const Vec3> r, std::span<Vec3> z) {
        if (!std::exchange(has_factors_, true)) factor();
        tips_.apply(r, z, preconditioner_);
    };
    const CgReport report = solver_.solve({product, is_done, precondition, project, most_iterations}, b, dv);
    if (!residual.empty()) complete_momentum(state, residual, dv, known);
    return report;
}

// What the solver's tolerance leaves is no motion of a free body as a whole: A 1 = M 1, so that this much is exact.
void Zhou2013::complete_momentum(const ParticleState& state, std::span<const Vec3> residual, std::span<Vec3> dv,
                                 std::span<Vec3> known) const {
    std::vector<std::size_t> leader(groups_.size());  // bodies that push each other move as one
    std::iota(leader.begin(), leader.end(), std::size_t(0));
    const auto find = [&](std::size_t b) {
        while (leader[b] != b) b = leader[b];
        return b;
    };
    for (const PointPair& p : pairs_.active()) leader[find(state.body[p.i])] = find(state.body[p.j]);
    std::vector<std::uint8_t> is_held(groups_.size(), 0);
    std::vector<Vec3> left(groups_.size(), Vec3::Zero());
    std::vector<Real> mass(groups_.size(), 0);
    for (const HeldPoint& held : contacts_.held()) is_held[find(state.body[held.point])] = 1;
    for (std::size_t b = 0; b < groups_.size(); ++b) {
        const std::size_t first = groups_[b].first, count = groups_[b].last - first;
        left[find(b)] +=
            parallel_sum(count, Vec3(Vec3::Zero()), [&](std::size_t k) -> Vec3 { return residual[first + k]; });
        mass[find(b)] += parallel_sum(count, 0.0, [&](std::size_t k) { return state.mass[first + k]; });
    }
    for (std::size_t b = 0; b < groups_.size(); ++b) {
        const std::size_t first = groups_[b].first, count = groups_[b].last - first, whole = find(b);
        if (is_held[whole] || count == 0) continue;
        const Vec3 shift = left[whole] / mass[whole];
        parallel_for(count, [&](std::size_t k) {
            dv[first + k] += shift;
            if (!known.empty()) known[first + k] += state.mass[first + k] * shift;
        });
    }
}

void Zhou2013::accelerate(ParticleState& state, Real time, Real dt, StepReport& report) {
    {
        const auto phase = timers.phase("forces");
        elastic_.forces(state.position, force_);
        body_contact_.add_forces(state, dt, force_);
        parallel_for(state.size(),
                     [&](std::size_t i) { state.velocity[i] += dt * (force_[i] / state.mass[i] + model_.gravity); });
    }
    const auto phase = timers.phase("contact");
    report.contacts = apply_obstacles(model_, state, time, dt);
}

WideMat3<Double4> Zhou2013::deformation(const ParticleState& state, std::size_t pack) const {
    WideMat3<Double4> F = elastic_.deformation(pack);
    for (int l = 0; l < 4; ++l) {
        const std::size_t i = 4 * pack + std::size_t(l);
        if (i < state.size() && rest_.rank(i) < 3)
            set_lane(F, l, rest_.completed(i, lane_of(F, l), state.deformation[i]));
    }
    return F;
}

// Returns the energy of strain there.
Real Zhou2013::take_rotations(const ParticleState& state, std::span<const Vec3> positions) {
    elastic_.set_positions(positions);
    return parallel_sum(pack_count(state.size()), Real(0), [&](std::size_t k) {
        Real energy = 0;
        const WideSvd<Double4> F = svd(deformation(state, k));
        for (std::size_t i = 4 * k; i < std::min(4 * k + 4, state.size()); ++i) {
            const Svd f = lane_of(F, static_cast<int>(i % 4));
            elastic_.set_rotation(i, f.U * f.V.transpose() * rest_.projector(i));
            if (elastic_.is_nonlinear()) elastic_.linearise(i, law_of(state, i), f);
            energy += strain_energy(state, i, f.sigma);
        }
        return energy;
    });
}

// At the deformations as they are. Nothing to do for the corotated law, whose rotations are known already.
void Zhou2013::linearise(const ParticleState& state) {
    if (!elastic_.is_nonlinear()) return;
    parallel_for(state.size(),
                 [&](std::size_t i) { elastic_.linearise(i, law_of(state, i), svd(state.deformation[i])); });
}

std::size_t Zhou2013::deform(ParticleState& state, Real dt) {
    const auto phase = timers.phase("deformation");
    const std::size_t n = state.size();
    elastic_.set_positions(state.position);
    std::vector<std::size_t> yielding(block_count(pack_count(n), packs_a_block));
    const auto deform_pack = [&](std::size_t k) {
        const WideMat3<Double4> F = deformation(state, k);
        const WideSvd<Double4> wide = svd(F);
        const WideMat3<Double4> R = times_transpose(wide.U, wide.V);
        for (int l = 0; l < 4; ++l) {
            const std::size_t i = 4 * k + std::size_t(l);
            if (i >= n) break;
            state.deformation[i] = lane_of(F, l);
            const Mat3 turn = lane_of(R, l);
            elastic_.set_rotation(i, rest_.rank(i) == 3 ? turn : Mat3(turn * rest_.projector(i)));
            const bool may_flow = model_.material_of(state.body[i]).plasticity && rest_.rank(i) == 3;
            if (may_flow && flow_particle(state, i, lane_of(wide, l), dt)) ++yielding[k / packs_a_block];
        }
    };
    parallel_for(pack_count(n), deform_pack, packs_a_block);
    std::size_t total = 0;
    for (const std::size_t count : yielding) total += count;
    return total;
}

// F = U sigma V^T gives up its plastic part; false if nothing flows.
bool Zhou2013::flow_particle(ParticleState& state, std::size_t i, const Svd& F, Real dt) {
    const Material& material = model_.material_of(state.body[i]);
    const PlasticStep flowed = flow(*material.plasticity, material.elasticity, F.sigma, state.plastic_strain[i], dt);
    if (!(flowed.alpha > state.plastic_strain[i])) return false;
    state.deformation[i] = F.U * flowed.elastic.asDiagonal() * F.V.transpose();
    state.plastic_strain[i] = flowed.alpha;
    rest_.flow(i, F.V * flowed.plastic.cwiseInverse().asDiagonal() * F.V.transpose());
    return true;
}

void Zhou2013::renew_rest_shape(const ParticleState& state, bool is_yielding) {
    if (*settings_.rest == "fixed") return;
    const bool is_updated = *settings_.rest == "updated";
    if (!is_updated && !(is_yielding && flowed_share * rest_.flowed_far() > state.size())) return;
    const auto phase = timers.phase("rest shape");
    std::vector<int> rank(state.size());
    for (std::size_t i = 0; i < state.size(); ++i) rank[i] = rest_.rank(i);
    rest_.renew(state, is_updated);
    parallel_for(state.size(), [&](std::size_t i) {  // other neighbours may span other directions
        if (rank[i] == 3 && rest_.rank(i) == 3) return;
        elastic_.set_rotation(i, polar(state.deformation[i]).R * rest_.projector(i));
    });
    take_rest_shape();
    if (time_ == Time::symplectic_euler && !is_updated) frequency_ = elastic_.largest_frequency(state.mass);
}

Real Zhou2013::largest_timestep(const ParticleState& state, Time time) const {
    Real spacing = std::numeric_limits<Real>::infinity();
    for (const BodyModel& body : model_.bodies) spacing = std::min(spacing, body.spacing);
    const Real speed = std::max(largest_speed(state), obstacle_speed_);
    const Real crossing = speed > 0 ? spacing / speed : std::numeric_limits<Real>::infinity();
    if (time == Time::implicit_euler) return std::min(settings_.implicit_step, crossing);
    const Real bearable = frequency_ > 0 ? 2 / frequency_ : settings_.implicit_step;
    return std::min({settings_.safety * bearable, settings_.safety * body_contact_.largest_timestep(), 0.3 * crossing});
}

Real Zhou2013::elastic_energy(const ParticleState& state) const {
    return strain_energy(state) + parallel_sum(state.size(), Real(0), [&](std::size_t i) {
               return elastic_.penalty_energy(state.position, i);
           });
}

Real Zhou2013::strain_energy(const ParticleState& state) const {
    return parallel_sum(pack_count(state.size()), Real(0), [&](std::size_t k) {
        const std::size_t first = 4 * k, last = std::min(first + 4, state.size());
        WideMat3<Double4> F = WideMat3<Double4>::identity();
        for (std::size_t i = first; i < last; ++i) set_lane(F, int(i - first), state.deformation[i]);
        const WideSvd<Double4> f = svd(F);
        Real energy = 0;
        for (std::size_t i = first; i < last; ++i) {
            const int l = int(i - first);
            energy += strain_energy(state, i, {f.sigma.x[l], f.sigma.y[l], f.sigma.z[l]});
        }
        return energy;
    });
}

// sigma: the stretches of particle i. Without neighbours there is no strain.
Real Zhou2013::strain_energy(const ParticleState& state, std::size_t i, const Vec3& sigma) const {
    return rest_.rank(i) > 0 ? state.rest_volume[i] * energy_density(law_of(state, i), sigma) : 0;
}

std::vector<Quantity> Zhou2013::quantities(const ParticleState& state) const {
    Quantity stress{"stress", "Pa", std::vector<Real>(state.size())};
    parallel_for(state.size(), [&](std::size_t i) {
        const Svd F = svd(state.deformation[i]);
        const Mat3 kirchhoff = kirchhoff_stress(model_.material_of(state.body[i]).elasticity, F);
        const Real J = F.sigma.prod();
        stress.values[i] = von_mises_stress(J > 1e-6 ? Mat3(kirchhoff / J) : kirchhoff);
    });
    return {std::move(stress), {"plastic_strain", "", state.plastic_strain}};
}

void Zhou2013::save(Snapshot& snapshot) const {
    rest_.save(snapshot);
    contacts_.save(snapshot);
    std::vector<Mat3> rotation(rest_.size());
    for (std::size_t i = 0; i < rotation.size(); ++i) rotation[i] = elastic_.rotation(i);
    snapshot.put("mls.rotation", rotation);
    snapshot.put_real("mls.frequency", frequency_);
}

void Zhou2013::restore(const Snapshot& snapshot) {
    std::vector<Mat3> rotation;
    snapshot.get("mls.rotation", rotation);
    if (rotation.size() != rest_.size()) {
        throw InputError("the checkpoint's rotations have another length than its positions");
    }
    rest_.restore(snapshot);
    take_rest_shape();
    contacts_.restore(snapshot);
    frequency_ = snapshot.get_real("mls.frequency");
    for (std::size_t i = 0; i < rotation.size(); ++i) elastic_.set_rotation(i, rotation[i]);
}

std::size_t Zhou2013::bytes() const {
    const std::size_t own = 8 * sizeof(Vec3) + 3 * sizeof(Mat3) + 2 * sizeof(Real), solver = 5 * sizeof(Vec3);
    return rest_.bytes() + elastic_.bytes() + body_contact_.bytes() + contacts_.bytes() + pairs_.bytes() +
           preconditioner_.bytes() + tips_.bytes() + change_.size() * (own + solver);
}

}  // namespace pliant
