#include "pliant/methods/oriented/particle_contacts.h"

#include <algorithm>
#include <bit>

#include "pliant/base/parallel.h"
#include "pliant/contact/collider.h"
#include "pliant/geometry/ellipsoid.h"

namespace pliant {
namespace {

constexpr Real least_skin = 0.5, most_skin = 2;  // in mean radii, that candidates may move before they are found anew
constexpr Real steps_between = 6;                // for which they should last
constexpr Real margin = 0.05;  // in radii: what the solver may move a particle by beside its own motion
constexpr std::uint32_t most_colours = 64;
constexpr std::size_t contacts_a_task = 128;
constexpr std::size_t candidates_a_task = 2048;
constexpr std::size_t particles_a_task = 512;
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
Vec3 mean(std::span<const Vec3> vectors) {
    const auto of = [&](std::size_t i) { return vectors[i]; };
    return parallel_sum(vectors.size(), Vec3(Vec3::Zero()), of) / Real(std::max<std::size_t>(1, vectors.size()));
}
Eigen::Vector3f lane_of(const WideVec3<Wide>& v, int lane) {
    return {v.x[lane], v.y[lane], v.z[lane]};
}

}  // namespace

void ParticleContacts::set_rest(const RestPose& rest, bool self_collision) {
    const std::size_t n = rest.size();
    bodies_ = rest.bodies;
    self_collision_ = self_collision;
    radius_.resize(n);
    body_.resize(n);
    Real sum = 0;
    largest_ = 0;
    for (std::size_t i = 0; i < n; ++i) {
        radius_[i] = rest.radii[i].maxCoeff();
        largest_ = std::max(largest_, radius_[i]);
        sum += radius_[i];
    }
    mean_radius_ = n ? sum / Real(n) : 0;
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
        std::fill(body_.begin() + std::ptrdiff_t(bodies_[b].first), body_.begin() + std::ptrdiff_t(bodies_[b].last),
                  static_cast<std::uint32_t>(b));
    }
    apart_.assign(n, {});
    if (!self_collision_) return;
    const auto exclude = [&](std::uint32_t i, std::uint32_t j) { apart_[std::min(i, j)].push_back(std::max(i, j)); };
    for (const Link& link : rest.links) exclude(link.a, link.b);
    for (const RigidGroup& group : rest.groups) {
        for (const std::uint32_t i : group.particles) {
            for (const std::uint32_t j : group.particles) {
                if (i < j) exclude(i, j);
            }
        }
    }
    for (const BodyRange& body : bodies_) {
        if (body.size() == 0) continue;
        const auto places = std::span(rest.position).subspan(body.first, body.size());
        search_.find(places, 2 * largest_, near_);
        for (std::size_t k = 0; k < body.size(); ++k) {
            const auto i = static_cast<std::uint32_t>(body.first + k);
            for (const std::uint32_t other : near_[k]) {
                const auto j = static_cast<std::uint32_t>(body.first + other);
                if (j <= i) continue;
                const auto c =
                    ellipsoid_contact(Vec3(rest.position[j] - rest.position[i]), rest.shape(i), rest.shape(j));
                if (c.distance < c.touching) exclude(i, j);
            }
        }
    }
    for (auto& row : apart_) {
        std::sort(row.begin(), row.end());
        row.erase(std::unique(row.begin(), row.end()), row.end());
    }
    found_at_.clear();
}

// Moves are counted from their mean: bodies that fall together are no nearer to each other for it. They count up to two
// radii only: what is faster passes through others, and must not make everybody a candidate.
void ParticleContacts::count_moves(std::span<const Vec3> move) {
    const Vec3 all = mean(move);
    own_move_.resize(move.size());
    parallel_for(move.size(), [&](std::size_t i) {
        own_move_[i] = std::min((move[i] - all).norm(), 2 * largest_) + margin * largest_;
    });
}

// Candidates are all that can touch as long as no particle is, after this step, half the reach from where it was then.
// So whoever touches is found, and in the same order, whenever candidates were found last.
bool ParticleContacts::has_moved_far(std::span<const Vec3> position) const {
    if (found_at_.size() != position.size()) return true;
    const Vec3 shift = mean(position) - mean_found_;
    const auto distance = [&](std::size_t i) { return (position[i] - found_at_[i] - shift).norm() + own_move_[i]; };
    return parallel_max(position.size(), 0, distance) > reach_ / 2;
}

// The reach grows with the speed, so that candidates last for some steps.
void ParticleContacts::find_candidates(std::span<const Vec3> position) {
    const auto of = [&](std::size_t i) { return own_move_[i]; };
    const Real fastest = parallel_max(position.size(), 0, of);
    reach_ = 2 * fastest + std::clamp(steps_between * fastest, least_skin * mean_radius_, most_skin * mean_radius_);
    found_at_.assign(position.begin(), position.end());
    mean_found_ = mean(position);
    search_.find(position, 2 * largest_ + reach_, near_);
    pairs_.resize(block_count(position.size(), particles_a_task));
    parallel_blocks(position.size(), particles_a_task, [&](std::size_t begin, std::size_t end) {
        std::vector<Pair>& own = pairs_[begin / particles_a_task];
        own.clear();
        for (std::size_t i = begin; i < end; ++i) add_candidates(static_cast<std::uint32_t>(i), position, own);
    });
    candidates_.clear();
    for (const auto& own : pairs_) candidates_.insert(candidates_.end(), own.begin(), own.end());
}

void ParticleContacts::add_candidates(std::uint32_t i, std::span<const Vec3> position, std::vector<Pair>& into) const {
    const auto& apart = apart_[i];
    auto next = apart.begin();  // both rows ascend
    const auto row = near_[i];
    for (auto j = std::upper_bound(row.begin(), row.end(), i); j != row.end(); ++j) {
        if (!self_collision_ && body_[i] == body_[*j]) continue;
        if ((position[*j] - position[i]).squaredNorm() > square(radius_[i] + radius_[*j] + reach_)) continue;
        while (next != apart.end() && *next < *j) ++next;
        if (next == apart.end() || *next != *j) into.emplace_back(i, *j);
    }
}

void ParticleContacts::find(std::span<const Vec3> position, std::span<const Vec3> move,
                            std::span<const Eigen::Matrix3f> shape, Real dt, Real friction) {
    count_moves(move);
    if (has_moved_far(position)) find_candidates(position);
    found_.resize(std::max(found_.size(), block_count(candidates_.size(), candidates_a_task)));
    for (auto& list : found_) list.clear();
    parallel_blocks(candidates_.size(), candidates_a_task, [&](std::size_t begin, std::size_t end) {
        std::vector<Contact>& found = found_[begin / candidates_a_task];
        Pair pairs[Wide::width];
        int count = 0;
        for (std::size_t k = begin; k < end; ++k) {
            const auto [i, j] = candidates_[k];
            const Real near = radius_[i] + radius_[j] + own_move_[i] + own_move_[j];
            if ((position[j] - position[i]).squaredNorm() > square(near)) continue;
            pairs[count++] = candidates_[k];
            if (count < Wide::width) continue;
            test({pairs, std::size_t(count)}, position, shape, dt, found);
            count = 0;
        }
        test({pairs, std::size_t(count)}, position, shape, dt, found);
    });
    contacts_.clear();
    for (const auto& list : found_) contacts_.insert(contacts_.end(), list.begin(), list.end());
    for (Contact& contact : contacts_) contact.friction = float(friction);
    sort_by_colour();
}

// A pair whose gap is larger than what both can move by in this step is no contact. One that overlaps already comes
// apart gradually, as an obstacle would let it.
void ParticleContacts::test(std::span<const Pair> pairs, std::span<const Vec3> position,
                            std::span<const Eigen::Matrix3f> shape, Real dt, std::vector<Contact>& found) const {
    if (pairs.empty()) return;
    WideVec3<Wide> x12;
    EllipsoidShape<Wide> S1, S2;
    for (int l = 0; l < Wide::width; ++l) {
        const auto [i, j] = pairs[std::min(std::size_t(l), pairs.size() - 1)];
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
        const auto [i, j] = pairs[k];
        const Real gap = -Real(exact.depth[l]);
        if (gap > own_move_[i] + own_move_[j]) continue;
        Contact c;
        c.a = i;
        c.b = j;
        c.normal = lane_of(exact.normal, l);
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
    return search_.memory() + near_.memory() + candidates_.capacity() * sizeof(Pair) +
           2 * contacts_.capacity() * sizeof(Contact) + found_at_.capacity() * sizeof(Vec3);
}

}  // namespace pliant
