#include "pliant/geometry/sampling.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <set>

#include "pliant/base/error.h"
#include "pliant/base/hash.h"
#include "pliant/base/parallel.h"
#include "pliant/geometry/implicit.h"
#include "pliant/geometry/neighbours.h"
#include "pliant/geometry/sampling_measure.h"

namespace pliant {
namespace {

const std::vector<std::string> kinds = {"cubic", "bcc", "blue_noise"};

class TestShape : public Shape {
public:
    using Formula = Real (*)(const Vec3&, Real);
    TestShape(Formula formula, Real size, const Vec3& half) : formula_(formula), size_(size), half_(half) {}
    Real distance(const Vec3& x) const override { return formula_(x, size_); }
    Box bounds() const override { return Box(-half_, half_); }

private:
    Formula formula_;
    Real size_;
    Vec3 half_;
};

TestShape ball(Real radius) {
    return {[](const Vec3& x, Real r) { return x.norm() - r; }, radius, Vec3::Constant(radius)};
}

TestShape ring(Real radius) {
    const auto formula = [](const Vec3& x, Real r) {
        return implicit::torus(x, Vec3::Zero(), Vec3::UnitY(), r, r / 4);
    };
    return {formula, radius, Vec3(1.25 * radius, 0.25 * radius, 1.25 * radius)};
}

class Cuboid : public Shape {
public:
    explicit Cuboid(const Vec3& sizes, const Vec3& centre = Vec3::Zero()) : half_(sizes / 2), centre_(centre) {}
    Real distance(const Vec3& x) const override { return implicit::rounded_box(x, centre_, half_, 0); }
    Box bounds() const override { return Box(centre_ - half_, centre_ + half_); }

private:
    Vec3 half_, centre_;
};

class HalfSpace : public Shape {
public:
    Real distance(const Vec3& x) const override { return x.y(); }
    bool is_bounded() const override { return false; }
    Box bounds() const override {
        const Real infinity = std::numeric_limits<Real>::infinity();
        return Box(Vec3::Constant(-infinity), Vec3::Constant(infinity));
    }
};

SamplingSettings settings(const std::string& kind, Real spacing) {
    SamplingSettings result;
    result.sampling = kind;
    result.spacing = spacing;
    return result;
}

std::size_t count(const Shape& shape, const std::string& kind, Real spacing) {
    return sample(shape, settings(kind, spacing)).positions.size();
}

Real least_distance(const std::vector<Vec3>& points, Real spacing) {
    NeighbourLists near;
    NeighbourSearch().find(points, 2 * spacing, near);
    Real least = 2 * spacing;
    for (std::size_t i = 0; i < near.size(); ++i) {
        for (const std::uint32_t j : near[i]) least = std::min(least, (points[i] - points[j]).norm());
    }
    return least;
}

std::uint64_t hash_of(const std::vector<Vec3>& points) {
    Hash hash;
    hash.add_bytes(points.data(), points.size() * sizeof(Vec3));
    return hash.value();
}

TEST(Sampling, OfABoxOfWholeSpacingsIsExact) {
    for (const Real spacing : {0.1, 0.01, 1.0 / 3, 0.007}) {
        for (const int n : {1, 2, 7, 20}) {
            const Vec3 sizes = spacing * Vec3(n, n + 1, 2 * n);
            EXPECT_EQ(count(Cuboid(sizes, Vec3(0.3, -7, 0.01)), "cubic", spacing), std::size_t(n * (n + 1) * 2 * n));
        }
    }
}

TEST(Sampling, OfABoxSumsUpToItsVolume) {
    const Samples samples = sample(Cuboid(Vec3(1, 0.5, 0.2)), settings("cubic", 0.05));
    EXPECT_NEAR(samples.volume * Real(samples.positions.size()), 0.1, 1e-12);
    EXPECT_NEAR(samples.shape_volume, 0.1, 1e-4);
}

TEST(Sampling, OfABoxFillsItsCornersWithCubicSites) {
    const auto points = sample(Cuboid(Vec3(0.4, 0.4, 0.4)), settings("cubic", 0.1)).positions;
    Box box;
    for (const Vec3& x : points) box.extend(x);
    EXPECT_TRUE(box.min().isApprox(Vec3::Constant(-0.15), 1e-12));
    EXPECT_TRUE(box.max().isApprox(Vec3::Constant(0.15), 1e-12));
}

TEST(Sampling, KeepsTheBallsOfAllParticlesWithinTheShape) {
    for (const std::string& kind : kinds) {
        for (const Real spacing : {0.3, 0.1, 0.06}) {
            const TestShape shapes[] = {ball(1), ring(1.5)};
            for (const TestShape& shape : shapes) {
                for (const Vec3& x : sample(shape, settings(kind, spacing)).positions) {
                    ASSERT_LE(shape.distance(x), -0.498 * spacing) << kind;
                }
            }
        }
    }
}

// Block by block, the lattice must take what a plain loop over all of space would.
TEST(Sampling, TakesTheSitesThatAPlainLoopWouldTake) {
    const TestShape shape = ring(1);
    const Real h = 0.03;
    std::size_t expected = 0;
    const Eigen::Array3i n = (shape.bounds().sizes() / h).array().floor().cast<int>();
    for (int x = 0; x < n.x(); ++x) {
        for (int y = 0; y < n.y(); ++y) {
            for (int z = 0; z < n.z(); ++z) {
                const Vec3 site = h * (Vec3(x, y, z) - (n.cast<Real>() - 1).matrix() / 2);
                expected += shape.distance(site) <= -0.499 * h;
            }
        }
    }
    EXPECT_GT(expected, 30000u);
    EXPECT_EQ(count(shape, "cubic", h), expected);
}

TEST(Sampling, ByLatticesIsAsSymmetricAsTheShape) {
    for (const std::string kind : {"cubic", "bcc"}) {
        for (const Real spacing : {0.1, 0.083, 0.21}) {
            const auto points = sample(ring(1), settings(kind, spacing)).positions;
            const auto rounded = [](const Vec3& x) {
                return std::array<long, 3>{std::lround(x.x() * 1e9), std::lround(x.y() * 1e9),
                                           std::lround(x.z() * 1e9)};
            };
            std::set<std::array<long, 3>> all;
            for (const Vec3& x : points) all.insert(rounded(x));
            EXPECT_EQ(all.size(), points.size());
            for (const Vec3& x : points) {
                for (int axis = 0; axis < 3; ++axis) {
                    Vec3 mirror = x;
                    mirror[axis] *= -1;
                    ASSERT_TRUE(all.count(rounded(mirror))) << kind << " " << spacing;
                }
            }
        }
    }
}

// Nearest sites: h on the cubic lattice; sqrt(3)/2 a with a^3 = 2 h^3 on the body-centred one.
TEST(Sampling, ByLatticesHasTheirDistances) {
    EXPECT_NEAR(least_distance(sample(ball(1), settings("cubic", 0.1)).positions, 0.1), 0.1, 1e-12);
    const Real expected = std::sqrt(3.0) / 2 * std::cbrt(2.0) * 0.1;
    EXPECT_NEAR(least_distance(sample(ball(1), settings("bcc", 0.1)).positions, 0.1), expected, 1e-12);
}

// The number of particles well inside, over the volume there, is one a spacing cubed.
TEST(Sampling, HasOneParticleASpacingCubed) {
    const Real spacing = 0.04, inner = 0.8;
    for (const std::string& kind : kinds) {
        const auto points = sample(ball(1), settings(kind, spacing)).positions;
        const auto within =
            std::count_if(points.begin(), points.end(), [&](const Vec3& x) { return x.norm() < inner; });
        EXPECT_NEAR(Real(within) * cube(spacing) / (4 * pi / 3 * cube(inner)), 1, 0.02) << kind;
    }
}

TEST(Sampling, ByBlueNoiseKeepsParticlesApart) {
    for (const Real spacing : {0.05, 0.11, 0.3}) {
        EXPECT_GE(least_distance(sample(ball(1), settings("blue_noise", spacing)).positions, spacing), 0.799 * spacing);
        EXPECT_GE(least_distance(sample(ring(1.5), settings("blue_noise", spacing)).positions, spacing),
                  0.799 * spacing);
    }
}

// No place within is farther than a spacing from the nearest particle: there are no holes.
TEST(Sampling, ByBlueNoiseLeavesNoHoles) {
    const Real spacing = 0.06;
    std::vector<Vec3> points = sample(ball(1), settings("blue_noise", spacing)).positions;
    const std::size_t particles = points.size();
    std::mt19937 engine(1);
    std::uniform_real_distribution<Real> uniform(-0.5, 0.5);
    for (int k = 0; k < 20000; ++k) points.push_back(Vec3(uniform(engine), uniform(engine), uniform(engine)));
    NeighbourLists near;
    NeighbourSearch().find(points, 1.1 * spacing, near);
    for (std::size_t i = particles; i < points.size(); ++i) {
        ASSERT_TRUE(!near[i].empty() && near[i].front() < particles) << "a hole at " << points[i].transpose();
    }
}

// The share of pairs in a thin shell, over that of points without order: g(r). A lattice has peaks in the hundreds
// with nothing between them; noise of this kind has one soft hill beyond the least distance and is flat afterwards.
TEST(Sampling, ByBlueNoiseHasNoLatticePeaks) {
    const Real spacing = 0.04, width = 0.05 * spacing;
    const auto points = sample(ball(1), settings("blue_noise", spacing)).positions;
    NeighbourLists near;
    NeighbourSearch().find(points, 3 * spacing, near);
    std::vector<Real> pairs(60, 0);
    Real inner = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (points[i].norm() > 0.8) continue;
        inner += 1;
        for (const std::uint32_t j : near[i]) {
            const auto bin = std::size_t((points[i] - points[j]).norm() / width);
            if (bin < pairs.size()) pairs[bin] += 1;
        }
    }
    for (std::size_t bin = 0; bin < pairs.size(); ++bin) {
        const Real r = width * Real(bin);
        const Real g = pairs[bin] / inner * cube(spacing) / (4 * pi / 3 * (cube(r + width) - cube(r)));
        EXPECT_LT(g, 3.2) << r / spacing;
        if (bin >= 30) {
            EXPECT_NEAR(g, 1, 0.35) << r / spacing;
        }
    }
}

TEST(Sampling, IsTheSameEveryTimeAndAtAnyNumberOfThreads) {
    for (const std::string& kind : kinds) {
        const std::uint64_t expected = hash_of(sample(ring(1), settings(kind, 0.05)).positions);
        for (const int threads : {1, 2, 4}) {
            Threads(threads).run([&] {
                EXPECT_EQ(hash_of(sample(ring(1), settings(kind, 0.05)).positions), expected) << kind << threads;
            });
        }
    }
}

TEST(Sampling, ByBlueNoiseDependsOnTheSeed) {
    SamplingSettings one = settings("blue_noise", 0.1), other = one;
    other.seed = -1;
    EXPECT_NE(hash_of(sample(ball(1), one).positions), hash_of(sample(ball(1), other).positions));
}

TEST(Sampling, IsForetoldByTheEstimate) {
    for (const std::string& kind : kinds) {
        for (const Real spacing : {0.2, 0.07, 0.03}) {
            const std::size_t estimate = estimate_count(ring(1), settings(kind, spacing));
            const std::size_t actual = count(ring(1), kind, spacing);
            if (kind == "blue_noise")
                EXPECT_NEAR(Real(estimate) / Real(actual), 1, 0.06) << spacing;
            else
                EXPECT_EQ(estimate, actual) << kind << " " << spacing;
        }
    }
    EXPECT_NEAR(Real(estimate_count(ball(1), settings("cubic", 0.01))) / Real(count(ball(1), "cubic", 0.01)), 1, 0.01);
}

std::string complaint(const Shape& shape, const SamplingSettings& s) {
    try {
        sample(shape, s);
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

// The number that stands before " m would do".
Real advice(const std::string& message) {
    const std::size_t end = message.find(" m would do");
    if (end == std::string::npos) return 0;
    return std::stod(message.substr(message.rfind(' ', end - 1)));
}

TEST(Sampling, OfBillionsOfParticlesIsRefusedWithASpacingThatWouldDo) {
    for (const std::string& kind : kinds) {
        SamplingSettings s = settings(kind, 1e-4);  // a cubic metre: 10^12 particles
        const std::string message = complaint(Cuboid(Vec3::Ones()), s);
        EXPECT_NE(message.find("particles, more than"), std::string::npos) << message;
        s.spacing = advice(message);
        EXPECT_NEAR(Real(estimate_count(Cuboid(Vec3::Ones()), s)), 1e8, 1e7);
    }
    EXPECT_NE(complaint(Cuboid(Vec3::Ones()), settings("cubic", 1e-12)), "");
}

TEST(Sampling, OfABodyThinnerThanTheSpacingIsRefusedWithASpacingThatWouldDo) {
    for (const std::string& kind : kinds) {
        for (const Real thickness : {0.5, 0.05}) {
            const Cuboid sheet(Vec3(1, thickness, 1), Vec3(0.1, 0.2, 0.3));
            const std::string message = complaint(sheet, settings(kind, 2 * thickness));
            EXPECT_NE(message.find("thinner than the spacing"), std::string::npos) << message;
            EXPECT_GT(count(sheet, kind, advice(message)), 0u);
        }
        EXPECT_GT(count(ring(1), kind, advice(complaint(ring(1), settings(kind, 1)))), 0u);
    }
}

TEST(Sampling, OfASheetOneSpacingThickIsOneLayer) {
    EXPECT_EQ(count(Cuboid(Vec3(1, 0.1, 1)), "cubic", 0.1), 100u);
    EXPECT_GT(count(Cuboid(Vec3(1, 0.1, 1)), "blue_noise", 0.1), 60u);
}

TEST(Sampling, OfWhatCannotBeFilledIsRefused) {
    EXPECT_NE(complaint(HalfSpace(), settings("cubic", 0.1)).find("bounded"), std::string::npos);
    EXPECT_NE(complaint(ball(1), settings("hexagonal", 0.1)).find("hexagonal"), std::string::npos);
    const Real nan = std::numeric_limits<Real>::quiet_NaN();
    for (const Real spacing : {0.0, -1.0, nan, std::numeric_limits<Real>::infinity()}) {
        EXPECT_NE(complaint(ball(1), settings("bcc", spacing)).find("must be positive"), std::string::npos);
    }
    const TestShape hollow([](const Vec3& x, Real) { return x.norm(); }, 0, Vec3::Ones());
    EXPECT_NE(complaint(hollow, settings("cubic", 0.1)).find("no inside"), std::string::npos);
    const TestShape not_a_number([](const Vec3& x, Real) { return std::sqrt(-1 - x.squaredNorm()); }, 0, Vec3::Ones());
    EXPECT_NE(complaint(not_a_number, settings("blue_noise", 0.1)).find("no inside"), std::string::npos);
}

TEST(Sampling, OfABodyInManyFarPiecesTakesThemAll) {
    const TestShape two(
        [](const Vec3& x, Real d) { return std::min((x - Vec3(d, 0, 0)).norm(), (x + Vec3(d, 0, 0)).norm()) - 1; },
        5000, Vec3(5001, 1, 1));
    for (const std::string& kind : kinds) {
        const auto points = sample(two, settings(kind, 0.2)).positions;
        const auto left = std::count_if(points.begin(), points.end(), [](const Vec3& x) { return x.x() < 0; });
        EXPECT_GT(left, 200) << kind;
        EXPECT_NEAR(Real(left) / Real(points.size()), 0.5, 0.05) << kind;
    }
}

TEST(Sampling, FieldsNameWhatASceneMaySet) {
    std::vector<std::string> names;
    for (const Field& f : SamplingSettings::fields()) names.push_back(f.name);
    EXPECT_EQ(names, (std::vector<std::string>{"spacing", "sampling", "seed"}));
}

TEST(Measure, VolumeIsThatOfTheFormula) {
    EXPECT_NEAR(measure_volume(ball(0.5)) / (4 * pi / 3 * cube(0.5)), 1, 1e-3);
    EXPECT_NEAR(measure_volume(ring(2)) / (2 * square(pi) * 2 * square(0.5)), 1, 3e-3);
    EXPECT_NEAR(measure_volume(Cuboid(Vec3(1, 2, 0.3))) / 0.6, 1, 1e-3);
    EXPECT_NEAR(measure_volume(Cuboid(Vec3(10, 0.01, 10))) / 1, 1, 5e-3);
    EXPECT_NEAR(measure_volume(ball(0.5), 0.1) / (4 * pi / 3 * cube(0.4)), 1, 1e-3);
    EXPECT_EQ(measure_volume(ball(0.5), 0.6), 0);
}

TEST(Measure, GreatestDepthIsThatOfTheFormula) {
    EXPECT_NEAR(measure_greatest_depth(ball(0.7)), 0.7, 1e-9);
    EXPECT_NEAR(measure_greatest_depth(ring(2)), 0.5, 0.02);
    EXPECT_NEAR(measure_greatest_depth(Cuboid(Vec3(4, 0.1, 1), Vec3(1, 2, 3))), 0.05, 0.002);
}

}  // namespace
}  // namespace pliant
