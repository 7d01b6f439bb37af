#include "pliant/geometry/ellipsoid.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>

#include <random>
#include <vector>

namespace pliant {
namespace {

Vec3 vec(const WideVec3<Real>& v) {
    return {v.x, v.y, v.z};
}
template <class T>
WideVec3<T> wide(const Vec3& v) {
    return {T(v.x()), T(v.y()), T(v.z())};
}
template <class T>
EllipsoidShape<T> shape_in(const Mat3& S) {
    return {T(S(0, 0)), T(S(1, 1)), T(S(2, 2)), T(S(2, 1)), T(S(2, 0)), T(S(1, 0))};
}
template <class T>
EllipsoidContact<T> fast(const Vec3& x12, const Mat3& S1, const Mat3& S2, int iterations = 3) {
    return ellipsoid_contact_fast(wide<T>(x12), shape_in<T>(S1), shape_in<T>(S2), iterations);
}

struct Pair {
    Vec3 x12;
    Mat3 S1, S2;

    Vec3 n() const { return x12.normalized(); }
};

class Random {
public:
    explicit Random(unsigned seed) : engine_(seed) {}
    Real uniform(Real low, Real high) { return std::uniform_real_distribution<Real>(low, high)(engine_); }
    Vec3 vector() {
        return Vec3::NullaryExpr([&] { return normal_(engine_); });
    }
    Vec3 direction() { return vector().normalized(); }
    Mat3 rotation() {
        return Quat(normal_(engine_), normal_(engine_), normal_(engine_), normal_(engine_)).normalized().matrix();
    }
    // Radii between 1 / aspect and 1; half of all shapes have only the one and the other.
    Mat3 shape(Real aspect) {
        const bool is_extreme = uniform(0, 1) < 0.5;
        const Vec3 radii = Vec3::NullaryExpr([&] {
            const Real exponent = uniform(0, 1);
            return std::pow(aspect, -(is_extreme ? std::round(exponent) : exponent));
        });
        const Mat3 A = rotation() * radii.asDiagonal();
        return Mat3(A * A.transpose()).selfadjointView<Eigen::Lower>();
    }
    // The second up to `ratio` times larger or smaller. All numbers are floats, so that float and double see the same.
    Pair pair(Real aspect, Real ratio = 1) {
        const Real scale = std::pow(ratio, uniform(-1, 1));
        const auto rounded = [](Real x) -> Real {
            volatile float y = float(x);  // GCC 12.2 with AVX2 leaves out the rounding of vectorised products
            return y;
        };
        const Mat3 S1 = shape(aspect), S2 = square(scale) * shape(aspect);
        return {vector().unaryExpr(rounded), S1.unaryExpr(rounded), S2.unaryExpr(rounded)};
    }

private:
    std::mt19937 engine_;
    std::normal_distribution<Real> normal_;
};

// d = min h_1(u) + h_2(u) over all u with n.u = 1, a convex function of two numbers: the best of many directions, from
// there downhill by damped Newton steps. Knows nothing of the formula under test.
class BruteForce {
public:
    explicit BruteForce(const Pair& pair) : S1_(pair.S1), S2_(pair.S2), n_(pair.n()) {
        tangents_.col(0) = n_.unitOrthogonal();
        tangents_.col(1) = n_.cross(tangents_.col(0));
        Eigen::Vector2d best(0, 0);
        constexpr int rings = 12, spokes = 24;
        for (int i = 1; i < rings; ++i) {
            const Real r = std::tan(pi / 2 * i / rings);
            for (int k = 0; k < spokes; ++k) {
                const Real angle = 2 * pi * k / spokes;
                const Eigen::Vector2d p(r * std::cos(angle), r * std::sin(angle));
                if (value(p) < value(best)) best = p;
            }
        }
        for (int step = 0; step < 200 && descend(best); ++step) {
        }
        distance = value(best);
        normal = (n_ + tangents_ * best).normalized();
    }

    Real distance;
    Vec3 normal;

private:
    Real value(const Eigen::Vector2d& p) const {
        const Vec3 u = n_ + tangents_ * p;
        return std::sqrt(u.dot(S1_ * u)) + std::sqrt(u.dot(S2_ * u));
    }
    bool descend(Eigen::Vector2d& p) const {
        const Vec3 u = n_ + tangents_ * p;
        Vec3 gradient = Vec3::Zero();
        Mat3 hessian = Mat3::Zero();
        for (const Mat3& S : {S1_, S2_}) {
            const Vec3 v = S * u;
            const Real h = std::sqrt(u.dot(v));
            gradient += v / h;
            hessian += S / h - v * v.transpose() / cube(h);
        }
        const Eigen::Matrix2d H = tangents_.transpose() * hessian * tangents_;
        const Eigen::Vector2d full = -H.inverse() * (tangents_.transpose() * gradient);
        const Real before = value(p);
        for (Real share = 1; share > 1e-9; share /= 2) {
            if (value(p + share * full) < before) {
                p += share * full;
                return true;
            }
        }
        return false;
    }

    Mat3 S1_, S2_;
    Vec3 n_;
    Eigen::Matrix<Real, 3, 2> tangents_;
};

TEST(EllipsoidTest, ShapeIsThatOfTheRotatedRadii) {
    Random random(1);
    for (int i = 0; i < 100; ++i) {
        const Mat3 R = random.rotation();
        const Vec3 radii = random.vector().cwiseAbs();
        const WideMat3<Real> columns = {{wide<Real>(R.col(0)), wide<Real>(R.col(1)), wide<Real>(R.col(2))}};
        const EllipsoidShape<Real> S = ellipsoid_shape(columns, wide<Real>(radii));
        const EllipsoidShape<Real> expected = ellipsoid_shape(R * radii.cwiseAbs2().asDiagonal() * R.transpose());
        const Vec3 v = random.vector();
        EXPECT_LT((vec(S * wide<Real>(v)) - vec(expected * wide<Real>(v))).norm(), 1e-13);
    }
}

TEST(EllipsoidTest, SupportPointIsTheOutermostOfTheSurface) {
    Random random(2);
    for (int i = 0; i < 100; ++i) {
        const Mat3 R = random.rotation();
        const Vec3 radii(random.uniform(0.2, 1), random.uniform(0.2, 1), random.uniform(0.2, 1));
        const Mat3 S = R * radii.cwiseAbs2().asDiagonal() * R.transpose();
        const Vec3 n = random.direction();
        const auto support = ellipsoid_support(ellipsoid_shape(S), wide<Real>(n));
        const Vec3 point = vec(support.point);
        EXPECT_NEAR(n.dot(point), support.height, 1e-14);
        EXPECT_NEAR(point.dot(S.inverse() * point), 1, 1e-12);
        Real highest = 0;
        for (int k = 0; k < 2000; ++k) {
            highest = std::max(highest, n.dot(R * radii.cwiseProduct(random.direction())));
        }
        EXPECT_LE(highest, support.height * (1 + 1e-14));
        EXPECT_GT(highest, support.height * 0.98);
    }
}

TEST(EllipsoidTest, HalfSpaceIsTouchedByTheLowestPoint) {
    Random random(3);
    for (int i = 0; i < 100; ++i) {
        const Mat3 S = random.shape(4);
        const Vec3 n = random.direction();
        const Real distance = random.uniform(-1, 1);
        const auto contact = ellipsoid_plane_contact(ellipsoid_shape(S), wide<Real>(n), distance);
        EXPECT_NEAR(contact.depth, std::sqrt(n.dot(S * n)) - distance, 1e-14);
        EXPECT_LT((vec(contact.arm) + S * n / std::sqrt(n.dot(S * n))).norm(), 1e-13);
        EXPECT_NEAR(distance + n.dot(vec(contact.arm)), -contact.depth, 1e-14);
    }
    const Vec3 up = Vec3::UnitZ();
    const Mat3 lying = Vec3(1, 4, 0).asDiagonal();
    const auto flat = ellipsoid_plane_contact(ellipsoid_shape(lying), wide<Real>(up), 0.25);
    EXPECT_EQ(flat.depth, -0.25);
    EXPECT_EQ(vec(flat.arm), Vec3(0, 0, 0));
}

TEST(EllipsoidTest, SpheresTouchAtTheSumOfTheirRadii) {
    Random random(4);
    for (int i = 0; i < 100; ++i) {
        const Real r1 = random.uniform(0.01, 2), r2 = random.uniform(0.01, 2);
        const Vec3 x12 = random.vector();
        const auto contact = ellipsoid_contact(x12, Mat3(square(r1) * Mat3::Identity()), square(r2) * Mat3::Identity());
        EXPECT_NEAR(contact.touching, r1 + r2, 1e-15 * (r1 + r2));
        EXPECT_NEAR(contact.depth, r1 + r2 - x12.norm(), 1e-15 * (r1 + r2 + x12.norm()));
        EXPECT_LT((vec(contact.normal) - x12.normalized()).norm(), 1e-15);
        EXPECT_LT((vec(contact.arm1) - r1 * x12.normalized()).norm(), 1e-15 * r1);
        EXPECT_LT((vec(contact.arm2) + r2 * x12.normalized()).norm(), 1e-15 * r2);
    }
}

TEST(EllipsoidTest, TouchingDistanceIsThatOfBruteForce) {
    Random random(5);
    Real worst = 0, worst_fast = 0, worst_normal = 0;
    for (int i = 0; i < 10000; ++i) {
        const Pair p = random.pair(4, i % 2 ? 4 : 1);
        const BruteForce truth(p);
        const auto contact = ellipsoid_contact(p.x12, p.S1, p.S2);
        worst = std::max(worst, std::abs(contact.touching / truth.distance - 1));
        worst_normal = std::max(worst_normal, (vec(contact.normal) - truth.normal).norm());
        worst_fast = std::max(worst_fast, std::abs(fast<Real>(p.x12, p.S1, p.S2).touching / truth.distance - 1));
    }
    EXPECT_LT(worst, 1e-13);
    EXPECT_LT(worst_normal, 1e-6);  // brute force knows it to the root of its rounding
    EXPECT_LT(worst_fast, 5e-7);
}

TEST(EllipsoidTest, OneIterationIsEnoughForNearlyRoundEllipsoids) {
    Random random(6);
    for (int i = 0; i < 10000; ++i) {
        const Pair p = random.pair(2);
        const Real d = ellipsoid_contact(p.x12, p.S1, p.S2).touching;
        EXPECT_NEAR(fast<Real>(p.x12, p.S1, p.S2, 1).touching / d, 1, 2e-7);
    }
}

TEST(EllipsoidTest, ContactPointLiesOnBothSurfacesWithTheirNormal) {
    Random random(7);
    for (int i = 0; i < 10000; ++i) {
        const Pair p = random.pair(4, 4);
        const auto contact = ellipsoid_contact(p.x12, p.S1, p.S2);
        const Vec3 x1 = vec(contact.arm1), x2 = x1 - contact.touching * p.n(), m = vec(contact.normal);
        const Vec3 gradient1 = p.S1.inverse() * x1, gradient2 = p.S2.inverse() * x2;
        ASSERT_NEAR(x1.dot(gradient1), 1, 1e-10);
        ASSERT_NEAR(x2.dot(gradient2), 1, 1e-10);
        ASSERT_LT((gradient1.normalized() - m).norm(), 1e-10);
        ASSERT_LT((gradient2.normalized() + m).norm(), 1e-10);
        ASSERT_LT((x2 - vec(contact.arm2)).norm(), 1e-11);
        ASSERT_NEAR(m.norm(), 1, 1e-15);
        ASSERT_NEAR(contact.depth, (contact.touching - p.x12.norm()) * m.dot(p.n()), 1e-13);
    }
}

TEST(EllipsoidTest, SwappingTheTwoFlipsTheNormal) {
    Random random(8);
    for (int i = 0; i < 1000; ++i) {
        const Pair p = random.pair(4, 10);
        const auto there = ellipsoid_contact(p.x12, p.S1, p.S2), back = ellipsoid_contact(-p.x12, p.S2, p.S1);
        EXPECT_NEAR(there.touching, back.touching, 1e-14 * there.touching);
        EXPECT_NEAR(there.depth, back.depth, 1e-13 * there.touching);
        EXPECT_LT((vec(there.normal) + vec(back.normal)).norm(), 1e-12);
        EXPECT_LT((vec(there.arm1) - vec(back.arm2)).norm(), 1e-12 * there.touching);
    }
}

TEST(EllipsoidTest, RigidMotionMovesTheContactAlong) {
    Random random(9);
    for (int i = 0; i < 1000; ++i) {
        const Pair p = random.pair(4, 10);
        const Mat3 R = random.rotation();
        const auto before = ellipsoid_contact(p.x12, p.S1, p.S2);
        const auto after = ellipsoid_contact(R * p.x12, R * p.S1 * R.transpose(), R * p.S2 * R.transpose());
        EXPECT_NEAR(after.touching, before.touching, 1e-13 * before.touching);
        EXPECT_LT((vec(after.normal) - R * vec(before.normal)).norm(), 1e-12);
        EXPECT_LT((vec(after.arm1) - R * vec(before.arm1)).norm(), 1e-12 * before.touching);
        EXPECT_LT((vec(after.arm2) - R * vec(before.arm2)).norm(), 1e-12 * before.touching);
    }
}

TEST(EllipsoidTest, PushingByTheDepthSeparates) {
    Random random(10);
    for (int i = 0; i < 1000; ++i) {
        const Pair p = random.pair(4, 4);
        const auto contact = fast<Real>(p.x12, p.S1, p.S2);
        const Vec3 pushed = p.x12 + contact.depth * vec(contact.normal);
        const auto after = ellipsoid_contact(pushed, p.S1, p.S2);
        EXPECT_LT(after.depth, contact.depth > 0 ? 1e-12 : 1e300);
        const auto touching = ellipsoid_contact(contact.touching * p.n(), p.S1, p.S2);
        EXPECT_NEAR(touching.depth, 0, 1e-6 * contact.touching);
    }
}

TEST(EllipsoidTest, NeedlesAndDiscsOfAnySizeAgreeWithBruteForce) {
    Random random(11);
    for (int i = 0; i < 3000; ++i) {
        const Pair p = random.pair(100, 1000);
        const BruteForce truth(p);
        const auto contact = ellipsoid_contact(p.x12, p.S1, p.S2);
        const Vec3 n = p.n(), m = vec(contact.normal);
        ASSERT_LT(contact.touching, truth.distance * (1 + 1e-10));  // brute force may stop early, but never below d
        ASSERT_NEAR((std::sqrt(m.dot(p.S1 * m)) + std::sqrt(m.dot(p.S2 * m))) / m.dot(n), contact.touching,
                    1e-10 * contact.touching);
        ASSERT_NEAR(contact.touching / truth.distance, 1, 1e-6);
        ASSERT_LT((vec(contact.arm1) - vec(contact.arm2) - contact.touching * n).norm(), 1e-9 * contact.touching);
    }
}

// Every lane its own pair.
template <class P>
EllipsoidContact<P> contact_of_lanes(const std::vector<Pair>& pairs, std::size_t first, bool is_fast) {
    using T = typename P::Scalar;
    WideVec3<P> x12;
    EllipsoidShape<P> S1, S2;
    const auto fill = [](auto& to, int lane, auto from) {
        P* packs = reinterpret_cast<P*>(&to);
        const T* numbers = reinterpret_cast<const T*>(&from);
        for (std::size_t k = 0; k < sizeof(from) / sizeof(T); ++k) packs[k].set(lane, numbers[k]);
    };
    for (int lane = 0; lane < P::width; ++lane) {
        const Pair& p = pairs[(first + lane) % pairs.size()];
        fill(x12, lane, wide<T>(p.x12));
        fill(S1, lane, shape_in<T>(p.S1));
        fill(S2, lane, shape_in<T>(p.S2));
    }
    if constexpr (std::is_same_v<T, double>) {
        if (!is_fast) return ellipsoid_contact(x12, S1, S2);
    }
    return ellipsoid_contact_fast(x12, S1, S2);
}

template <class P>
class EllipsoidPackTest : public testing::Test {};
using Packs = testing::Types<Float8, Float8Pair, Double4>;
TYPED_TEST_SUITE(EllipsoidPackTest, Packs);

TYPED_TEST(EllipsoidPackTest, PacksAreAsGoodAsTheirPrecision) {
    using P = TypeParam;
    const bool is_float = std::is_same_v<typename P::Scalar, float>;
    Random random(12);
    std::vector<Pair> pairs;
    for (int i = 0; i < 10000; ++i) pairs.push_back(random.pair(4, i % 2 ? 4 : 1));
    Real worst = 0, worst_normal = 0, worst_gap = 0;
    for (std::size_t i = 0; i < pairs.size(); i += P::width) {
        const auto contact = contact_of_lanes<P>(pairs, i, true);
        for (int lane = 0; lane < P::width; ++lane) {
            const Pair& p = pairs[(i + lane) % pairs.size()];
            const auto truth = ellipsoid_contact(p.x12, p.S1, p.S2);
            const Vec3 m(contact.normal.x[lane], contact.normal.y[lane], contact.normal.z[lane]);
            const Vec3 arm1(contact.arm1.x[lane], contact.arm1.y[lane], contact.arm1.z[lane]);
            const Vec3 arm2(contact.arm2.x[lane], contact.arm2.y[lane], contact.arm2.z[lane]);
            const Real d = truth.touching;
            worst = std::max(worst, std::abs(contact.touching[lane] / d - 1));
            worst_normal = std::max(worst_normal, (m - vec(truth.normal)).norm());
            worst_gap = std::max(worst_gap, (arm1 - arm2 - d * p.n()).norm() / d);
            ASSERT_NEAR(contact.depth[lane], truth.depth,
                        2e-6 * (d + p.x12.norm()) + 4e-3 * std::abs(p.x12.norm() - d));
        }
    }
    EXPECT_LT(worst, is_float ? 1e-6 : 5e-7);
    EXPECT_LT(worst_normal, 2e-3);
    EXPECT_LT(worst_gap, 2e-3);
}

TYPED_TEST(EllipsoidPackTest, LaneDoesNotDependOnTheOthers) {
    using P = TypeParam;
    Random random(13);
    std::vector<Pair> pairs;
    for (int i = 0; i < 400; ++i) pairs.push_back(random.pair(i % 2 ? 2 : 100, 100));
    for (const bool is_fast : {true, false}) {
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            const auto here = contact_of_lanes<P>(pairs, i, is_fast);
            const auto alone = contact_of_lanes<P>({pairs[i]}, 0, is_fast);
            ASSERT_EQ(here.touching[0], alone.touching[0]);
            ASSERT_EQ(here.normal.x[0], alone.normal.x[0]);
            ASSERT_EQ(here.arm2.z[0], alone.arm2.z[0]);
        }
    }
}

TEST(EllipsoidTest, SizeInFloatDoesNotMatter) {
    Random random(14);
    for (int i = 0; i < 1000; ++i) {
        const Pair p = random.pair(4);
        const auto reference = fast<float>(p.x12, p.S1, p.S2);
        for (const Real scale : {0x1p-20, 0x1p20}) {
            const auto scaled = fast<float>(scale * p.x12, square(scale) * p.S1, square(scale) * p.S2);
            EXPECT_EQ(scaled.touching, float(scale) * reference.touching);
            EXPECT_EQ(scaled.normal.x, reference.normal.x);
            EXPECT_EQ(scaled.arm2.y, float(scale) * reference.arm2.y);
        }
    }
}

// What is flat, coincident or nothing at all, with the d that follows from its geometry.
struct Special {
    const char* name;
    Vec3 x12, squares1, squares2;
    Real d;
};

template <class T>
void expect_special(const Special& s, const Mat3& R, Real tolerance) {
    const Mat3 S1 = R * s.squares1.asDiagonal() * R.transpose(), S2 = R * s.squares2.asDiagonal() * R.transpose();
    const auto expect = [&](const EllipsoidContact<T>& c) {
        const Vec3 m(c.normal.x, c.normal.y, c.normal.z);
        EXPECT_NEAR(m.norm(), 1, 1e-6) << s.name;
        EXPECT_NEAR(c.touching, s.d, tolerance) << s.name;
        EXPECT_GE(m.dot(s.x12.isZero() ? Vec3::UnitX() : Vec3(R * s.x12)), -1e-6) << s.name;
        for (const T x : {c.depth, c.distance, c.arm1.x, c.arm1.y, c.arm1.z, c.arm2.x, c.arm2.y, c.arm2.z}) {
            EXPECT_LT(std::abs(x), 100) << s.name;
        }
    };
    expect(fast<T>(R * s.x12, S1, S2));
    if constexpr (std::is_same_v<T, double>) expect(ellipsoid_contact(R * s.x12, S1, S2));
}

const std::vector<Special>& specials() {
    static const std::vector<Special> list = {
        {"disc flat on a ball", {0, 0, 2}, {1, 1, 0}, {1, 1, 1}, 1},
        {"disc edge to a ball", {2, 0, 0}, {1, 1, 0}, {1, 1, 1}, 2},
        {"discs face to face", {0, 0, 2}, {1, 1, 0}, {1, 1, 0}, 0},
        {"discs edge to edge", {2, 0, 0}, {1, 1, 0}, {4, 4, 0}, 3},
        {"parallel discs, aslant", {1, 0, 1}, {1, 1, 0}, {1, 1, 0}, 0},
        {"edge of a disc on the face of another", {2, 0, 0}, {1, 1, 0}, {0, 1, 1}, 1},
        {"needles in line", {2, 0, 0}, {1, 0, 0}, {4, 0, 0}, 3},
        {"needles side by side", {0, 0, 2}, {1, 0, 0}, {1, 0, 0}, 0},
        {"needles crossed", {0, 0, 2}, {1, 0, 0}, {0, 1, 0}, 0},
        {"needle on a ball, endwise", {0, 2, 0}, {0, 1, 0}, {1, 1, 1}, 2},
        {"needle on a ball, sideways", {0, 0, 2}, {0, 1, 0}, {1, 1, 1}, 1},
        {"point and ellipsoid", {0, 2, 0}, {0, 0, 0}, {1, 4, 9}, 2},
        {"two points", {1, 2, 0}, {0, 0, 0}, {0, 0, 0}, 0},
        {"one inside the other", {0, 0.125, 0}, {0.0625, 0.0625, 0.0625}, {1, 4, 9}, 2.25},
    };
    return list;
}

TEST(EllipsoidTest, FlatAndVanishingEllipsoidsHaveContacts) {
    Random random(15);
    for (const Special& s : specials()) {
        expect_special<double>(s, Mat3::Identity(), 1e-6);
        expect_special<float>(s, Mat3::Identity(), 3e-3);
        for (int i = 0; i < 20; ++i) {
            const Mat3 R = random.rotation();
            expect_special<double>(s, R, 1e-6);
            expect_special<float>(s, R, 3e-3);
        }
    }
}

TEST(EllipsoidTest, NothingFiniteGivesAContactThatIsNot) {
    Random random(17);
    const auto radius = [&] {
        const Real kind = random.uniform(0, 3);
        return kind < 1 ? 0 : kind < 2 ? 1 : std::pow(10, random.uniform(-6, 0));
    };
    const auto shape = [&]() -> Mat3 {
        const Mat3 R = random.uniform(0, 1) < 0.5 ? Mat3(Mat3::Identity()) : random.rotation();
        const Mat3 A = R * Vec3(radius(), radius(), radius()).asDiagonal() * std::pow(10, random.uniform(-3, 3));
        return A * A.transpose();
    };
    const auto is_fine = [](const auto& contact) {
        const auto* numbers = &contact.distance;
        for (std::size_t k = 0; k < sizeof(contact) / sizeof(*numbers); ++k) {
            if (!std::isfinite(numbers[k])) return false;
        }
        return std::abs(dot(contact.normal, contact.normal) - 1) < 1e-5;
    };
    for (int i = 0; i < 50000; ++i) {
        const Mat3 S1 = shape(), S2 = i % 5 ? shape() : S1;
        const Vec3 direction = i % 3 ? random.vector() : Vec3(Vec3::Unit(i % 2));
        const Vec3 x12 = i % 10 ? Vec3(direction * std::pow(10, random.uniform(-3, 3))) : Vec3(Vec3::Zero());
        ASSERT_TRUE(is_fine(fast<float>(x12, S1, S2))) << i;
        ASSERT_TRUE(is_fine(fast<double>(x12, S1, S2))) << i;
        ASSERT_TRUE(is_fine(ellipsoid_contact(x12, S1, S2))) << i;
    }
}

TEST(EllipsoidTest, CoincidentCentresHaveAUnitNormal) {
    Random random(16);
    for (int i = 0; i < 100; ++i) {
        const Mat3 S1 = random.shape(4), S2 = random.shape(4);
        const auto contact = ellipsoid_contact(Vec3::Zero(), S1, S2);
        const auto expected = ellipsoid_contact(Vec3::UnitX(), S1, S2);
        EXPECT_EQ(contact.distance, 0);
        EXPECT_EQ(contact.touching, expected.touching);
        EXPECT_EQ(vec(contact.normal), vec(expected.normal));
        const Vec3 m = vec(contact.normal);
        EXPECT_NEAR(contact.depth, std::sqrt(m.dot(S1 * m)) + std::sqrt(m.dot(S2 * m)), 1e-14);
        EXPECT_NEAR(fast<float>(Vec3::Zero(), S1, S2).touching / contact.touching, 1, 2e-6);
    }
}

}  // namespace
}  // namespace pliant
