// The ways between particles and grid: mass and momentum of particles, and of what pins drive, to the nodes; velocities
// and their gradients back, by which particles move, deform and flow; and the damping that these ways do.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "pliant/base/error.h"
#include "pliant/base/parallel.h"
#include "pliant/methods/mpm/fang2019.h"
#include "pliant/methods/mpm/transfers.h"
#include "pliant/methods/obstacles.h"

namespace pliant {
namespace {

constexpr Real most_transfers = 1000;  // of a step: more of them are a slip of the pen

}  // namespace

void Fang2019::particles_to_grid(const ParticleState& state, Real dt) {
    momentum_to_grid(state, is_implicit() ? 0 : dt, dt * model_.gravity);
}

// m_i = sum_p w_ip m_p,   (m v)_i = sum_p w_ip (m_p (v_p + C_p d_ip) - dt V_p 4/h^2 tau_p d_ip) + m_i gained
void Fang2019::momentum_to_grid(const ParticleState& state, Real dt_of_stress, const Vec3& gained) {
    const std::size_t n = grid_.node_count();
    const Real h = grid_.cell(), affine = 4 / square(h);
    mass_.assign(n + 1, 0);
    velocity_.assign(n + 1, Vec3::Zero());
    grid_.each_block_apart([&](std::size_t b) {
        SparseGrid::Window window;
        window.fill(NodeVector(0.0));
        const auto& home = grid_.home(b);
        for (std::size_t k = home.first; k < home.last; ++k) {
            const std::uint32_t p = grid_.particle(k);
            if (p == SparseGrid::nobody) continue;
            const Real m = state.mass[p];
            Mat3 B = m * matter_.affine[p];
            if (dt_of_stress > 0) B -= dt_of_stress * state.rest_volume[p] * affine * matter_.stress[p];
            const SparseGrid::Place& place = grid_.place(k);
            scatter({node_vector(m * state.velocity[p], m), node_vector(B.col(0)), node_vector(B.col(1)),
                     node_vector(B.col(2))},
                    window, place, PlaceWeights(place, h));
        }
        grid_.each_window_node(b, [&](std::size_t i, std::uint32_t node) {
            mass_[node] += window[i][3];
            velocity_[node] += first_three(window[i]);
        });
    });
    // A particle on the edge of its reach gives its outermost nodes nothing at all.
    parallel_for(n, [&](std::size_t i) {
        velocity_[i] = mass_[i] > 0 ? Vec3(velocity_[i] / mass_[i] + gained) : Vec3(Vec3::Zero());
    });
}

// Transfers that take the symmetric part of C away are a viscosity of h^2 / 8 dt [Fang19]; less of it, or more of them,
// are any other.
Fang2019::Damping Fang2019::damping_of(Real dt) const {
    const Real transfers = 8 * dt * settings_.damping / square(grid_.cell()), whole = std::ceil(transfers);
    if (whole > most_transfers) {
        throw InputError(fmt::format(
            "mpm.damping = {:.3g} m^2/s takes {:.3g} round trips to the grid in a step of {:.3g} s: set it to at most "
            "{:.3g}",
            settings_.damping, whole, dt, settings_.damping * most_transfers / transfers));
    }
    return {std::max(0, int(whole) - 1), whole > 0 ? transfers / whole : 0};
}

// Round trips to the grid and back, in which nothing moves.
void Fang2019::damp(ParticleState& state, Real dt) {
    const auto [trips, lost] = damping_of(dt);
    const Real h = grid_.cell(), affine = 4 / square(h);
    for (int k = 0; k < trips; ++k) {
        momentum_to_grid(state, 0, Vec3::Zero());
        grid_.each_block([&](std::size_t b) {
            SparseGrid::Window window;
            grid_.load(b, velocity_, window);
            const auto& home = grid_.home(b);
            for (std::size_t place = home.first; place < home.last; ++place) {
                const std::uint32_t p = grid_.particle(place);
                if (p == SparseGrid::nobody || state.pin[p] != no_pin) continue;
                const Moments m = gather(window, grid_.place(place), PlaceWeights(grid_.place(place), h));
                const Mat3 C = affine_of(m, affine);
                state.velocity[p] = first_three(m.sum);
                matter_.affine[p] = C - lost * stretching(C, state.deformation[p]);
            }
        });
    }
}

// The grid's share of pinned particles, which go where their pins go.
void Fang2019::drive_pins(const ParticleState& state, Real time, Real dt) {
    const Real h = grid_.cell();
    const auto poses = poses_of(model_.pins, time, dt);
    driven_.assign(grid_.node_count() + 1, NodeVector(0.0));
    grid_.each_block_apart([&](std::size_t b) {
        SparseGrid::Window window;
        window.fill(NodeVector(0.0));
        const auto& home = grid_.home(b);
        bool is_any = false;
        for (std::size_t k = home.first; k < home.last; ++k) {
            const std::uint32_t p = grid_.particle(k);
            if (p == SparseGrid::nobody || state.pin[p] == no_pin) continue;
            is_any = true;
            const PosePair& pose = poses[std::size_t(state.pin[p])];
            const Real m = state.mass[p];
            const Vec3 v = carried_velocity(state.position[p], pose.now, pose.next, dt);
            Mat3 B = m * carried_gradient(pose.now, pose.next, dt);
            if (is_at_rest_) B *= state.deformation[p];
            const SparseGrid::Place& place = grid_.place(k);
            scatter({node_vector(m * v, m), node_vector(B.col(0)), node_vector(B.col(1)), node_vector(B.col(2))},
                    window, place, PlaceWeights(place, h));
        }
        if (!is_any) return;
        grid_.each_window_node(b, [&](std::size_t i, std::uint32_t node) { driven_[node] += window[i]; });
    });
}

// x_i = sum_p w_ip m_p (x_p + F_p d_ip) / m_i
void Fang2019::find_node_positions(const ParticleState& state) {
    const Real h = grid_.cell();
    node_positions_.assign(grid_.node_count() + 1, Vec3::Zero());
    grid_.each_block_apart([&](std::size_t b) {
        SparseGrid::Window window;
        window.fill(NodeVector(0.0));
        const auto& home = grid_.home(b);
        for (std::size_t k = home.first; k < home.last; ++k) {
            const std::uint32_t p = grid_.particle(k);
            if (p == SparseGrid::nobody) continue;
            const Real m = state.mass[p];
            const Mat3 F = m * state.deformation[p];
            const SparseGrid::Place& place = grid_.place(k);
            scatter({node_vector(m * state.position[p]), node_vector(F.col(0)), node_vector(F.col(1)),
                     node_vector(F.col(2))},
                    window, place, PlaceWeights(place, h));
        }
        grid_.add(b, window, node_positions_);
    });
    parallel_for(grid_.node_count(),
                 [&](std::size_t i) { node_positions_[i] /= std::max(mass_[i], std::numeric_limits<Real>::min()); });
}

void Fang2019::grid_to_particles(ParticleState& state, Real time, Real dt, StepReport& report) {
    const Real h = grid_.cell(), affine = 4 / square(h);
    const auto pins = poses_of(model_.pins, time, dt);
    const auto obstacles = poses_of(model_.colliders, time, dt);
    const Real symmetric_lost = damping_of(dt).lost;
    counts_.assign(grid_.block_count(), 0);
    matter_.affine.resize(state.size());
    grid_.each_block([&](std::size_t b) {
        SparseGrid::Window window, travel;
        grid_.load(b, velocity_, window);
        if (!travel_.empty()) grid_.load(b, travel_, travel);
        const auto& home = grid_.home(b);
        int flowing = 0;
        for (std::size_t k = home.first; k < home.last; k += 4) {
            const Quartet q(grid_, k);
            const FourWeights weights(&grid_.place(k), h);
            const WideMoments m = gather_four(window, weights);
            const WideMoments way = travel_.empty() ? m : gather_four(travel, weights);
            const WideMatrix C = m.product * Double4(affine);
            flowing += matter_.advance(q, way.product * Double4(affine), dt, !is_implicit(), state);
            for (int lane = 0; lane < 4; ++lane) {
                if (!q.is_there[lane]) continue;
                const std::uint32_t p = q.particle[lane];
                Vec3 v(m.sum.x[lane], m.sum.y[lane], m.sum.z[lane]);
                Mat3 c = lane_of(C, lane);
                if (state.pin[p] != no_pin) {
                    const PosePair& pose = pins[std::size_t(state.pin[p])];
                    v = carried_velocity(state.position[p], pose.now, pose.next, dt);
                    c = carried_gradient(pose.now, pose.next, dt);
                    if (is_at_rest_) c *= state.deformation[p];
                }
                if (symmetric_lost > 0) c -= symmetric_lost * stretching(c, state.deformation[p]);
                if (state.pin[p] == no_pin) {
                    v = kept_out(state, p, v, obstacles, dt);
                    const Vec3 moved(way.sum.x[lane], way.sum.y[lane], way.sum.z[lane]);
                    state.position[p] += dt * (travel_.empty() ? v : kept_out(state, p, moved, obstacles, dt));
                } else {
                    state.position[p] += dt * v;
                }
                state.velocity[p] = v;
                matter_.affine[p] = c;
            }
        }
        counts_[b] = flowing;  // once: its neighbours are other threads'
    });
    for (const int count : counts_) report.yielding += std::size_t(count);
}

// The symmetric part of a velocity gradient, seen from rest if it was.
Mat3 Fang2019::stretching(const Mat3& C, const Mat3& F) const {
    if (!is_at_rest_) return (C + C.transpose()) / 2;
    const Mat3 L = C * F.inverse();
    return (L + L.transpose()) / 2 * F;
}

// Nodes hold matter within a cell of a surface. What is deeper has slipped between them: it goes no further.
Vec3 Fang2019::kept_out(const ParticleState& state, std::size_t p, Vec3 v, std::span<const PosePair> poses,
                        Real dt) const {
    for (std::size_t c = 0; c < model_.colliders.size(); ++c) {
        auto near = approach(model_.colliders[c], poses[c], 0, state.position[p], v, dt);
        if (!near) continue;
        near->now.distance += grid_.cell();
        near->next.distance += grid_.cell();
        v = resolve_contact({ContactMode::separate, 0}, near->now, near->next, 0, v, dt).velocity;
    }
    return v;
}

}  // namespace pliant
