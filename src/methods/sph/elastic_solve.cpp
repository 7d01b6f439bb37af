#include "pliant/methods/sph/elastic_solve.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "pliant/base/error.h"
#include "pliant/base/parallel.h"
#include "pliant/math/symmetric.h"

namespace pliant {
namespace {

constexpr int most_iterations = 1000;
// How far sound gets in a step, in spacings, from where on there is a preconditioner, and contact with obstacles is
// part of the solve. On a rabbit of 17,000 particles that hits the floor the grid alone takes a fifth of the time away
// at 4.3 and two fifths at 5.4; nine smaller bodies of which three are as stiff as 4.3 take a third longer with it.
// With pressure as the only contact such bodies store 1.3 to 1.9 times the energy that there is at 4.3, 2.8 times
// at 5.4, and hundreds of times at 50.
constexpr Real stiff = 5;
constexpr Real stiff_with_factor = 12;        // the same beside a factored matrix: as measured on beams
constexpr Real rounding = 6e-8;               // of single precision
constexpr Real bearable_rounding = 2e-5;      // of a product, over the particles' own inertia,
constexpr Real rounding_of_tolerance = 0.25;  // and over the tolerance that was asked for
constexpr Real cell_in_spacings = 4;          // of the preconditioner's grid
// Of an error of velocities over what a preconditioner makes of the residual. Rabbits of 50 MPa (2 ms) and 500 MPa (5
// ms) then took 11 and 26 iterations in place of 20 and 67, and were off by 0.07 and 3 mm after 0.2 s in place of 0.02
// and 2; with pressure as the only contact.
constexpr Real behind = 3;
constexpr Real far_off = 0.5;         // of a guess: what it leaves, over the impulse of the forces
constexpr Real least_inertia = 1e-6;  // about an axis that a body turns about, over its largest
constexpr Real most_cells = 4000;     // of a body; beyond, they grow, for a factorisation grows faster than a body
constexpr int many_iterations = 30;   // of a pass, after which the grid is factored anew for other contacts
constexpr int most_passes = 3;        // of contact in a step
constexpr Real loose = 10;            // of the tolerance, while contacts still change

template <class Term>
Real mean(std::size_t n, Term&& term) {
    return parallel_sum(n, Real(0), term) / Real(n);
}

}  // namespace

void ElasticSolve::prepare(const ParticleState& state) {
    const std::size_t n = solids_.size();
    for (auto* array : {&right_, &change_}) array->assign(n, Vec3::Zero());
    for (auto* array : {&acceleration_, &guess_}) array->assign(n, Eigen::Vector3f::Zero());
    groups_.clear();
    for (const BodyRange& range : body_ranges(state, model_.bodies.size())) {
        if (range.first >= n && range.size() > 0) break;
        const Real cells = std::max(Real(1), Real(range.size()) / cube(cell_in_spacings) / most_cells);
        const Real spacing = model_.bodies[groups_.size()].spacing;
        groups_.push_back({range.first, range.last, cell_in_spacings * std::cbrt(cells) * spacing});
    }
    contacts_.prepare(state, may_touch() ? n : 0);
    pins_changed(state);
    rest_changed();
    moduli_changed();
}

void ElasticSolve::pins_changed(const ParticleState& state) {
    pinned_.clear();
    for (std::uint32_t i = 0; i < solids_.size(); ++i) {
        if (state.pin[i] != no_pin) pinned_.push_back({i, Mat3::Identity()});
    }
    contacts_.pins_changed(state);
    prefactored_.renew();
}

void ElasticSolve::rest_changed() {
    knows_points_ = false;
    prefactored_.forget();
}

void ElasticSolve::moduli_changed() {
    frequency_.clear();
    for (std::size_t b = 0; b < groups_.size(); ++b) {
        if (groups_[b].last == groups_[b].first) {
            frequency_.push_back(0);
            continue;
        }
        const Moduli& m = solids_.moduli_of(std::size_t(model_.bodies[b].material));
        frequency_.push_back(sound_speed(m, model_.material_of(b).density) / model_.bodies[b].spacing);
    }
    if (knows_points_) solids_.diagonal(stiffness_);
}

Real ElasticSolve::stiffness(Real dt) const {
    return frequency_.empty() ? 0 : dt * *std::max_element(frequency_.begin(), frequency_.end());
}

// dt^2 K is at most about the square of `stiffness` times M.
bool ElasticSolve::serves_roughly(Real dt) const {
    Real spacing = std::numeric_limits<Real>::infinity();
    for (const BodyModel& body : model_.bodies) spacing = std::min(spacing, body.spacing);
    const Real error = rounding * square(stiffness(dt)) * (1 + solids_.reach() / spacing);
    return error < std::min(bearable_rounding, rounding_of_tolerance * settings_.relative_tolerance.value_or(1));
}

void ElasticSolve::set_system(const ParticleState& state, Real dt) {
    const std::size_t n = solids_.size();
    if (!knows_points_) {
        preconditioner_.set_points(solids_.reference(), groups_);
        solids_.diagonal(stiffness_);
        diagonal_.resize(n);
        turn_.resize(n);
        mu_.resize(n);
        lambda_.resize(n);
        knows_points_ = true;
    }
    parallel_for(n, [&](std::size_t i) {
        const Mat3 R = solids_.rotation(i);
        diagonal_[i] = solids_.rank(i) == 3 ? Mat3(R * stiffness_[i] * R.transpose())
                                            : Mat3(stiffness_[i].trace() / 3 * Mat3::Identity());
        diagonal_[i] *= dt * dt;
        diagonal_[i].diagonal().array() += state.mass[i];
        mu_[i] = dt * dt * solids_.volume(i) * solids_.moduli(i).mu;
        lambda_[i] = dt * dt * solids_.volume(i) * solids_.moduli(i).lambda;
        turn_[i] = R * solids_.projector(i) * solids_.plastic_inverse(i).transpose();
    });
    const auto mass = std::span(state.mass).first(n);
    preconditioner_.set_system({mass, mu_, lambda_, turn_, diagonal_});
}

// Where rounding spoils the factored matrix, as without it.
ElasticSolve::Preconditioners ElasticSolve::choose_preconditioners(const ParticleState& state, Real dt) {
    Preconditioners which;
    const auto moduli = solids_.all_moduli();
    which.prefactored = settings_.elasticity == "prefactored" &&
                        prefactored_.update(model_, solids_, state, {dt, {moduli.begin(), moduli.end()}});
    const bool is_stiff = stiffness(dt) > (which.prefactored ? stiff_with_factor : stiff);
    which.grid = settings_.preconditioner == "grid" || (settings_.preconditioner == "auto" && is_stiff);
    if (which.grid) set_system(state, dt);
    by_grid_.resize(which.grid && which.prefactored ? solids_.size() : 0);
    return which;
}

void ElasticSolve::precondition(Preconditioners which, std::span<const Vec3> r, std::span<Vec3> z) {
    if (!which.prefactored) return preconditioner_(r, z);
    prefactored_(r, z);
    if (!which.grid) return;
    preconditioner_(r, by_grid_);
    parallel_for(z.size(), [&](std::size_t i) { z[i] += by_grid_[i]; });
}

CgReport ElasticSolve::solve(ParticleState& state, Real time, Real dt) {
    const std::size_t n = solids_.size();
    if (n == 0) return {};
    touches_ = may_touch() && stiffness(dt) > stiff;
    System system{dt, {}, serves_roughly(dt), start(state, dt, !touches_), pinned_};
    system.which = choose_preconditioners(state, dt);
    CgReport report;
    if (touches_) {
        report = solve_with_contacts(state, time, system);
    } else {
        if (system.which.grid) preconditioner_.factor(pinned_, {});
        report = improve(state, system, 1, true);
        complete_momentum(state, pinned_);
    }
    parallel_for(n, [&](std::size_t i) {
        change_[i] += guess_[i].cast<Real>();
        state.velocity[i] += change_[i];
        const Eigen::Vector3f now = (change_[i] / dt).cast<float>();
        guess_[i] = 2 * now - acceleration_[i];
        acceleration_[i] = now;
    });
    return report;
}

// Conjugate gradients from change_ on, to so many times the tolerance.
CgReport ElasticSolve::improve(const ParticleState& state, const System& system, Real times, bool starts_at_zero) {
    const std::size_t n = solids_.size();
    const auto mass = std::span<const Real>(state.mass).first(n);
    const auto multiply = [&](std::span<const Vec3> x, std::span<Vec3> result) {
        solids_.multiply(mass, system.dt, system.is_rough, x, result);
        if (touches_) contacts_.add_product(x, result);
    };
    Real correction = std::numeric_limits<Real>::infinity();  // of velocities by the preconditioner, on average
    const auto precondition = [&](std::span<const Vec3> r, std::span<Vec3> z) {
        this->precondition(system.which, r, z);
        if (!settings_.relative_tolerance) correction = mean(n, [&](std::size_t i) { return z[i].norm(); });
    };
    const auto project = [&](std::span<Vec3> v) {
        for (const HeldPoint& h : system.held) v[h.point] -= h.held * v[h.point];
    };
    left_ = {};
    const auto is_done = [&](const CgProgress& p) {
        left_ = p.residual_vector;
        if (settings_.relative_tolerance) {
            // What obstacles give is an impulse, too.
            const Real impulse = touches_ ? std::max(system.impulse, p.initial_residual) : system.impulse;
            residual_ = p.residual > 0 ? p.residual / impulse : 0;
            return residual_ <= times * *settings_.relative_tolerance;
        }
        // By its inertia alone a particle would get |r| / m, which is far more than it gets where matter is stiff.
        residual_ = std::min(mean(n, [&](std::size_t i) { return left_[i].norm() / mass[i]; }), behind * correction);
        return residual_ <= times * settings_.tolerance;
    };
    const bool is_preconditioned = system.which.grid || system.which.prefactored;
    return solver_.solve({multiply, is_done, precondition, project, most_iterations, is_preconditioned, starts_at_zero},
                         right_, change_);
}

// Solves and reviews contacts until they stay or passes run out, loosely while they change.
CgReport ElasticSolve::solve_with_contacts(ParticleState& state, Real time, System system) {
    const std::size_t n = solids_.size();
    const auto mass = std::span<const Real>(state.mass).first(n);
    for (auto* array : {&force_, &expected_, &reaction_}) array->resize(n);
    parallel_for(n, [&](std::size_t i) { force_[i] = right_[i]; });
    contacts_.begin(state, time, system.dt, std::span(state.velocity).first(n));
    CgReport report;
    bool has_settled = contacts_.count() == 0, is_zero = true;
    int last = many_iterations + 1;  // iterations of the last pass
    for (int pass = 0; pass < most_passes; ++pass) {
        parallel_for(n, [&](std::size_t i) { right_[i] = force_[i]; });
        contacts_.add_drag(state, right_);
        if (contacts_.prescribe(state, change_)) is_zero = false;
        system.held = contacts_.held();
        if (system.which.grid && last > many_iterations) preconditioner_.factor(system.held, {});
        const bool is_loose = !has_settled && pass + 1 < most_passes;
        const CgReport solved = improve(state, system, is_loose ? loose : 1, is_zero);
        is_zero = false;
        last = solved.iterations;
        system.impulse = std::max(system.impulse, solved.initial_residual);
        report.iterations += solved.iterations;
        report.reason = solved.reason;
        if (!is_loose) complete_momentum(state, system.held);
        if (contacts_.count() > 0) {
            solids_.multiply(mass, system.dt, system.is_rough, change_, reaction_);
            contacts_.add_product(change_, reaction_);
        }
        parallel_for(n, [&](std::size_t i) {
            reaction_[i] -= right_[i];
            expected_[i] = state.velocity[i] + change_[i];
        });
        const auto change = contacts_.review(state, expected_, reaction_, is_loose ? solved.residual : 0);
        has_settled = change != ContactConstraints::Change::held;
        if (has_settled && !is_loose) break;  // friction that is still a little off is right in the next step
    }
    contacts_.finish(state);
    return report;
}

// What is left of the system when the velocities change by a guess: dt f(x + dt (v + guess)) - M guess, into right_.
// The guess goes on as the last two steps did; where that is far off, or obstacles may change it, it is none. Returns
// |dt f|.
Real ElasticSolve::start(const ParticleState& state, Real dt, bool may_guess) {
    const std::size_t n = solids_.size();
    const auto is_free = [&](std::size_t i) { return state.pin[i] == no_pin; };
    for (const bool guesses : {true, false}) {
        if (guesses && !may_guess) continue;
        parallel_for(n, [&](std::size_t i) {
            guess_[i] = guesses ? Eigen::Vector3f(float(dt) * guess_[i]) : Eigen::Vector3f(Eigen::Vector3f::Zero());
            change_[i] = state.position[i] + dt * (state.velocity[i] + guess_[i].cast<Real>());
        });
        solids_.forces(change_, right_);
        const Real impulse = dt * std::sqrt(parallel_sum(n, Real(0), [&](std::size_t i) {
                                 return is_free(i) ? right_[i].squaredNorm() : Real(0);
                             }));
        const Real left = parallel_sum(n, Real(0), [&](std::size_t i) {
            right_[i] = dt * right_[i] - state.mass[i] * guess_[i].cast<Real>();
            change_[i] = Vec3::Zero();
            return is_free(i) ? right_[i].squaredNorm() : Real(0);
        });
        if (!guesses || std::sqrt(left) <= far_off * impulse) return impulse;
    }
    return 0;
}

// What the solver's tolerance leaves is no motion of a free body as a whole: A t = M t of a shift, so that this much is
// exact, and of a turn up to the strain.
void ElasticSolve::complete_momentum(const ParticleState& state, std::span<const HeldPoint> held) {
    if (left_.empty()) return;
    struct Whole {
        Real mass = 0;
        Vec3 place = Vec3::Zero(), push = Vec3::Zero(), torque = Vec3::Zero();  // place: times mass
        Vec3 missing = Vec3::Zero();                                            // push without the rounding of products
        Mat3 moment = Mat3::Zero();
        Whole operator+(const Whole& o) const {
            return {mass + o.mass,     place + o.place,     push + o.push,
                    torque + o.torque, missing + o.missing, moment + o.moment};
        }
    };
    for (const PointGroup& group : groups_) {
        const std::size_t first = group.first, count = group.last - first;
        const bool is_held = std::any_of(held.begin(), held.end(),
                                         [&](const HeldPoint& h) { return h.point >= first && h.point < group.last; });
        if (is_held || count == 0) continue;
        const Vec3 origin = state.position[first];
        const Whole body = parallel_sum(count, Whole(), [&](std::size_t k) -> Whole {
            const Vec3 x = state.position[first + k] - origin, &r = left_[first + k];
            const Real m = state.mass[first + k];
            return {m, m * x, r, x.cross(r), right_[first + k] - m * change_[first + k], m * x * x.transpose()};
        });
        const Vec3 centre = body.place / body.mass, shift = body.missing / body.mass;
        const Mat3 moment = body.moment - body.mass * centre * centre.transpose();
        const Mat3 inertia = moment.trace() * Mat3::Identity() - moment;
        const Vec3 turn = pseudo_inverse(inertia, least_inertia).inverse * (body.torque - centre.cross(body.push));
        parallel_for(count, [&](std::size_t k) {
            change_[first + k] += shift + turn.cross(state.position[first + k] - origin - centre);
        });
    }
}

void ElasticSolve::save(Snapshot& snapshot) const {
    for (const auto& [name, array] : {std::pair("sph.acceleration", &acceleration_), std::pair("sph.guess", &guess_)}) {
        std::vector<Vec3> rows;
        for (const Eigen::Vector3f& row : *array) rows.push_back(row.cast<Real>());
        snapshot.put(name, rows);
    }
    if (may_touch()) contacts_.save(snapshot);
    if (settings_.elasticity != "prefactored") return;
    snapshot.put_real("sph.prefactored.dt", prefactored_.basis().dt);
    std::vector<Real> moduli;
    for (const Moduli& m : prefactored_.basis().moduli) moduli.insert(moduli.end(), {m.mu, m.lambda});
    snapshot.put("sph.prefactored.moduli", moduli);
}

void ElasticSolve::restore(const Snapshot& snapshot) {
    for (const auto& [name, array] : {std::pair("sph.acceleration", &acceleration_), std::pair("sph.guess", &guess_)}) {
        std::vector<Vec3> rows;
        snapshot.get(name, rows);
        if (rows.size() != array->size()) throw InputError("the checkpoint's accelerations do not fit its particles");
        for (std::size_t i = 0; i < rows.size(); ++i) (*array)[i] = rows[i].cast<float>();
    }
    rest_changed();
    if (may_touch()) contacts_.restore(snapshot);
    if (settings_.elasticity != "prefactored") return;
    PrefactoredOperator::Basis basis{snapshot.get_real("sph.prefactored.dt"), {}};
    std::vector<Real> moduli;
    snapshot.get("sph.prefactored.moduli", moduli);
    if (moduli.size() != (basis.dt > 0 ? 2 * model_.materials.size() : 0)) {
        throw InputError("the checkpoint's factored matrix does not fit the scene's materials");
    }
    for (std::size_t k = 0; k < moduli.size(); k += 2) basis.moduli.push_back({moduli[k], moduli[k + 1]});
    prefactored_.set_basis(std::move(basis));
}

std::size_t ElasticSolve::bytes() const {
    return preconditioner_.bytes() + prefactored_.bytes() + stiffness_.capacity() * (3 * sizeof(Mat3) + 16) +
           ((stiffness_.empty() ? 6 : 7) * right_.capacity() + 4 * force_.capacity() + by_grid_.capacity()) *
               sizeof(Vec3) +
           contacts_.bytes();
}

}  // namespace pliant
