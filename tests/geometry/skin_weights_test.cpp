#include "pliant/geometry/skin_weights.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "geometry/mesh_samples.h"
#include "pliant/base/error.h"

namespace pliant {
namespace {

using Link = std::array<std::uint32_t, 2>;

constexpr Real spacing = 0.12;

// A tube bent to a U: two straight arms side by side and half a circle that joins them. `s` is the length along it.
class UTube {
public:
    static constexpr Real radius = 0.04, bend = 0.05, arm = 0.6;  // the arms' axes are 2 bend = 0.83 spacings apart
    static constexpr Real length = 2 * arm + pi * bend;

    explicit UTube(int around) {
        const int rings = int(length / (2 * pi * radius / around)) + 1;
        for (int ring = 0; ring < rings; ++ring) {
            const Real s = length * ring / (rings - 1);
            for (int k = 0; k < around; ++k) {
                const Real turn = 2 * pi * k / around;
                mesh.vertices.push_back(axis(s) +
                                        radius * (std::cos(turn) * outward(s) + std::sin(turn) * Vec3::UnitY()));
                along.push_back(s);
            }
        }
        for (int ring = 0; ring + 1 < rings; ++ring) {
            for (int k = 0; k < around; ++k) {
                const int a = ring * around + k, b = ring * around + (k + 1) % around;
                mesh.triangles.push_back({a, b, b + around});
                mesh.triangles.push_back({a, b + around, a + around});
            }
        }
        // Points on the axis, higher in one arm than in the other.
        for (Real s = 0.05; s < length; s += spacing) {
            points.push_back(axis(s));
            point_along.push_back(s);
            if (points.size() > 1)
                links.push_back({std::uint32_t(points.size() - 2), std::uint32_t(points.size() - 1)});
        }
    }
    std::uint32_t straight_nearest(std::size_t v) const {
        const auto closer = [&](const Vec3& a, const Vec3& b) {
            return (a - mesh.vertices[v]).norm() < (b - mesh.vertices[v]).norm();
        };
        return std::uint32_t(std::min_element(points.begin(), points.end(), closer) - points.begin());
    }

    TriangleMesh mesh;
    std::vector<Real> along, point_along;
    std::vector<Vec3> points;
    std::vector<Link> links;

private:
    // Down one arm at x = -bend, round, and up the other at x = bend.
    static Vec3 axis(Real s) {
        if (s < arm) return {-bend, 0, arm - s};
        if (s > length - arm) return {bend, 0, s - (length - arm)};
        return bend * outward(s);
    }
    static Vec3 outward(Real s) {
        const Real angle = std::clamp((s - arm) / bend, 0.0, pi);
        return {-std::cos(angle), 0, -std::sin(angle)};
    }
};

Real weight_of(const SkinWeights& weights, std::size_t v, std::uint32_t frame) {
    Real sum = 0;
    for (int k = 0; k < 4; ++k) sum += weights.frame[v][k] == frame ? weights.weight[v][k] : 0;
    return sum;
}
// The largest sum over all frames of |w_a - w_b| at the ends a, b of an edge.
Real largest_change(const TriangleMesh& mesh, const SkinWeights& weights) {
    Real largest = 0;
    for (const auto& triangle : mesh.triangles) {
        for (int side = 0; side < 3; ++side) {
            const int a = triangle[side], b = triangle[(side + 1) % 3];
            std::map<std::uint32_t, Real> change;
            for (int k = 0; k < 4; ++k) {
                change[weights.frame[a][k]] += weights.weight[a][k];
                change[weights.frame[b][k]] -= weights.weight[b][k];
            }
            Real sum = 0;
            for (const auto& [frame, difference] : change) sum += std::abs(difference);
            largest = std::max(largest, sum);
        }
    }
    return largest;
}
void expect_sound(const SkinWeights& weights, std::size_t vertices, std::size_t points) {
    ASSERT_EQ(weights.frame.size(), vertices);
    ASSERT_EQ(weights.weight.size(), vertices);
    for (std::size_t v = 0; v < vertices; ++v) {
        const auto& w = weights.weight[v];
        ASSERT_NEAR(w[0] + w[1] + w[2] + w[3], 1, 1e-6) << v;
        ASSERT_TRUE(std::is_sorted(w.rbegin(), w.rend())) << v;
        for (int k = 0; k < 4; ++k) {
            ASSERT_GE(w[k], 0) << v;
            ASSERT_LT(weights.frame[v][k], points) << v;
        }
    }
}

TEST(SkinWeightsTest, ArmsSideBySideShareNoFrames) {
    const UTube tube(24);
    // Weights end 1.5 spacings beyond the nearest point, which is 0.6 spacings away or less, and the inner side of the
    // bend is 1.05 spacings shorter than the axis.
    constexpr Real far = 3.2 * spacing;
    int across = 0;  // vertices whose nearest point lies in the other arm
    for (std::size_t v = 0; v < tube.along.size(); ++v) {
        across += std::abs(tube.point_along[tube.straight_nearest(v)] - tube.along[v]) > far;
    }
    ASSERT_GT(across, 50);
    for (const bool has_links : {true, false}) {
        const SkinWeights weights =
            geodesic_weights(tube.mesh, tube.points, has_links ? tube.links : std::vector<Link>(), spacing);
        expect_sound(weights, tube.mesh.vertices.size(), tube.points.size());
        for (std::size_t v = 0; v < weights.size(); ++v) {
            for (int k = 0; k < 4; ++k) {
                if (weights.weight[v][k] == 0) continue;
                ASSERT_LT(std::abs(tube.point_along[weights.frame[v][k]] - tube.along[v]), far) << v;
            }
        }
    }
}

TEST(SkinWeightsTest, WeightsChangeInProportionToTheLengthOfEdges) {
    const UTube coarse(24), fine(48);
    const Real change =
        largest_change(coarse.mesh, geodesic_weights(coarse.mesh, coarse.points, coarse.links, spacing));
    const Real fine_change = largest_change(fine.mesh, geodesic_weights(fine.mesh, fine.points, fine.links, spacing));
    EXPECT_GT(change, 0.01);
    EXPECT_LT(change, 0.5);
    EXPECT_LT(fine_change, 0.7 * change);
}

TEST(SkinWeightsTest, BothFacesOfAPlateHangOnThePointsWithin) {
    TriangleMesh plate = samples::sphere_mesh(1, 40);
    for (Vec3& x : plate.vertices) x.y() *= 0.05;
    std::vector<Vec3> points;
    for (int n = 0; n < 49; ++n) points.emplace_back((n % 7 - 3) * 0.3, 0, (n / 7 - 3) * 0.3);
    std::erase_if(points, [](const Vec3& p) { return p.norm() > 0.95; });
    const SkinWeights weights = geodesic_weights(plate, points, {}, 0.3);
    expect_sound(weights, plate.vertices.size(), points.size());
    for (std::size_t v = 0; v < plate.vertices.size(); ++v) {
        Real nearest = 10;
        for (const Vec3& p : points) nearest = std::min(nearest, (p - plate.vertices[v]).norm());
        ASSERT_LT((points[weights.frame[v][0]] - plate.vertices[v]).norm(), nearest + 1e-12) << v;
    }
}

TEST(SkinWeightsTest, AVertexAtAPointFeelsThatPointMost) {
    const UTube tube(24);
    const SkinWeights weights = geodesic_weights(tube.mesh, tube.points, tube.links, spacing);
    for (std::size_t v = 0; v < weights.size(); ++v) {
        for (std::uint32_t p = 1; p + 1 < tube.points.size(); ++p) {
            if (std::abs(tube.along[v] - tube.point_along[p]) > 0.1 * spacing) continue;
            ASSERT_EQ(weights.frame[v][0], p) << v;
            ASSERT_GT(weight_of(weights, v, p), 0.4) << v;
            ASSERT_GT(weight_of(weights, v, p - 1), 0.05) << v;
            ASSERT_GT(weight_of(weights, v, p + 1), 0.05) << v;
        }
    }
}

TEST(SkinWeightsTest, APieceWithoutPointsHangsOnTheNearest) {
    const TriangleMesh body = samples::sphere_mesh(0.2, 12), button = samples::sphere_mesh(0.02, 6, Vec3(0.25, 0, 0));
    TriangleMesh mesh = samples::both(body, button);
    mesh.vertices.push_back(Vec3(-0.3, 0, 0));  // a vertex of no triangle
    const std::vector<Vec3> points = {{-0.1, 0, 0}, {0.1, 0, 0}, {0, 0.1, 0}};
    const std::vector<Link> links = {{0, 1}, {1, 2}};
    const SkinWeights weights = geodesic_weights(mesh, points, links, 0.1);
    expect_sound(weights, mesh.vertices.size(), points.size());
    for (std::size_t v = body.vertices.size(); v + 1 < mesh.vertices.size(); ++v) EXPECT_EQ(weights.frame[v][0], 1u);
    EXPECT_EQ(weights.frame.back()[0], 0u);
}

// A ball below a plate, closer to it than the plate's points are: what is turned below must not pull at what is above.
TEST(SkinWeightsTest, APieceHangsOnPointsOfItsOwnAlone) {
    const TriangleMesh ball = samples::sphere_mesh(0.2, 24, Vec3(0, -0.21, 0));
    TriangleMesh plate = samples::sphere_mesh(1, 40, Vec3(0, 0.05, 0));
    for (Vec3& x : plate.vertices) x.y() = 0.05 + 0.04 * (x.y() - 0.05);
    const TriangleMesh mesh = samples::both(ball, plate);
    std::vector<Vec3> points = {{0, -0.06, 0}, {0.1, -0.21, 0}, {-0.1, -0.21, 0}, {0, -0.31, 0}};
    std::vector<Link> links = {{0, 1}, {0, 2}, {1, 3}, {2, 3}};
    const std::uint32_t of_ball = std::uint32_t(points.size());
    for (int n = 0; n < 4; ++n) {
        points.emplace_back(0.6 * std::cos(n * pi / 2), 0.05, 0.6 * std::sin(n * pi / 2));
        links.push_back({of_ball + std::uint32_t(n), of_ball + std::uint32_t((n + 1) % 4)});
    }
    const SkinWeights weights = geodesic_weights(mesh, points, links, 0.3);
    expect_sound(weights, mesh.vertices.size(), points.size());
    for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
        for (int k = 0; k < 4; ++k) ASSERT_EQ(weights.frame[v][k] < of_ball, v < ball.vertices.size()) << v;
    }
}

TEST(SkinWeightsTest, OnePointCarriesEverything) {
    const TriangleMesh mesh = samples::sphere_mesh(0.2, 8);
    const std::vector<Vec3> points = {Vec3::Zero()};
    const SkinWeights weights = geodesic_weights(mesh, points, {}, 0.1);
    for (std::size_t v = 0; v < weights.size(); ++v) {
        EXPECT_EQ(weights.frame[v], (std::array<std::uint32_t, 4>{0, 0, 0, 0}));
        EXPECT_EQ(weights.weight[v], (std::array<float, 4>{1, 0, 0, 0}));
    }
}

TEST(SkinWeightsTest, BadInputIsRefused) {
    const TriangleMesh mesh = samples::sphere_mesh(0.2, 8);
    const std::vector<Vec3> points = {Vec3::Zero()}, lost = {Vec3(0, NAN, 0)};
    const std::vector<Link> links = {{0, 1}};
    EXPECT_THROW(geodesic_weights(mesh, {}, {}, 0.1), InputError);
    EXPECT_THROW(geodesic_weights(mesh, lost, {}, 0.1), InputError);
    EXPECT_THROW(geodesic_weights(mesh, points, links, 0.1), InputError);
    EXPECT_THROW(geodesic_weights(mesh, points, {}, 0), InputError);
}

}  // namespace
}  // namespace pliant
