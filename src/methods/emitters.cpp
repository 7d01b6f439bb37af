#include "pliant/methods/emitters.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "pliant/base/error.h"
#include "pliant/base/random.h"

namespace pliant {
namespace {

constexpr Real rounding = 1e-9;  // of a step, by which times that should be alike may differ

// Square sites around the middle of the opening, each at least half a spacing within it; at least one.
std::vector<Vec3> sites_in_opening(const EmitterSettings& settings, Real spacing) {
    const Real half_x = settings.radius ? *settings.radius : settings.size.at(0) / 2;
    const Real half_z = settings.radius ? *settings.radius : settings.size.at(1) / 2;
    const auto count = [&](Real half) { return std::max<std::int64_t>(1, std::int64_t(2 * half / spacing + 1e-6)); };
    std::vector<Vec3> sites;
    for (std::int64_t k = 0; k < count(half_z); ++k) {
        for (std::int64_t i = 0; i < count(half_x); ++i) {
            const Vec3 site(spacing * (Real(i) - Real(count(half_x) - 1) / 2), 0,
                            spacing * (Real(k) - Real(count(half_z) - 1) / 2));
            if (settings.radius && site.norm() > *settings.radius - spacing * (0.5 - 1e-6)) continue;
            sites.push_back(settings.place().to_world(site));
        }
    }
    if (sites.empty()) sites.push_back(settings.position);
    return sites;
}

}  // namespace

Emitters::Emitters(const Model& model) {
    for (const EmitterModel& emitter : model.emitters) {
        const EmitterSettings& settings = emitter.settings;
        const BodyModel& body = model.bodies[emitter.body];
        Outlet outlet;
        outlet.body = static_cast<std::uint32_t>(emitter.body);
        outlet.spacing = body.spacing;
        outlet.mass = model.material_of(emitter.body).density * cube(body.spacing);
        outlet.shaken = emitter.is_shaken ? body.spacing / 2 : 0;
        outlet.start = settings.start;
        outlet.end = settings.end;
        outlet.along = settings.place().rotation * Vec3(0, -1, 0);
        outlet.sites = sites_in_opening(settings, body.spacing);
        // By the area that the sites stand for, so that a rate is exact.
        outlet.speed =
            settings.rate ? *settings.rate / (Real(outlet.sites.size()) * square(body.spacing)) : *settings.speed;
        outlets_.push_back(std::move(outlet));
    }
    next_.assign(outlets_.size(), 0);
}

std::size_t Emitters::emit(ParticleState& state, Real time, Real dt) {
    const std::size_t before = state.size();
    for (std::size_t e = 0; e < outlets_.size(); ++e) {
        const Outlet& outlet = outlets_[e];
        const Real until =
            std::min(time + (1 - rounding) * dt, outlet.end);  // a layer at the very end is the next step's
        for (; outlet.time_of(next_[e]) < until; ++next_[e]) {
            const Vec3 behind = outlet.speed * (outlet.time_of(next_[e]) - time) * outlet.along;
            Random random(e, next_[e]);
            const auto shake = [&] { return outlet.shaken * (2 * Real(random.fraction()) - 1); };
            std::size_t i = state.append(outlet.sites.size());
            for (const Vec3& site : outlet.sites) {
                state.body[i] = outlet.body;
                state.position[i] = site - behind;
                if (outlet.shaken > 0) {
                    for (int a = 0; a < 3; ++a) state.position[i][a] += shake();
                }
                state.velocity[i] = outlet.speed * outlet.along;
                state.mass[i] = outlet.mass;
                state.rest_volume[i] = cube(outlet.spacing);
                ++i;
            }
        }
    }
    return state.size() - before;
}

std::size_t Emitters::count_until(Real time) const {
    Real count = 0;
    for (const Outlet& outlet : outlets_) {
        const Real open = std::min(time, outlet.end) - outlet.start;
        if (open > 0) count += std::ceil(open * outlet.speed / outlet.spacing) * Real(outlet.sites.size());
    }
    return static_cast<std::size_t>(std::min(count, 1e18));
}

void Emitters::save(Snapshot& snapshot) const {
    snapshot.put("emitters.next", next_);
}

void Emitters::restore(const Snapshot& snapshot) {
    std::vector<std::uint64_t> next;
    snapshot.get("emitters.next", next);
    if (next.size() != outlets_.size()) {
        throw InputError(fmt::format("the checkpoint holds {} emitters and the scene {}: the scene has changed",
                                     next.size(), outlets_.size()));
    }
    next_ = std::move(next);
}

}  // namespace pliant
