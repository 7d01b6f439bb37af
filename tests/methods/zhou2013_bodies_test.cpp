// Bodies that meet themselves, each other and moving obstacles, in implicit steps of 2 ms.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "pliant/methods/mls/zhou2013.h"
#include "support/colliders.h"
#include "support/lattice.h"

namespace pliant {
namespace {

constexpr Real h = 0.05, dt = 2e-3, g = 9.81;
const Vec3 zero = Vec3::Zero(), down(0, -g, 0);

using Points = std::vector<Vec3>;

Material rubber(Real young, Real density = 1000, Real poisson = 0.3) {
    Material material = rubber_model(young, poisson, h).materials[0];
    material.density = density;
    return material;
}

// Flows at once beyond its yield stress.
Material toffee(Real young, Real yield_stress) {
    Bargteil2007Plasticity plastic;
    plastic.yield_stress = yield_stress;
    plastic.flow_rate = 1e4;
    Material material = rubber(young);
    material.plasticity = plastic;
    return material;
}

// Points of a lattice that fills a box of a x b x c spacings from `corner` on.
Points block(int a, int b, int c, const Vec3& corner, Real spacing = h) {
    Points points = lattice_block(a, b, c, spacing, 0).position;
    for (Vec3& q : points) q += corner + Vec3::Constant(spacing / 2);
    return points;
}

// A square of five spacings that stands on y = 0 about the axis.
Points standing(int layers) {
    return block(5, layers, 5, Vec3(-2.5 * h, 0, -2.5 * h));
}

// A model, its particles and the method that moves them from the first step on.
struct Bench {
    explicit Bench(const Vec3& gravity, Real friction = 0) {
        model.gravity = gravity;
        model.body_friction = friction;
    }
    Bench(const Bench&) = delete;
    Bench& operator=(const Bench&) = delete;

    void add(const Material& material, const Points& points, const Vec3& velocity = zero, Real spacing = h) {
        const auto body = static_cast<std::uint32_t>(model.bodies.size());
        model.materials.push_back(material);
        model.bodies.push_back({"", body, spacing});
        for (const Vec3& q : points) {
            const std::size_t i = state.size();
            state.resize(i + 1);
            state.id[i] = static_cast<std::uint32_t>(i);
            state.body[i] = body;
            state.position[i] = q;
            state.velocity[i] = velocity;
            state.rest_volume[i] = cube(spacing);
            state.mass[i] = material.density * cube(spacing);
        }
    }
    void add(const ColliderSettings& collider) { model.colliders.emplace_back(collider, ShapeContext()); }

    StepReport step() {
        if (!method) method.emplace(MlsSettings(), Zhou2013::Time::implicit_euler, model).prepare(state);
        const StepReport report = method->step(state, steps * dt, dt);
        ++steps;
        return report;
    }
    Real time() const { return steps * dt; }
    bool is_before(Real end) const { return time() < end - dt / 2; }
    void run_until(Real end) {
        while (is_before(end)) step();
    }

    Vec3 centre() const { return centre_of_mass(state); }
    Vec3 velocity() const { return momentum(state).linear / total_mass(state); }
    Real energy() const { return kinetic_energy(state) + method->elastic_energy(state); }

    // The mean over the particles that `is_one` picks by their number.
    template <class Pick>
    Vec3 mean(const std::vector<Vec3>& values, Pick&& is_one) const {
        Vec3 sum = zero;
        Real mass = 0;
        for (std::size_t i = 0; i < state.size(); ++i) {
            if (!is_one(i)) continue;
            sum += state.mass[i] * values[i];
            mass += state.mass[i];
        }
        return sum / mass;
    }
    auto in_body(std::uint32_t b) const {
        return [this, b](std::size_t i) { return state.body[i] == b; };
    }

    Model model;
    ParticleState state;
    std::optional<Zhou2013> method;
    int steps = 0;
};

Vec3 spin_about_centre(const ParticleState& state) {
    const Momentum m = momentum(state);
    return m.angular - centre_of_mass(state).cross(m.linear);
}

// How many parts hang together by their neighbours at rest.
int count_pieces(const Bench& bench) {
    const RestShape& rest = bench.method->rest();
    std::vector<std::uint8_t> is_seen(rest.size());
    int pieces = 0;
    for (std::uint32_t first = 0; first < rest.size(); ++first) {
        if (is_seen[first]) continue;
        ++pieces;
        std::vector<std::uint32_t> open{first};
        is_seen[first] = 1;
        while (!open.empty()) {
            const std::uint32_t i = open.back();
            open.pop_back();
            for (const std::uint32_t j : rest.row(i).index) {
                if (!is_seen[j]) open.push_back(j);
                is_seen[j] = 1;
            }
        }
    }
    return pieces;
}

// A U whose arms swing against each other while it flies and turns.
struct SwingingU {
    static constexpr int wide = 7, tall = 10, thick = 2;

    explicit SwingingU(Real young) : bench(zero) {
        Points points = block(wide, tall, 3, zero);
        std::erase_if(points,
                      [](const Vec3& q) { return is_arm(q) && std::abs(q.x() - middle) < (middle - thick * h); });
        bench.add(rubber(young), points);
        const Vec3 centre = bench.centre();
        for (std::size_t i = 0; i < points.size(); ++i) {
            const Vec3& q = points[i];
            const Real swing = is_arm(q) ? 2 * (q.y() / h - thick) / (tall - thick) : 0;
            bench.state.velocity[i] =
                Vec3(q.x() < middle ? swing : -swing, 0, 0) + Vec3(0.3, -0.2, 0.1) + Vec3(0, 0, 2).cross(q - centre);
            for (std::size_t j = 0; j < points.size(); ++j) {
                const Vec3 d = points[j] - q;
                if (is_arm(q) && q.x() < middle && points[j].x() > middle && std::hypot(d.y(), d.z()) < h / 2) {
                    opposite.emplace_back(i, j);
                }
            }
        }
        start = points;
    }
    static bool is_arm(const Vec3& q) { return q.y() > thick * h; }

    // The least distance of the arms along the line through the feet: negative when they have passed each other.
    Real gap() const {
        const auto foot = [&](Real side) {
            const auto is_one = [&](std::size_t i) { return !is_arm(start[i]) && side * (start[i].x() - middle) > 0; };
            return bench.mean(bench.state.position, is_one);
        };
        const Vec3 across = (foot(1) - foot(-1)).normalized();
        Real least = std::numeric_limits<Real>::infinity();
        for (const auto& [i, j] : opposite) {
            least = std::min(least, across.dot(bench.state.position[j] - bench.state.position[i]));
        }
        return least;
    }

    static constexpr Real middle = wide * h / 2;
    Bench bench;
    Points start;
    std::vector<std::pair<std::size_t, std::size_t>> opposite;  // in the two arms, at equal height and depth
};

TEST(SelfContact, ArmsOfABodyMeetAndPartAgain) {
    for (const Real young : {1e5, 1e6}) {
        SwingingU u(young);
        const Bench& bench = u.bench;
        const Vec3 linear = momentum(bench.state).linear, angular = spin_about_centre(bench.state);
        const Real energy = kinetic_energy(bench.state), open = u.gap();
        Real nearest = open, widest_after = 0;
        while (bench.is_before(1)) {
            u.bench.step();
            const Real gap = u.gap();
            nearest = std::min(nearest, gap);
            if (nearest < h) widest_after = std::max(widest_after, gap);
            ASSERT_LT((momentum(bench.state).linear - linear).norm(), 1e-12 * linear.norm());
            ASSERT_LT((spin_about_centre(bench.state) - angular).norm(), 0.01 * angular.norm());
            ASSERT_LT(bench.energy(), 1.001 * energy);
        }
        EXPECT_LT(nearest, h);  // they have met
        EXPECT_GT(nearest, 0.3 * h);
        EXPECT_GT(widest_after, open);
    }
}

// A strip of so many layers, folded over at its left end, whose halves clap together: how near they come, in spacings.
Real clap(int layers) {
    const int length = 24, gap = 4;
    const Real low = layers * h, high = (layers + gap) * h;
    Points points = block(length, 2 * layers + gap, 4, zero);
    std::erase_if(points, [&](const Vec3& q) { return q.x() > layers * h && q.y() > low && q.y() < high; });
    Bench bench(zero);
    bench.add(rubber(1e6), points);
    std::vector<std::pair<std::size_t, std::size_t>> opposite;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const Real swing = points[i].x() / (length * h);
        bench.state.velocity[i].y() = points[i].y() < (low + high) / 2 ? swing : -swing;
        if (points[i].x() < length * h / 2 || points[i].y() > low) continue;
        for (std::size_t j = 0; j < points.size(); ++j) {
            const Vec3 d = points[j] - points[i];
            if (points[j].y() > high && std::hypot(d.x(), d.z()) < h / 2) opposite.emplace_back(i, j);
        }
    }
    Real nearest = gap;
    while (bench.is_before(0.4)) {
        bench.step();
        for (const auto& [i, j] : opposite) {
            nearest = std::min(nearest, (bench.state.position[j] - bench.state.position[i]).y() / h);
        }
    }
    return nearest;
}

TEST(SelfContact, AFoldedStripOfTwoLayersDoesNotPassThroughItself) {
    EXPECT_NEAR(clap(2), 1, 0.1);
}

// Particles of a sheet have neighbours on all sides, and so count as no surface.
TEST(SelfContact, AFoldedSheetOfOneLayerDoesNotPassThroughItself) {
    EXPECT_NEAR(clap(1), 1, 0.1);
}

// It goes with the plate, and flies on when the plate stops: v = V - g t.
TEST(MovingPlate, LiftsABodyAndLetsItFlyOn) {
    const Real speed = 1, stop = 0.4;
    Bench bench(down);
    bench.add(rubber(1e7), standing(5));
    bench.add(plate_settings(1, "linear", {{0, zero, zero}, {stop, Vec3(0, speed * stop, 0), zero}}, 0.5));
    bench.run_until(0.2);
    while (bench.is_before(stop)) {
        EXPECT_EQ(bench.step().contacts, 25u);
        EXPECT_NEAR(bench.velocity().y(), speed, 1e-5);
        for (const Vec3& q : bench.state.position) ASSERT_GT(q.y(), speed * bench.time() + h / 2 - 1e-9);
    }
    while (bench.is_before(stop + 0.19)) {
        EXPECT_EQ(bench.step().contacts, 0u);
        EXPECT_NEAR(bench.velocity().y(), speed - g * (bench.time() - stop), 1e-5);
    }
    bench.run_until(0.8);  // it comes down again, and stays
    EXPECT_LT(bench.velocity().norm(), 1e-4);
}

TEST(MovingPlate, ThatFallsAwayLeavesABodyToItsOwnFall) {
    const Real start = 0.2;
    Bench bench(down);
    bench.add(rubber(1e6), standing(5));
    bench.add(plate_settings(1, "linear", {{0, zero, zero}, {start, zero, zero}, {0.4, Vec3(0, -1, 0), zero}}, 0.5));
    bench.run_until(start);
    const Real before = bench.velocity().y();
    while (bench.is_before(0.36)) {
        EXPECT_EQ(bench.step().contacts, 0u);
        EXPECT_NEAR(bench.velocity().y(), before - g * (bench.time() - start), 1e-9);
    }
}

// A plate that starts at once drags a body at mu g until both are equally fast, and has then gone V^2 / (2 mu g) ahead.
TEST(MovingPlate, DragsABodyAtCoulombsLimitUntilItGoesAlong) {
    const Real speed = 1, start = 0.2;
    for (const Real friction : {0.3, 0.6}) {
        for (const int layers : {2, 5}) {
            Bench bench(down);
            bench.add(rubber(1e7), standing(layers));
            const Keyframe still{start, zero, zero}, far{start + 1, Vec3(speed, 0, 0), zero};
            bench.add(plate_settings(6, "linear", {still, far}, friction));
            bench.run_until(start);
            const Real from = bench.centre().x();
            while (bench.is_before(0.9)) {
                bench.step();
                const Real expected = std::min(speed, friction * g * (bench.time() - start));
                ASSERT_NEAR(bench.velocity().x(), expected, 0.03 * speed) << layers << " layers at " << bench.time();
            }
            const Real ahead = speed * (bench.time() - start) - (bench.centre().x() - from);
            EXPECT_NEAR(ahead * 2 * friction * g / square(speed), 1, 0.02);
        }
    }
}

// A smooth move by D in T accelerates by at most 6 D / T^2, here 80 % of mu g.
TEST(MovingPlate, CarriesABodyThatFrictionCanHold) {
    const Real start = 0.2, duration = 0.5;
    for (const Real friction : {0.3, 0.7}) {
        const Real way = 0.8 * friction * g * square(duration) / 6;
        Bench bench(down);
        bench.add(rubber(1e7), standing(2));
        const Keyframe still{start, zero, zero}, there{start + duration, Vec3(way, 0, 0), zero};
        bench.add(plate_settings(6, "smooth", {still, there}, friction));
        bench.run_until(start);
        const Real from = bench.centre().x();
        while (bench.is_before(start + duration + 0.1)) {
            bench.step();
            const Real u = std::min(Real(1), (bench.time() - start) / duration);
            ASSERT_NEAR(bench.centre().x() - from, way * u * u * (3 - 2 * u), 1e-4);
        }
    }
}

// A quarter of a turn in a second at a radius of 0.4 m needs 77 % of mu g along the circle, and later 45 % inwards.
TEST(MovingPlate, TurnsABodyThatFrictionCanHold) {
    for (const Real friction : {0.5, 0.02}) {
        Bench bench(down);
        Points points = standing(2);
        for (Vec3& q : points) q.x() += 0.4;
        bench.add(rubber(1e7), points);
        bench.add(plate_settings(2, "smooth", {{0, zero, zero}, {1, zero, Vec3(0, 90, 0)}}, friction));
        bench.run_until(1.1);
        const Vec3 there(0, bench.centre().y(), -0.4);
        if (friction > 0.1) {
            EXPECT_LT((bench.centre() - there).norm(), 1e-3);
            EXPECT_LT(bench.velocity().norm(), 1e-3);
        } else {
            EXPECT_GT((bench.centre() - there).norm(), 0.3);
        }
    }
}

// What pulls at the floor is let go, however rough the solution that says so: else lumps are glued to it.
TEST(Floor, LetsGoWhatPulls) {
    Bench bench(Vec3(0, -g, 0));
    bench.add(rubber(1e6), block(2, 1, 1, Vec3(0, 0, 0)), Vec3(0, -1, 0));
    bench.add(floor_settings(0.5, Vec3::UnitY()));
    ContactConstraints contacts(bench.model);
    contacts.prepare(bench.state);
    contacts.begin(bench.state, 0, dt, bench.state.velocity);
    ASSERT_EQ(contacts.count(), 2u);
    const std::vector<Vec3> rests(2, Vec3::Zero()), impulse = {Vec3(0, 1e-3, 0), Vec3(0, -1e-3, 0)};
    EXPECT_EQ(contacts.review(bench.state, rests, impulse, 1.0), ContactConstraints::Change::held);
    ASSERT_EQ(contacts.count(), 1u);
    EXPECT_EQ(contacts.held()[0].point, 0u);
}

// A block on a slope of angle alpha where tan alpha is `share` of the coefficient of friction.
struct Sliding {
    Sliding(int layers, Real young, Real coefficient, Real share)
        : friction(coefficient), angle(std::atan(share * coefficient)), bench(down) {
        const Quat turn(Eigen::AngleAxisd(-angle, Vec3::UnitZ()));
        Points points = standing(layers);
        for (Vec3& q : points) q = turn * q;
        bench.add(rubber(young), points);
        bench.add(floor_settings(friction, turn * Vec3::UnitY()));
        along = turn * Vec3::UnitX();
    }
    // a = g (sin alpha - mu cos alpha)
    Real expected_acceleration() const { return g * (std::sin(angle) - friction * std::cos(angle)); }
    Real mean_acceleration(Real from, Real to) {
        bench.run_until(from);
        const Real before = bench.velocity().dot(along);
        bench.run_until(to);
        return (bench.velocity().dot(along) - before) / (to - from);
    }
    Real way(Real from, Real to) {
        bench.run_until(from);
        const Vec3 before = bench.centre();
        bench.run_until(to);
        return (bench.centre() - before).norm();
    }
    Real friction, angle;
    Vec3 along = zero;
    Bench bench;
};

TEST(Slope, ASlabSlidesAsCoulombSays) {
    for (const Real friction : {0.2, 0.5, 0.8}) {
        for (const Real share : {1.1, 1.4}) {
            Sliding slab(2, 1e6, friction, share);
            EXPECT_NEAR(slab.mean_acceleration(0.2, 0.5), slab.expected_acceleration(), 2e-3 * g)
                << friction << " " << share;
        }
    }
}

// A cube on so steep a slope rests on its lower edge, and the upper one lifts off.
TEST(Slope, ATallBlockSlidesAsCoulombSays) {
    for (const Real young : {1e6, 1e7}) {
        for (const Real share : {1.1, 1.4}) {
            Sliding cube(5, young, 0.5, share);
            EXPECT_NEAR(cube.mean_acceleration(0.2, 0.5), cube.expected_acceleration(), 5e-3 * g)
                << young << " " << share;
        }
    }
}

TEST(Slope, ASlabStaysWhereFrictionCanHoldIt) {
    for (const Real friction : {0.2, 0.5, 0.8}) {
        Sliding slab(2, 1e6, friction, 0.5);
        EXPECT_LT(slab.way(0.5, 1), 1e-5) << friction;
    }
}

TEST(Slope, ASlabStaysWhereFrictionCanJustHoldIt) {
    for (const Real friction : {0.2, 0.5, 0.8}) {
        for (const Real share : {0.7, 0.86}) {
            Sliding slab(2, 1e6, friction, share);
            EXPECT_LT(slab.way(0.5, 1), 2e-4) << friction << " " << share;
        }
    }
}

// A plate of 10000 kg/m^3 and 1e8 Pa on a cushion of 100 kg/m^3 and 1e4 Pa, its particles in the hollows of the
// other's. A pressure P = rho g H on 25 of 36 columns presses each of three layers by P/E, and the contact by half of
// that.
TEST(UnequalBodies, AHeavyPlateRestsOnALightCushion) {
    const Real spacing = 0.005, soft = 1e4;
    Bench bench(down, 0.3);
    bench.add(rubber(soft, 100, 0), block(6, 4, 6, zero, spacing), zero, spacing);
    const Vec3 hollow(spacing / 2, (3 + std::sqrt(0.5)) * spacing, spacing / 2);
    bench.add(rubber(1e8, 10000, 0), block(5, 2, 5, hollow, spacing), zero, spacing);
    bench.add(floor_settings(0.5));
    const auto height = [&] { return bench.mean(bench.state.position, bench.in_body(1)).y(); };
    const Real before = height(), pressure = 10000 * g * 2 * spacing;
    bench.run_until(1);
    const Real expected = (25.0 / 36 * 3 + 0.5) * pressure / soft * spacing;
    EXPECT_NEAR((before - height()) / expected, 1, 0.1);
    EXPECT_LT(largest_speed(bench.state), 1e-4);
}

TEST(UnequalBodies, ALightCubeRestsOnAHeavyOne) {
    Bench bench(down, 0.3);
    bench.add(rubber(1e8, 10000), block(6, 4, 6, zero));
    bench.add(rubber(1e4, 100), block(4, 4, 4, Vec3(h, 4 * h, h)));
    bench.add(floor_settings(0.5));
    const Vec3 before = bench.mean(bench.state.position, bench.in_body(1));
    bench.run_until(1);
    EXPECT_LT((bench.mean(bench.state.position, bench.in_body(1)) - before).norm(), 0.1 * h);
    EXPECT_LT(largest_speed(bench.state), 1e-3);
}

// Off centre, so that they turn; the light one bounces back, and the heavy one hardly notices.
TEST(UnequalBodies, CollideAndKeepMomentum) {
    for (const Real friction : {0.0, 0.3}) {
        const Real speed = 1.5;
        Bench bench(zero, friction);
        bench.add(rubber(1e4, 100), block(5, 5, 5, zero), Vec3(speed, 0, 0));
        bench.add(rubber(1e8, 10000), block(5, 5, 5, Vec3(5.5 * h, 0.02, 0.03)), Vec3(-speed, 0, 0));
        const Momentum before = momentum(bench.state);
        const Real light = 125 * bench.state.mass[0], heavy = 100 * light, energy = kinetic_energy(bench.state);
        while (bench.is_before(0.2)) {
            bench.step();
            const Momentum now = momentum(bench.state);
            ASSERT_LT((now.linear - before.linear).norm(), 1e-8 * light * speed);
            ASSERT_LT((now.angular - before.angular).norm(), 2e-3 * before.angular.norm());
            ASSERT_LT(bench.energy(), (1 + 1e-6) * energy);
        }
        const Real v0 = bench.mean(bench.state.velocity, bench.in_body(0)).x(),
                   v1 = bench.mean(bench.state.velocity, bench.in_body(1)).x();
        EXPECT_NEAR(light * v0 + heavy * v1, before.linear.x(), 1e-8 * light * speed);
        EXPECT_GT(v1 - v0, 0.3 * 2 * speed);  // they part
        EXPECT_LT(v1 - v0, 2 * speed);
    }
}

// Two heavy ends of a light bar swing at omega^2 = 2 k / M with k = E A / L; a sixth of the bar swings with each end.
TEST(UnequalBodies, HeavyEndsOfOneBarSwingAtTheirFrequency) {
    const int length = 12;
    const Real young = 1e6, amplitude = 1e-2;
    Bench bench(zero);
    const Points points = block(length, 4, 4, zero);
    bench.add(rubber(young, 1000, 0), points);
    const auto is_left = [&](std::size_t i) { return points[i].x() < h; };
    const auto is_right = [&](std::size_t i) { return points[i].x() > (length - 1) * h; };
    const Real middle = length * h / 2;
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (is_left(i) || is_right(i)) bench.state.mass[i] *= 1000;
        bench.state.velocity[i].x() = amplitude * (points[i].x() - middle) / middle;
    }
    const auto stretch = [&] {
        const Points& q = bench.state.position;
        return (bench.mean(q, is_right) - bench.mean(q, is_left)).x() - (length - 1) * h;
    };
    std::vector<Real> crossings;
    bench.step();
    for (Real last = stretch(); crossings.size() < 3 && bench.time() < 5;) {
        bench.step();
        const Real now = stretch();
        if ((now > 0) != (last > 0)) crossings.push_back(bench.time() - dt * now / (now - last));
        last = now;
    }
    ASSERT_EQ(crossings.size(), 3u);
    const Real layer = 16 * 1000 * cube(h), k = young * 16 * h * h / ((length - 1) * h);
    const Real omega = std::sqrt(2 * k / (1000 * layer + (length - 2) * layer / 6));
    EXPECT_NEAR(2 * pi / (crossings[2] - crossings[0]) / omega, 1, 0.04);
    EXPECT_LT(momentum(bench.state).linear.norm(), 1e-9 * 1000 * layer * amplitude);
}

// Where matter has flowed too far apart it tears, and the parts fly on without any force between them.
TEST(Topology, APlasticBarThatIsPulledTearsInTwo) {
    Bench bench(zero);
    const Points points = block(12, 4, 4, Vec3(-6 * h, 0, 0));
    bench.add(toffee(1e5, 1e3), points);
    for (std::size_t i = 0; i < points.size(); ++i) bench.state.velocity[i].x() = points[i].x() < 0 ? -1 : 1;
    const auto speed = [&] {
        const auto is_right = [&](std::size_t i) { return points[i].x() > 0; };
        const auto is_left = [&](std::size_t i) { return points[i].x() < 0; };
        return (bench.mean(bench.state.velocity, is_right) - bench.mean(bench.state.velocity, is_left)).x();
    };
    bench.run_until(0.02);
    EXPECT_EQ(count_pieces(bench), 1);
    bench.run_until(0.1);
    EXPECT_EQ(count_pieces(bench), 2);
    const Real torn = speed();
    EXPECT_GT(torn, 1);
    EXPECT_LT(torn, 1.9);  // of 2 m/s: tearing costs
    bench.run_until(0.5);
    EXPECT_EQ(count_pieces(bench), 2);
    EXPECT_NEAR(speed(), torn, 1e-4);
    EXPECT_LT(momentum(bench.state).linear.norm(), 1e-12 * total_mass(bench.state));
}

// Two cubes thrown at each other at 1 m/s, and then pulled apart by 0.3 m/s each: how fast they part in the end.
struct Pressed {
    Pressed(const Material& material, bool is_one_body) : bench(zero) {
        Points left = block(5, 5, 5, Vec3(-6 * h, 0, 0)), right = block(5, 5, 5, Vec3(h, 0, 0));
        if (is_one_body) {
            left.insert(left.end(), right.begin(), right.end());
            bench.add(material, left);
        } else {
            bench.add(material, left);
            bench.add(material, right);
        }
        push(1);
        bench.run_until(0.2);
        pieces = count_pieces(bench);
        push(-0.3);
        bench.run_until(0.3);
        const Real early = parting();
        bench.run_until(0.4);
        parting_speed = (parting() - early) / 0.1;
    }
    void push(Real speed) {
        for (std::size_t i = 0; i < bench.state.size(); ++i) bench.state.velocity[i].x() += is_left(i) ? speed : -speed;
    }
    static bool is_left(std::size_t i) { return i < 125; }
    Real parting() const {
        const auto is_right = [](std::size_t i) { return !is_left(i); };
        return (bench.mean(bench.state.position, is_right) - bench.mean(bench.state.position, is_left)).x();
    }
    Bench bench;
    int pieces = 0;
    Real parting_speed = 0;
};

TEST(Topology, PlasticLumpsOfOneBodyThatArePressedTogetherBecomeOne) {
    const Pressed lumps(toffee(1e5, 5e2), true);
    EXPECT_EQ(lumps.pieces, 1);
    EXPECT_LT(std::abs(lumps.parting_speed), 0.05);
}

TEST(Topology, ElasticLumpsOfOneBodyStayTwo) {
    const Pressed lumps(rubber(1e5), true);
    EXPECT_EQ(lumps.pieces, 2);
    EXPECT_GT(lumps.parting_speed, 0.6);
}

TEST(Topology, PlasticLumpsOfTwoBodiesStayTwo) {
    const Pressed lumps(toffee(1e5, 5e2), false);
    EXPECT_EQ(lumps.pieces, 2);
    EXPECT_GT(lumps.parting_speed, 0.59);
}

}  // namespace
}  // namespace pliant
