#include "pliant/linear/grid_preconditioner.h"

#include <gtest/gtest.h>

#include <random>

namespace pliant {
namespace {

// Two cubes of points, one above the other, that share no unknowns.
struct TwoCubes {
    static constexpr int edge = 6;
    std::vector<Vec3> rest;
    std::vector<Real> mass, mu, lambda;
    std::vector<Mat3> turn, diagonal;
    GridPreconditioner preconditioner;

    TwoCubes() {
        for (int cube = 0; cube < 2; ++cube) {
            for (int i = 0; i < edge * edge * edge; ++i) {
                rest.emplace_back(i / (edge * edge), i / edge % edge + cube * edge, i % edge);
            }
        }
        const std::size_t n = rest.size();
        mass.assign(n, 1), mu.assign(n, 100), lambda.assign(n, 150);
        turn.assign(n, Mat3::Identity());
        diagonal.assign(n, 1000 * Mat3::Identity());
        preconditioner.set_points(rest, std::vector<PointGroup>{{0, n / 2, 2}, {n / 2, n, 2}});
        preconditioner.set_system({mass, mu, lambda, turn, diagonal});
    }
    std::vector<Vec3> apply(const std::vector<Vec3>& r) {
        std::vector<Vec3> z(r.size());
        preconditioner(r, z);
        return z;
    }
};

Real dot(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
    Real sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i].dot(b[i]);
    return sum;
}

// A force on the lower cube moves the upper one only while points of both push each other; also when they come and go.
TEST(GridPreconditioner, PushIsHandedOnBetweenPointsThatPush) {
    TwoCubes cubes;
    const std::size_t half = cubes.rest.size() / 2;
    std::vector<PointPair> pairs;
    for (std::uint32_t i = 0; i < half; ++i) {
        for (std::uint32_t j = std::uint32_t(half); j < cubes.rest.size(); ++j) {
            if ((cubes.rest[i] - cubes.rest[j]).norm() < 1.1) pairs.push_back({i, j, 1e5 * Mat3::Identity()});
        }
    }
    ASSERT_EQ(pairs.size(), std::size_t(TwoCubes::edge * TwoCubes::edge));
    std::vector<Vec3> push(cubes.rest.size(), Vec3::Zero());
    for (std::size_t i = 0; i < half; ++i) push[i].y() = 1;
    for (const bool is_touching : {false, true, false}) {
        cubes.preconditioner.factor({}, is_touching ? pairs : std::vector<PointPair>{});
        const auto z = cubes.apply(push);
        for (std::size_t i = half; i < z.size(); ++i) {
            EXPECT_NEAR(z[i].y(), is_touching ? 0.5 : 0, is_touching ? 0.05 : 1e-12);  // twice the mass to move
        }
    }
}

TEST(GridPreconditioner, IsSymmetricAndPositive) {
    TwoCubes cubes;
    Mat3 held = Mat3::Zero();
    held(1, 1) = 1;
    cubes.preconditioner.factor(std::vector<HeldPoint>{{3, held}, {40, held, 7 * (Mat3::Identity() - held)}},
                                std::vector<PointPair>{{60, 250, 50 * Mat3::Identity()}});
    std::mt19937 random(3);
    std::normal_distribution<Real> normal;
    std::vector<Vec3> x(cubes.rest.size()), y(x.size());
    for (auto* v : {&x, &y}) {
        for (Vec3& a : *v) a = Vec3(normal(random), normal(random), normal(random));
    }
    const auto Cx = cubes.apply(x), Cy = cubes.apply(y);
    EXPECT_NEAR(dot(x, Cy), dot(y, Cx), 1e-5 * std::sqrt(dot(x, Cx) * dot(y, Cy)));
    EXPECT_GT(dot(x, Cx), 0);
}

}  // namespace
}  // namespace pliant
