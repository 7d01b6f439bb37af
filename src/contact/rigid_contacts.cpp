#include "pliant/contact/rigid_contacts.h"

#include <algorithm>
#include <cmath>

#include "pliant/base/parallel.h"

namespace pliant {
namespace {

constexpr std::size_t contacts_per_pair = 12;
constexpr Real least_bounce = 0.05;  // m/s: what comes slower does not bounce

Real speed_bound(const Touchable& t, const Vec3& middle, Real reach) {
    return t.pose.velocity_at(middle).norm() + t.pose.angular_velocity.norm() * reach;
}

// Friction and bounce of a pair: the geometric mean, and the larger. Obstacles do not bounce by themselves.
RigidContact contact_between(const std::vector<Touchable>& list, std::size_t a, std::size_t b) {
    RigidContact contact;
    contact.a = a;
    contact.b = b;
    contact.friction = list[b].sticks ? 1e3 : list[b].slips ? 0 : std::sqrt(list[a].friction * list[b].friction);
    contact.restitution = std::max(list[a].restitution, list[b].restitution);
    return contact;
}

// The probes of one against the shape of the other.
void add_touching(const std::vector<Touchable>& list, std::size_t prober, std::size_t other, Real dt,
                  std::vector<RigidContact>& found) {
    const Touchable &p = list[prober], &o = list[other];
    const Real fastest = speed_bound(p, p.middle, p.reach) + speed_bound(o, p.middle, p.reach);
    const Real margin = dt * fastest + 1e-4 * p.reach;
    const Placement &from = p.pose.placement, &to = o.pose.placement;
    if (o.shape->distance(to.to_local(p.middle)) > p.reach + margin) return;
    const bool is_swapped = prober > other;
    for (const Probe& probe : *p.probes) {
        const Vec3 x = from.to_world(probe.centre), local = to.to_local(x);
        const Real distance = o.shape->distance(local), gap = distance - probe.radius;
        if (!(gap < margin)) continue;
        const Vec3 n = to.rotation * o.shape->normal(local);
        const Vec3 at = x - (probe.radius + gap) * n;
        const Real approach = -(p.pose.velocity_at(at) - o.pose.velocity_at(at)).dot(n);
        RigidContact contact = is_swapped ? contact_between(list, other, prober) : contact_between(list, prober, other);
        // What bounces must not be slowed down before it is there.
        if (gap > 0 && (gap > dt * approach + 1e-4 * p.reach || (contact.restitution > 0 && approach > least_bounce)))
            continue;
        if (approach <= least_bounce) contact.restitution = 0;
        contact.point = is_swapped ? Vec3(x - probe.radius * n) : at;
        contact.normal = is_swapped ? Vec3(-n) : n;
        contact.gap = gap;
        found.push_back(contact);
    }
}

// The deepest, and then again and again the one farthest from those that are kept.
void keep_few(std::vector<RigidContact>& contacts) {
    if (contacts.size() <= contacts_per_pair) return;
    const auto deepest = std::min_element(contacts.begin(), contacts.end(),
                                          [](const RigidContact& a, const RigidContact& b) { return a.gap < b.gap; });
    std::vector<RigidContact> kept = {*deepest};
    std::vector<Real> distance(contacts.size(), 1e300);
    while (kept.size() < contacts_per_pair) {
        std::size_t farthest = 0;
        for (std::size_t i = 0; i < contacts.size(); ++i) {
            distance[i] = std::min(distance[i], (contacts[i].point - kept.back().point).squaredNorm());
            if (distance[i] > distance[farthest]) farthest = i;
        }
        kept.push_back(contacts[farthest]);
    }
    contacts.swap(kept);
}

}  // namespace

std::vector<RigidContact> find_contacts(const std::vector<Touchable>& list, Real dt) {
    struct Pair {
        std::size_t a, b;
        std::vector<RigidContact> contacts;
    };
    std::vector<Pair> pairs;
    for (std::size_t a = 0; a < list.size() && list[a].probes; ++a) {
        for (std::size_t b = a + 1; b < list.size(); ++b) {
            if (list[b].probes && (list[a].middle - list[b].middle).norm() >
                                      list[a].reach + list[b].reach +
                                          dt * (speed_bound(list[a], list[a].middle, list[a].reach) +
                                                speed_bound(list[b], list[b].middle, list[b].reach))) {
                continue;
            }
            pairs.push_back({a, b, {}});
        }
    }
    parallel_for(
        pairs.size(),
        [&](std::size_t i) {
            add_touching(list, pairs[i].a, pairs[i].b, dt, pairs[i].contacts);
            if (list[pairs[i].b].probes) add_touching(list, pairs[i].b, pairs[i].a, dt, pairs[i].contacts);
            keep_few(pairs[i].contacts);
        },
        1);
    std::vector<RigidContact> all;
    for (const Pair& pair : pairs) all.insert(all.end(), pair.contacts.begin(), pair.contacts.end());
    return all;
}

}  // namespace pliant
