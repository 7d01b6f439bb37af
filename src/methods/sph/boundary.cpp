#include "pliant/methods/sph/boundary.h"

#include <algorithm>
#include <cmath>

#include "pliant/base/parallel.h"
#include "pliant/geometry/neighbours.h"
#include "pliant/geometry/surface_sampling.h"
#include "pliant/math/kernels.h"

namespace pliant {
namespace {

constexpr Real crowding = 1.08;
constexpr Real hidden = 0.75;     // spacings below the surface of another obstacle
constexpr std::int64_t tile = 4;  // samples of a plane's lattice a side, taken together

// Rows and columns of tiles as one number that sorts by row, then column.
std::uint64_t tile_key(std::int64_t u, std::int64_t v) {
    constexpr std::int64_t middle = std::int64_t(1) << 31;
    return std::uint64_t(v + middle) << 32 | std::uint64_t(u + middle);
}
std::pair<std::int64_t, std::int64_t> tile_of(std::uint64_t key) {
    constexpr std::int64_t middle = std::int64_t(1) << 31;
    return {std::int64_t(key & 0xffffffffu) - middle, std::int64_t(key >> 32) - middle};
}

void sort_once(std::vector<std::uint64_t>& keys) {
    std::sort(keys.begin(), keys.end());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
}

}  // namespace

Boundary::Boundary(const Model& model, const RigidBodies& rigids, Real spacing, Real support)
    : model_(model), rigids_(rigids), spacing_(spacing), support_(support) {
    for (const Collider& collider : model.colliders) add_surface(collider.shape());
    for (std::size_t r = 0; r < rigids.size(); ++r) add_surface(rigids.shape(r));
}

void Boundary::add_surface(const Shape& shape) {
    Surface surface;
    if (!shape.is_bounded()) {
        surface.is_plane = true;
        const Vec3 n = shape.normal(Vec3::Zero());
        surface.origin = -(shape.distance(Vec3::Zero()) + spacing_ / 2) * n;
        int widest;
        n.cwiseAbs().maxCoeff(&widest);
        surface.along = spacing_ * (Vec3::Unit((widest + 1) % 3).cross(n)).normalized();
        surface.across = n.cross(surface.along);
        surfaces_.push_back(std::move(surface));
        return;
    }
    Real flat = 0;  // sum of W over a flat lattice of samples
    const int reach = static_cast<int>(std::ceil(support_ / spacing_));
    for (int u = -reach; u <= reach; ++u) {
        for (int v = -reach; v <= reach; ++v) flat += WendlandC2Kernel::value(spacing_ * std::hypot(u, v), support_);
    }
    surface.point = sample_surface(shape, spacing_, spacing_ / 2);
    surface.volume.resize(surface.point.size());
    NeighbourSearch search;
    NeighbourLists near;
    search.find(surface.point, support_, near);
    parallel_for(surface.point.size(), [&](std::size_t b) {
        Real sum = WendlandC2Kernel::value(0.0, support_);
        for (const std::uint32_t other : near[b]) {
            sum += WendlandC2Kernel::value((surface.point[b] - surface.point[other]).norm(), support_);
        }
        surface.volume[b] = plane_volume() * flat / sum;
    });
    surfaces_.push_back(std::move(surface));
}

Placement Boundary::placement(std::size_t surface, Real time) const {
    const std::size_t obstacles = model_.colliders.size();
    return surface < obstacles ? model_.colliders[surface].pose(time).placement
                               : rigids_.placement(surface - obstacles);
}

ContactRule Boundary::rule(std::size_t k) const {
    if (rigid(k) == no_rigid) return model_.colliders[surface_[k]].rule();
    return {ContactMode::separate, rigids_.friction(rigid(k))};
}

// What a particle of the lattice stands for, and a little more: liquids that have lost the order they began in would
// else creep closer than half a spacing. With this a basin's level stays within half a percent.
Real Boundary::plane_volume() const {
    return crowding * cube(spacing_);
}

void Boundary::choose(const ParticleState& state, Real time, Real reach) {
    for (auto* list : {&local_, &position_, &velocity_}) list->clear();
    volume_.clear();
    surface_.clear();
    Box box = bounds(state);
    if (!box.isEmpty()) {
        box.min().array() -= reach;
        box.max().array() += reach;
    }
    chosen_at_.clear();
    for (std::size_t c = 0; c < surfaces_.size(); ++c) {
        const Placement place = placement(c, time);
        chosen_at_.push_back(place);
        if (surfaces_[c].is_plane) {
            add_lattice(c, state, place, reach);
        } else {
            Box local;  // that holds the particles, in the shape's space
            for (int corner = 0; corner < 8 && !box.isEmpty(); ++corner) {
                local.extend(place.to_local(box.corner(static_cast<Box::CornerType>(corner))));
            }
            add_points(c, local);
        }
    }
    leave_out_hidden();
    position_.resize(local_.size());
    velocity_.resize(local_.size());
}

Box Boundary::moved(const Box& box, Real time) const {
    Box motion;
    for (std::size_t c = 0; c < chosen_at_.size() && !box.isEmpty(); ++c) {
        const Placement now = placement(c, time);
        for (int corner = 0; corner < 8; ++corner) {  // the motion is affine: largest at a corner
            const Vec3 x = box.corner(static_cast<Box::CornerType>(corner));
            motion.extend(x - chosen_at_[c].to_world(now.to_local(x)));
        }
    }
    return motion;
}

// Samples deep within another obstacle, such as those of a wall below the floor, would count twice what is there. Only
// among obstacles that stand still: what is hidden must not depend on when was chosen.
void Boundary::leave_out_hidden() {
    if (model_.colliders.size() < 2) return;
    const auto is_still = [&](std::size_t c) { return model_.colliders[c].motion().is_still(); };
    std::vector<MovingPose> poses;
    for (const Collider& collider : model_.colliders) poses.push_back(collider.pose(0));
    std::vector<std::uint8_t> is_hidden(local_.size(), 0);
    parallel_for(local_.size(), [&](std::size_t k) {
        if (rigid(k) != no_rigid || !is_still(surface_[k])) return;
        const Vec3 x = poses[surface_[k]].placement.to_world(local_[k]);
        for (std::size_t c = 0; c < poses.size() && !is_hidden[k]; ++c) {
            is_hidden[k] = c != surface_[k] && is_still(c) &&
                           model_.colliders[c].surface_at(x, poses[c]).distance < -hidden * spacing_;
        }
    });
    std::size_t kept = 0;
    for (std::size_t k = 0; k < local_.size(); ++k) {
        if (is_hidden[k]) continue;
        local_[kept] = local_[k], volume_[kept] = volume_[k], surface_[kept] = surface_[k];
        ++kept;
    }
    local_.resize(kept);
    volume_.resize(kept);
    surface_.resize(kept);
}

void Boundary::add_points(std::size_t number, const Box& near) {
    const Surface& surface = surfaces_[number];
    for (std::size_t b = 0; b < surface.point.size(); ++b) {
        if (!near.contains(surface.point[b])) continue;
        local_.push_back(surface.point[b]);
        volume_.push_back(surface.volume[b]);
        surface_.push_back(static_cast<std::uint32_t>(number));
    }
}

void Boundary::add_lattice(std::size_t number, const ParticleState& state, const Placement& place, Real reach) {
    const Surface& surface = surfaces_[number];
    const Vec3 n = surface.along.cross(surface.across).normalized();
    const Real side = spacing_ * Real(tile);
    std::vector<std::vector<std::uint64_t>> found(block_count(state.size(), default_block));
    parallel_blocks(state.size(), default_block, [&](std::size_t begin, std::size_t end) {
        std::vector<std::uint64_t>& keys = found[begin / default_block];
        for (std::size_t i = begin; i < end; ++i) {
            const Vec3 x = place.to_local(state.position[i]) - surface.origin;
            if (std::abs(x.dot(n)) > reach) continue;
            const Real u = x.dot(surface.along) / spacing_, v = x.dot(surface.across) / spacing_;
            if (!(std::abs(u) < 1e12 * spacing_ && std::abs(v) < 1e12 * spacing_)) continue;
            const auto tile_at = [&](Real w) { return static_cast<std::int64_t>(std::floor(w / side)); };
            for (std::int64_t b = tile_at(v - reach); b <= tile_at(v + reach); ++b) {
                for (std::int64_t a = tile_at(u - reach); a <= tile_at(u + reach); ++a) {
                    if (keys.empty() || keys.back() != tile_key(a, b)) keys.push_back(tile_key(a, b));
                }
            }
        }
        sort_once(keys);
    });
    std::vector<std::uint64_t> keys;
    for (const auto& some : found) keys.insert(keys.end(), some.begin(), some.end());
    sort_once(keys);
    for (const std::uint64_t key : keys) {
        const auto [a, b] = tile_of(key);
        for (std::int64_t v = tile * b; v < tile * (b + 1); ++v) {
            for (std::int64_t u = tile * a; u < tile * (a + 1); ++u) {
                local_.push_back(surface.origin + Real(u) * surface.along + Real(v) * surface.across);
                volume_.push_back(plane_volume());
                surface_.push_back(static_cast<std::uint32_t>(number));
            }
        }
    }
}

void Boundary::move(Real time, Real dt) {
    const auto poses = poses_of(model_.colliders, time, dt);
    parallel_for(local_.size(), [&](std::size_t k) {
        const std::uint32_t body = rigid(k);
        if (body == no_rigid) {
            const PosePair& pose = poses[surface_[k]];
            position_[k] = pose.now.placement.to_world(local_[k]);
            velocity_[k] = (pose.next.placement.to_world(local_[k]) - position_[k]) / dt;
        } else {
            position_[k] = rigids_.placement(body).to_world(local_[k]);
            velocity_[k] = rigids_.velocity_at(body, position_[k]) + dt * model_.gravity;
        }
    });
}

std::size_t Boundary::bytes() const {
    std::size_t total =
        chosen_at_.capacity() * sizeof(Placement) + local_.capacity() * (3 * sizeof(Vec3) + sizeof(Real) + 4);
    for (const Surface& surface : surfaces_) total += surface.point.capacity() * (sizeof(Vec3) + sizeof(Real));
    return total;
}

}  // namespace pliant
