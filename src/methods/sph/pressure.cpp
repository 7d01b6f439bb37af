#include "pliant/methods/sph/pressure.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "pliant/base/error.h"
#include "pliant/base/parallel.h"
#include "pliant/methods/sph/quads.h"

namespace pliant {
namespace {

constexpr Real first_length = 0.5;  // as of Jacobi's method
constexpr Real shortest = 0.1, longest = 20;
constexpr Real growth = 3;  // of the error since its least, after which a step is no longer than the first
// What is too dense comes apart in so many seconds. Solids sooner: they rub and stand on what their contacts bear.
constexpr float coming_apart_of_solids = 5e-3f, coming_apart_of_liquids = 2e-2f;
constexpr Real tolerance_time = 1e-2;     // s, in which the tolerance may come about
constexpr Real most_behind = 30;          // what a single particle may miss, over the mean,
constexpr int patience = 20;              // unless so many steps do not help it: it may be caught between obstacles
constexpr float held_share = 0.01f;       // of what a particle's pressure moves: less, where it is held, is nothing
constexpr float least_pressure = 1e-12f;  // Pa; what halves from step to step would end as numbers that are slow

inline float sum_xyz(Float8 v) {
    const Float8 s = sum_quads(v);
    return s[0] + s[1] + s[2];
}

}  // namespace

void PressureSolver::prepare(const ParticleState& state, std::vector<float> at_rest) {
    solids_ = std::size_t(std::find(at_rest.begin(), at_rest.end(), 0.0f) - at_rest.begin());
    at_rest.resize(solids_);
    at_rest.shrink_to_fit();
    most_ = std::move(at_rest);
    for (float& d : most_) d = std::max(d, 1.0f);
    crowded_.clear();
    p_.assign(state.size(), 0);
    pushed_.assign(solids_, Eigen::Vector3f::Zero());
}

void PressureSolver::accept_crowding(std::size_t i, const NearRows& rows) {
    const auto d = static_cast<float>(rows.density(i));
    if (!rows.sees_samples(i) || !(d > most_[i])) return;
    crowded_.emplace_back(static_cast<std::uint32_t>(i), most_[i]);
    most_[i] = d;
}

void PressureSolver::follow_crowding(const NearRows& rows) {
    for (const auto& [i, usual] : crowded_) {
        most_[i] = std::max(usual, std::min(most_[i], static_cast<float>(rows.density(i))));
    }
}

void PressureSolver::append(std::size_t count) {
    p_.resize(p_.size() + count, 0.0f);
}

void PressureSolver::begin(const ParticleState& state, const NearRows& rows, const Boundary& boundary, Real dt) {
    const std::size_t n = state.size(), points = rows.points();
    for (auto* array : {&mobility_, &source_, &diagonal_, &left_}) array->resize(n);
    resize_discarding(motion_, 4 * points);
    parallel_for(points, [&](std::size_t i) {
        const Vec3& v = i < n ? state.velocity[i] : boundary.velocity()[i - n];
        float* m = &motion_[4 * i];
        m[0] = float(v.x()), m[1] = float(v.y()), m[2] = float(v.z());
        float share = 0;
        if (i < n) {
            mobility_[i] = state.pin[i] == no_pin ? float(state.rest_volume[i] / state.mass[i]) : 0.0f;
            share = mobility_[i] / float(state.rest_volume[i]);
        }
        m[3] = share;
    });
    const float step = float(dt);
    const float* place = rows.place().data();
    parallel_for(n, [&](std::size_t i) {
        const Float8 x = repeat_quad(place + 4 * i), v = repeat_quad(&motion_[4 * i]);
        Float8 gradient(0.0f), approach(0.0f), others(0.0f);
        rows.each_two(i, [&](std::size_t j, std::size_t k, Float8 slopes) {
            const Float8 m = load_quads(motion_.data(), j, k), e = (x - load_quads(place, j, k)) * slopes;
            gradient += e;
            approach = simd::fma(e, v - m, approach);
            others = simd::fma(e * e, spread_lane<3>(m), others);
        });
        const float d = float(rows.density(i)), V = float(state.rest_volume[i]);
        const Float8 g = sum_quads(gradient);
        const float g2 = g[0] * g[0] + g[1] * g[1] + g[2] * g[2];
        diagonal_[i] = -step * step / (d * d) * (mobility_[i] * g2 + V * sum_xyz(others));
        const float overlap = std::max(0.0f, d - most(i));
        const float kept =
            overlap * (1 - std::min(1.0f, step / (i < solids_ ? coming_apart_of_solids : coming_apart_of_liquids)));
        source_[i] = most(i) + kept - d - step * sum_xyz(approach);
        // What does not yield has no pressure of its own, as boundary samples have none.
        const bool has_none = !(mobility_[i] > 0) || !(std::abs(diagonal_[i]) > 1e-30f);
        if (has_none) p_[i] = 0, diagonal_[i] = 0;
    });
}

// A particle's own pressure moves it nowhere where a limit stops it. If then it moves nothing at all, it has none, for
// it would grow without end.
void PressureSolver::hold(const NearRows& rows, std::span<const AccelerationLimit> limits, Real dt) {
    for (std::size_t k = 0; k < limits.size();) {
        const std::size_t i = limits[k].particle;
        Eigen::Vector3f gradient = Eigen::Vector3f::Zero();
        const float* place = rows.place().data();
        const Eigen::Map<const Eigen::Vector3f> x(place + 4 * i);
        rows.each(i, [&](std::size_t j, float slope) {
            gradient += slope * (x - Eigen::Map<const Eigen::Vector3f>(place + 4 * j));
        });
        const float before = gradient.squaredNorm();
        for (; k < limits.size() && limits[k].particle == i; ++k) {
            if (limits[k].is_reached) gradient -= std::max(0.0f, gradient.dot(limits[k].normal)) * limits[k].normal;
        }
        const float step = float(dt) / float(rows.density(i)), full = diagonal_[i];
        diagonal_[i] += step * step * mobility_[i] * (before - gradient.squaredNorm());
        if (!(diagonal_[i] < held_share * full)) p_[i] = 0, diagonal_[i] = 0;
    }
}

// a from p, into motion_.
void PressureSolver::accelerate(NearRows& rows, const Boundary& boundary, std::span<AccelerationLimit> limits) {
    const std::size_t n = rows.particles();
    float* place = rows.place().data();
    parallel_for(rows.points(), [&](std::size_t i) { place[4 * i + 3] = i < n ? strength(i, rows) : 0.0f; });
    parallel_for(n, [&](std::size_t i) {
        const Float8 x = repeat_quad(place + 4 * i), own = spread_lane<3>(x);
        Float8 sum(0.0f);
        rows.each_two(i, [&](std::size_t j, std::size_t k, Float8 slopes) {
            const Float8 other = load_quads(place, j, k), weight = (spread_lane<3>(other) + own) * slopes;
            sum = simd::fma(x - other, weight, sum);
        });
        const Float8 f = sum_quads(sum) * Float8(-mobility_[i]);
        float* a = &motion_[4 * i];
        a[0] = f[0], a[1] = f[1], a[2] = f[2], a[3] = 0;
    });
    for (AccelerationLimit& limit : limits) {
        Eigen::Map<Eigen::Vector3f> a(&motion_[4 * std::size_t(limit.particle)]);
        limit.given = std::max(0.0f, limit.least - a.dot(limit.normal));
        a += limit.given * limit.normal;
    }
    if (!boundary.rigids().empty()) push_rigids(rows, boundary);
}

// Forces on rigid bodies, and what they make of their samples' motion.
void PressureSolver::push_rigids(const NearRows& rows, const Boundary& boundary) {
    const RigidBodies& rigids = boundary.rigids();
    const std::size_t n = rows.particles(), bodies = rigids.size(), blocks = block_count(n, default_block);
    partial_.assign(blocks * bodies, Push{});
    const float* place = rows.place().data();
    parallel_blocks(n, default_block, [&](std::size_t begin, std::size_t end) {
        Push* push = &partial_[begin / default_block * bodies];
        for (std::size_t i = begin; i < end; ++i) {
            if (!(p_[i] > 0)) continue;
            const float* x = place + 4 * i;
            const Real strength = volume_[i] * Real(x[3]);
            rows.each_sample(i, [&](std::size_t b, float slope) {
                const std::uint32_t body = boundary.rigid(b);
                if (body == Boundary::no_rigid) return;
                const float* other = place + 4 * (n + b);
                const Vec3 force =
                    strength * Real(slope) * Vec3(x[0] - other[0], x[1] - other[1], x[2] - other[2]);  // on the body
                push[body].force += force;
                push[body].torque += (boundary.position()[b] - rigids.centre_of_mass(body)).cross(force);
            });
        }
    });
    pushes_.assign(bodies, Push{});
    for (std::size_t k = 0; k < partial_.size(); ++k) {
        pushes_[k % bodies].force += partial_[k].force;
        pushes_[k % bodies].torque += partial_[k].torque;
    }
    std::vector<Vec3> turn(bodies);
    for (std::size_t r = 0; r < bodies; ++r) turn[r] = rigids.inverse_inertia(r) * pushes_[r].torque;
    parallel_for(boundary.size(), [&](std::size_t b) {
        const std::uint32_t body = boundary.rigid(b);
        if (body == Boundary::no_rigid) return;
        const Vec3 a = pushes_[body].force / rigids.mass(body) +
                       turn[body].cross(boundary.position()[b] - rigids.centre_of_mass(body));
        float* to = &motion_[4 * (n + b)];
        to[0] = float(a.x()), to[1] = float(a.y()), to[2] = float(a.z()), to[3] = 0;
    });
}

void PressureSolver::reorder(std::span<const std::uint32_t> order) {
    const std::vector<float> old = p_;
    for (std::size_t k = 0; k < order.size(); ++k) p_[k] = old[order[k]];
}

// What the accelerations leave, into left_. Pressure that pushes apart is as wrong as too little.
PressureSolver::Progress PressureSolver::measure(const NearRows& rows, Real dt) {
    const float step2 = float(dt * dt);
    const float* place = rows.place().data();
    const auto measure_particle = [&](std::size_t i) -> Progress {
        if (diagonal_[i] == 0) return {};
        const Float8 x = repeat_quad(place + 4 * i), a = repeat_quad(&motion_[4 * i]);
        Float8 sum(0.0f);
        rows.each_two(i, [&](std::size_t j, std::size_t k, Float8 slopes) {
            const Float8 e = (x - load_quads(place, j, k)) * slopes;
            sum = simd::fma(e, a - load_quads(motion_.data(), j, k), sum);
        });
        const float left = source_[i] - step2 * sum_xyz(sum);  // below zero: too dense
        const double s = double(p_[i]) - double(before_[i]), y = double(left) - double(left_[i]), D = -diagonal_[i];
        left_[i] = left;
        const float behind = std::max(0.0f, -left);
        const bool counts = p_[i] > 0 || left < 0;
        const double error = p_[i] > 0 ? std::abs(left) : behind;
        return {counts ? error : 0.0, counts, behind, s * y, s * D * s, y / D * y};
    };
    return parallel_reduce(rows.particles(), Progress{}, measure_particle, [](const Progress& a, const Progress& b) {
        return Progress{a.error + b.error, a.count + b.count, std::max(a.worst, b.worst),
                        a.sy + b.sy,       a.ss + b.ss,       a.yy + b.yy};
    });
}

void PressureSolver::change_pressure(Real length) {
    const float l = float(length);
    parallel_for(p_.size(), [&](std::size_t i) {
        before_[i] = p_[i];
        if (diagonal_[i] == 0) return;
        const float p = p_[i] + l * left_[i] / diagonal_[i];
        p_[i] = p > least_pressure ? p : 0;
    });
}

// Returns how many particles are pushed by what is no particle.
std::size_t PressureSolver::finish(ParticleState& state, const NearRows& rows,
                                   std::span<const AccelerationLimit> limits, Real dt) {
    const std::size_t n = rows.particles();
    const float* place = rows.place().data();
    std::size_t contacts = parallel_sum(n, std::size_t(0), [&](std::size_t i) -> std::size_t {
        const float* a = &motion_[4 * i];
        state.velocity[i] += dt * Vec3(a[0], a[1], a[2]);
        const bool is_solid = i < solids_;
        if (is_solid) pushed_[i].setZero();
        if (!(p_[i] > 0) || !rows.sees_samples(i)) return 0;
        if (!is_solid) return 1;
        Vec3 sum = Vec3::Zero();
        const float* x = place + 4 * i;
        rows.each_sample(i, [&](std::size_t b, float slope) {
            const float* sample = place + 4 * (n + b);
            sum += Real(slope) * Vec3(x[0] - sample[0], x[1] - sample[1], x[2] - sample[2]);
        });
        pushed_[i] = (-dt * Real(mobility_[i]) * Real(x[3]) * sum).cast<float>();
        return sum != Vec3::Zero();
    });
    for (const AccelerationLimit& limit : limits) {
        const std::size_t i = limit.particle;
        if (!(limit.given > 0)) continue;
        contacts += !(p_[i] > 0) || !rows.sees_samples(i);
        if (i < solids_) pushed_[i] += float(dt) * limit.given * limit.normal;
    }
    return contacts;
}

PressureReport PressureSolver::solve(ParticleState& state, NearRows& rows, const Boundary& boundary,
                                     std::span<AccelerationLimit> limits, Real dt, Real tolerance,
                                     int most_iterations) {
    volume_ = state.rest_volume;
    begin(state, rows, boundary, dt);
    hold(rows, limits, dt);
    // The velocities are no longer needed; boundary samples do not yield.
    parallel_for(rows.points() - rows.particles(), [&](std::size_t k) {
        std::fill_n(motion_.begin() + std::ptrdiff_t(4 * (rows.particles() + k)), 4, 0.0f);
    });
    before_ = p_;
    const Real allowed = tolerance * std::min(Real(1), dt / tolerance_time);
    PressureReport report;
    Real least = std::numeric_limits<Real>::infinity();
    while (true) {
        accelerate(rows, boundary, limits);
        const Progress now = measure(rows, dt);
        report.error = now.count == 0 ? 0 : now.error / Real(now.count);
        const bool is_done =
            report.error <= allowed && (now.worst <= most_behind * allowed || report.iterations >= patience);
        if (is_done || report.iterations >= most_iterations) break;
        // Two lengths, in turn: the longer one is for what is left of smooth changes, the shorter one for rough ones.
        Real length = first_length;
        if (now.sy > 0)
            length = std::clamp(report.iterations % 2 ? now.ss / now.sy : now.sy / now.yy, shortest, longest);
        if (report.error > growth * least) length = std::min(length, first_length), least = report.error;
        least = std::min(least, report.error);
        change_pressure(length);
        ++report.iterations;
    }
    report.contacts = finish(state, rows, limits, dt);
    return report;
}

Real PressureSolver::pressure(std::size_t i, const NearRows& rows) const {
    if (i >= rows.particles() || !(p_[i] > 0)) return 0;
    const auto place = rows.place();
    const auto at = [&](std::size_t k) { return Vec3(place[4 * k], place[4 * k + 1], place[4 * k + 2]); };
    Real sum = 0;
    rows.each(i, [&](std::size_t j, float slope) { sum -= Real(slope) * (at(i) - at(j)).squaredNorm(); });
    return p_[i] * sum / 3 / square(rows.density(i));
}

void PressureSolver::save(Snapshot& snapshot) const {
    snapshot.put("sph.pressure", std::vector<double>(p_.begin(), p_.end()));
    std::vector<std::uint32_t> particles;
    std::vector<double> densities;
    for (const auto& [i, usual] : crowded_) {
        particles.push_back(i);
        densities.push_back(most_[i]);
    }
    snapshot.put("sph.crowded", particles);
    snapshot.put("sph.crowding", densities);
}

void PressureSolver::restore(const Snapshot& snapshot) {
    std::vector<double> p;
    snapshot.get("sph.pressure", p);
    if (p.size() < p_.size()) throw InputError("the checkpoint's pressures do not fit its particles");
    append(p.size() - p_.size());
    std::copy(p.begin(), p.end(), p_.begin());
    for (const auto& [i, usual] : crowded_) most_[i] = usual;
    crowded_.clear();
    std::vector<std::uint32_t> particles;
    std::vector<double> densities;
    snapshot.get("sph.crowded", particles);
    snapshot.get("sph.crowding", densities);
    const bool fits = particles.size() == densities.size() &&
                      std::all_of(particles.begin(), particles.end(), [&](std::uint32_t i) { return i < solids_; });
    if (!fits) throw InputError("the checkpoint's crowded particles are not those of the scene");
    for (std::size_t k = 0; k < particles.size(); ++k) {
        const std::uint32_t i = particles[k];
        crowded_.emplace_back(i, most_[i]);
        most_[i] = static_cast<float>(densities[k]);
    }
}

std::size_t PressureSolver::bytes() const {
    return (6 * p_.capacity() + most_.capacity()) * 4 + crowded_.capacity() * sizeof(crowded_[0]) +
           pushed_.capacity() * sizeof(pushed_[0]);
}

}  // namespace pliant
