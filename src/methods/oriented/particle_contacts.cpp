#include "pliant/methods/oriented/particle_contacts.h"

#include <algorithm>
#include <bit>

#include "pliant/base/parallel.h"
#include "pliant/contact/collider.h"
#include "pliant/geometry/ellipsoid.h"
#include "pliant/geometry/neighbours.h"

namespace pliant {
namespace {

constexpr Real margin = 0.05;  // in the largest radius: what the solver may move a particle by beside its own motion
constexpr Real longest_way =
    2;  // in the largest radius: what is faster passes through others, and finds no more of them
constexpr std::uint32_t most_colours = 64;
constexpr std::size_t contacts_a_task = 128;
constexpr std::size_t tasks_a_block = 4;
constexpr int contact_iterations = 2;  // of the exact contact: enough for radii of up to 1:2

using Wide = Float8Pair;

void set_shape(EllipsoidShape<Wide>& S, int lane, const Eigen::Matrix3f& m) {
    S.xx.set(lane, m(0, 0));
    S.yy.set(lane, m(1, 1));
    S.zz.set(lane, m(2, 2));
    S.yz.set(lane, m(2, 1));
    S.xz.set(lane, m(2, 0));
    S.xy.set(lane, m(1, 0));
}
Eigen::Vector3f lane_of(const WideVec3<Wide>& v, int lane) {
    return {v.x[lane], v.y[lane], v.z[lane]};
}

}  // namespace

void ParticleContacts::set_rest(const RestPose& rest, bool self_collision) {
    const std::size_t n = rest.size();
    radius_.resize(n);
    for (std::size_t i = 0; i < n; ++i) radius_[i] = rest.radii[i].maxCoeff();
    const Real largest = n ? *std::max_element(radius_.begin(), radius_.end()) : 0;
    margin_ = margin * largest;
    longest_way_ = longest_way * largest;
    boxes_.set_bodies(rest.bodies, rest.position, self_collision);
    if (!self_collision) return;
    for (const Link& link : rest.links) boxes_.exclude(link.a, link.b);
    for (const RigidGroup& group : rest.groups) {
        for (const std::uint32_t i : group.particles) {
            for (const std::uint32_t j : group.particles) {
                if (i < j) boxes_.exclude(i, j);
            }
        }
    }
    NeighbourSearch search;
    NeighbourLists near;
    for (const BodyRange& body : rest.bodies) {
        if (body.size() == 0) continue;
        search.find(std::span(rest.position).subspan(body.first, body.size()), 2 * largest, near);
        for (std::size_t k = 0; k < body.size(); ++k) {
            const auto i = static_cast<std::uint32_t>(body.first + k);
            for (const std::uint32_t other : near[k]) {
                const auto j = static_cast<std::uint32_t>(body.first + other);
                if (j <= i) continue;
                const auto c =
                    ellipsoid_contact(Vec3(rest.position[j] - rest.position[i]), rest.shape(i), rest.shape(j));
                if (c.distance < c.touching) boxes_.exclude(i, j);
            }
        }
    }
}

void ParticleContacts::find(std::span<const Vec3> position, std::span<const Vec3> move,
                            std::span<const Eigen::Matrix3f> shape, const Vec3& origin, Real dt, Real friction) {
    boxes_.follow(position, move, shape, origin, float(margin_), float(longest_way_));
    const std::size_t blocks = block_count(boxes_.task_count(), tasks_a_block);
    if (found_.size() < blocks) found_.resize(blocks), pairs_.resize(blocks);
    for (auto& list : found_) list.clear();
    parallel_blocks(boxes_.task_count(), tasks_a_block, [&](std::size_t begin, std::size_t end) {
        std::vector<Pair>& pairs = pairs_[begin / tasks_a_block];
        pairs.clear();
        for (std::size_t task = begin; task < end; ++task) boxes_.list_pairs(task, pairs);
        const auto is_far = [&](const Pair& p) {
            const Real near = radius_[p.a] + radius_[p.b] + 2 * margin_ + Real(p.way.norm());
            return (position[p.b] - position[p.a]).squaredNorm() > square(near);
        };
        pairs.erase(std::remove_if(pairs.begin(), pairs.end(), is_far), pairs.end());
        for (std::size_t k = 0; k < pairs.size(); k += Wide::width) {
            const auto some = std::span(pairs).subspan(k, std::min<std::size_t>(Wide::width, pairs.size() - k));
            test(some, position, shape, dt, found_[begin / tasks_a_block]);
        }
    });
    contacts_.clear();
    for (const auto& list : found_) contacts_.insert(contacts_.end(), list.begin(), list.end());
    for (Contact& contact : contacts_) contact.friction = float(friction);
    sort_by_colour();
}

// A pair whose gap is larger than the step takes away from it is no contact. One that overlaps already comes
// apart gradually, as an obstacle would let it.
void ParticleContacts::test(std::span<const Pair> pairs, std::span<const Vec3> position,
                            std::span<const Eigen::Matrix3f> shape, Real dt, std::vector<Contact>& found) const {
    WideVec3<Wide> x12;
    EllipsoidShape<Wide> S1, S2;
    for (int l = 0; l < Wide::width; ++l) {
        const auto& [i, j, way] = pairs[std::min(std::size_t(l), pairs.size() - 1)];
        const Eigen::Vector3f d = (position[j] - position[i]).cast<float>();
        x12.x.set(l, d.x());
        x12.y.set(l, d.y());
        x12.z.set(l, d.z());
        set_shape(S1, l, shape[i]);
        set_shape(S2, l, shape[j]);
    }
    const EllipsoidContact<Wide> exact = ellipsoid_contact_fast(x12, S1, S2, contact_iterations);
    for (std::size_t k = 0; k < pairs.size(); ++k) {
        const int l = static_cast<int>(k);
        const auto& [i, j, way] = pairs[k];
        const Eigen::Vector3f normal = lane_of(exact.normal, l);
        const Real gap = -Real(exact.depth[l]);
        if (gap > std::max(0.0f, -normal.dot(way)) + 2 * margin_) continue;
        Contact c;
        c.a = i;
        c.b = j;
        c.normal = normal;
        c.arm_a = lane_of(exact.arm1, l);
        c.arm_b = lane_of(exact.arm2, l);
        c.offset = -c.normal.dot(c.arm_a - c.arm_b) - float(allowed_gap(gap, std::min(radius_[i], radius_[j]), dt));
        found.push_back(c);
    }
}

// The lowest colour that neither particle has; beyond the last colour each contact is one of its own.
void ParticleContacts::sort_by_colour() {
    used_.assign(radius_.size(), 0);
    colour_.resize(contacts_.size());
    colour_begin_.assign(most_colours + 2, 0);
    for (std::size_t k = 0; k < contacts_.size(); ++k) {
        const Contact& c = contacts_[k];
        const auto colour = static_cast<std::uint32_t>(std::countr_one(used_[c.a] | used_[c.b]));
        if (colour < most_colours) {
            used_[c.a] |= std::uint64_t(1) << colour;
            used_[c.b] |= std::uint64_t(1) << colour;
        }
        colour_[k] = colour;
        ++colour_begin_[colour + 1];
    }
    for (std::size_t c = 0; c + 1 < colour_begin_.size(); ++c) colour_begin_[c + 1] += colour_begin_[c];
    std::vector<std::uint32_t> at = colour_begin_;
    sorted_.resize(contacts_.size());
    for (std::size_t k = 0; k < contacts_.size(); ++k) sorted_[at[colour_[k]]++] = contacts_[k];
    contacts_.swap(sorted_);
}

void ParticleContacts::begin(const WorkingParticles& working, const ContactBodies& bodies) {
    parallel_for(contacts_.size(), [&](std::size_t k) { set_masses(contacts_[k], working, bodies); });
}

void ParticleContacts::sweep(WorkingParticles& working, const ContactBodies& bodies) {
    for (std::uint32_t colour = 0; colour <= most_colours; ++colour) {
        const std::size_t first = colour_begin_[colour], count = colour_begin_[colour + 1] - first;
        const std::size_t task = colour < most_colours ? contacts_a_task : std::max<std::size_t>(1, count);
        parallel_for(
            count, [&](std::size_t k) { push(contacts_[first + k], working, bodies); }, task);
    }
}

std::size_t ParticleContacts::bytes() const {
    return boxes_.bytes() + 2 * contacts_.capacity() * sizeof(Contact);
}

}  // namespace pliant
