#include "pliant/methods/mls/zhou2013.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "pliant/math/polar.h"
#include "pliant/math/svd.h"
#include "support/lattice.h"

namespace pliant {
namespace {

constexpr Real h = 0.05, E = 1e5;

struct Fixture {
    explicit Fixture(ParticleState s, MlsSettings settings = {}, Model m = rubber_model(E, 0.3, h),
                     Zhou2013::Time time = Zhou2013::Time::implicit_euler)
        : model(std::move(m)), state(std::move(s)), method(settings, time, model) {
        method.prepare(state);
    }
    // Takes rotations from the positions as they are, and gives the forces there.
    std::vector<Vec3> forces() {
        method.deform(state, 0);
        method.linearise(state);
        return forces_at(state.position);
    }
    std::vector<Vec3> forces_at(const std::vector<Vec3>& q) {
        std::vector<Vec3> f(q.size());
        method.elastic().forces(q, f);
        return f;
    }
    Real energy() const { return method.elastic_energy(state); }

    Model model;
    ParticleState state;
    Zhou2013 method;
};

MlsSettings with_support(Real support, Real stabilisation = 0.1) {
    MlsSettings settings;
    settings.support = support;
    settings.stabilisation = stabilisation;
    return settings;
}

Real largest(const std::vector<Vec3>& v) {
    Real result = 0;
    for (const Vec3& x : v) result = std::max(result, x.norm());
    return result;
}

// Positions moved by a rough deformation of about 30 %.
void deform_roughly(ParticleState& state) {
    std::mt19937 random(3);
    std::uniform_real_distribution<Real> noise(-0.1 * h, 0.1 * h);
    Mat3 A;
    A << 1.2, 0.3, -0.1, 0.1, 0.8, 0.2, -0.2, 0.1, 1.1;
    for (Vec3& q : state.position) q = A * q + Vec3(noise(random), noise(random), noise(random));
}

class EverySupport : public testing::TestWithParam<Real> {};

TEST_P(EverySupport, PassesThePatchTest) {
    Fixture f(lattice_block(6, 6, 6, h, 0.2), with_support(GetParam()));
    Mat3 A;
    A << 1.3, -0.2, 0.1, 0.5, 0.9, 0.2, -0.3, 0.4, 1.2;
    for (Vec3& q : f.state.position) q = A * q + Vec3(1, 2, 3);
    f.method.deform(f.state, 0);
    for (std::size_t i = 0; i < f.state.size(); ++i) {
        if (f.method.rest().rank(i) < 3) continue;
        EXPECT_LT((f.state.deformation[i] - A).norm(), 1e-12);
    }
}

TEST_P(EverySupport, ForcesAreTheGradientOfTheEnergy) {
    Fixture f(lattice_block(4, 4, 4, h, 0.2), with_support(GetParam()));
    deform_roughly(f.state);
    const std::vector<Vec3> force = f.forces();
    const Real scale = largest(force), step = 1e-6 * h;
    for (const std::size_t i : {0u, 21u, 38u, 63u}) {
        for (int d = 0; d < 3; ++d) {
            Real energy[2];
            for (int side = 0; side < 2; ++side) {
                Fixture moved(lattice_block(4, 4, 4, h, 0.2), with_support(GetParam()));
                moved.state.position = f.state.position;
                moved.state.position[i][d] += side == 0 ? -step : step;
                moved.method.deform(moved.state, 0);  // with rotations of its own: the force is the same
                energy[side] = moved.energy();
            }
            EXPECT_NEAR(force[i][d], -(energy[1] - energy[0]) / (2 * step), 1e-6 * scale);
        }
    }
}

TEST_P(EverySupport, RigidMotionCausesNoForce) {
    Fixture f(lattice_block(6, 6, 6, h, 0.2), with_support(GetParam()));
    const Mat3 R = Eigen::AngleAxisd(2.1, Vec3(1, 2, -1).normalized()).toRotationMatrix();
    for (Vec3& q : f.state.position) q = R * q + Vec3(3, -2, 5);
    EXPECT_LT(largest(f.forces()), 1e-9 * E * h * h);
}

TEST_P(EverySupport, ForcesKeepLinearAndAngularMomentum) {
    Fixture f(lattice_block(6, 6, 6, h, 0.2), with_support(GetParam()));
    deform_roughly(f.state);
    const std::vector<Vec3> force = f.forces();
    Vec3 sum = Vec3::Zero(), torque = Vec3::Zero();
    for (std::size_t i = 0; i < force.size(); ++i) {
        sum += force[i];
        torque += f.state.position[i].cross(force[i]);
    }
    EXPECT_LT(sum.norm(), 1e-12 * largest(force));
    EXPECT_LT(torque.norm(), 1e-11 * largest(force));
}

INSTANTIATE_TEST_SUITE_P(Spacings, EverySupport, testing::Values(1.5, 1.8, 2.5));

TEST(Zhou2013, EnergyOfShearAndOfConfinedTensionIsTheTextbooks) {
    const Real strain = 1e-3;
    const Moduli m = Moduli::from_young_poisson(E, 0.3);
    for (const bool is_shear : {true, false}) {
        Fixture f(lattice_block(6, 6, 6, h, 0));
        for (Vec3& q : f.state.position) (is_shear ? q.x() : q.y()) += strain * q.y();
        f.method.deform(f.state, 0);
        const Real expected = is_shear ? m.mu * square(strain) / 2 : (m.lambda + 2 * m.mu) * square(strain) / 2;
        EXPECT_NEAR(f.energy() / (f.state.size() * cube(h)), expected, 1e-3 * expected);
    }
}

TEST(Zhou2013, PenaltySeesTheCheckerboardThatNoGradientSees) {
    const Real scale = E * square(0.01) * 512 * cube(h);
    Real energy[2];
    for (const int penalised : {0, 1}) {
        Fixture f(lattice_block(8, 8, 8, h, 0), with_support(2.5, 0.1 * penalised));
        for (std::size_t i = 0; i < f.state.size(); ++i) {
            const Vec3 cell = (f.state.position[i] / h).array().round();
            f.state.position[i].x() += 0.01 * h * (int(cell.sum()) % 2 ? -1 : 1);
        }
        f.method.deform(f.state, 0);
        energy[penalised] = f.energy();
    }
    EXPECT_GT(energy[1] - energy[0], 1e-3 * scale);  // at the surface gradients see something of it
}

// The matrix of the step against differences of its forces, and its symmetry.
TEST(Zhou2013, MatrixIsTheDerivativeOfTheForcesAndSymmetric) {
    Fixture f(lattice_block(5, 5, 5, h, 0.2));
    deform_roughly(f.state);
    f.method.deform(f.state, 0);
    std::mt19937 random(5);
    std::normal_distribution<Real> normal;
    const std::size_t n = f.state.size();
    std::vector<Vec3> x(n), y(n), Ax(n), Ay(n), Kx(n);
    for (std::size_t i = 0; i < n; ++i) {
        x[i] = Vec3(normal(random), normal(random), normal(random));
        y[i] = Vec3(normal(random), normal(random), normal(random));
    }
    const Real dt = 2e-3;
    f.method.multiply(f.state, dt, x, Ax);
    f.method.multiply(f.state, dt, y, Ay);
    Real xAy = 0, yAx = 0, xAx = 0;
    for (std::size_t i = 0; i < n; ++i) {
        xAy += x[i].dot(Ay[i]);
        yAx += y[i].dot(Ax[i]);
        xAx += x[i].dot(Ax[i]);
    }
    EXPECT_NEAR(xAy, yAx, 1e-12 * xAx);
    EXPECT_GT(xAx, 0);
    std::vector<Vec3> plus = f.state.position;
    for (std::size_t i = 0; i < n; ++i) plus[i] += 1e-3 * x[i];
    const auto f0 = f.forces_at(f.state.position), f1 = f.forces_at(plus);
    for (std::size_t i = 0; i < n; ++i) {
        const Vec3 expected = f.state.mass[i] * x[i] - dt * dt * (f1[i] - f0[i]) / 1e-3;
        EXPECT_LT((Ax[i] - expected).norm(), 1e-9 * largest(Ax));
    }
}

// Other laws than the corotated one: forces from their energy, a matrix that is symmetric and definite.
class EveryLaw : public testing::TestWithParam<std::string> {};

TEST_P(EveryLaw, ForcesAreTheGradientOfTheEnergy) {
    Model model = rubber_model(E, 0.3, h);
    model.materials[0].elasticity = make_elasticity(GetParam(), model.materials[0].moduli);
    Fixture f(lattice_block(4, 4, 4, h, 0.1), {}, model);
    deform_roughly(f.state);
    const std::vector<Vec3> force = f.forces();
    const Real step = 1e-6 * h;
    for (const std::size_t i : {0u, 21u, 63u}) {
        for (int d = 0; d < 3; ++d) {
            Real energy[2];
            for (int side = 0; side < 2; ++side) {
                Fixture moved(lattice_block(4, 4, 4, h, 0.1), {}, model);
                moved.state.position = f.state.position;
                moved.state.position[i][d] += side == 0 ? -step : step;
                moved.method.deform(moved.state, 0);
                energy[side] = moved.energy();
            }
            EXPECT_NEAR(force[i][d], -(energy[1] - energy[0]) / (2 * step), 1e-6 * largest(force));
        }
    }
}

TEST_P(EveryLaw, MatrixIsSymmetricAndDefinite) {
    Model model = rubber_model(E, 0.3, h);
    model.materials[0].elasticity = make_elasticity(GetParam(), model.materials[0].moduli);
    Fixture f(lattice_block(5, 5, 5, h, 0.1), {}, model);
    deform_roughly(f.state);
    f.forces();
    std::mt19937 random(5);
    std::normal_distribution<Real> normal;
    const std::size_t n = f.state.size();
    std::vector<Vec3> x(n), y(n), Ax(n), Ay(n);
    for (std::size_t i = 0; i < n; ++i) {
        x[i] = Vec3(normal(random), normal(random), normal(random));
        y[i] = Vec3(normal(random), normal(random), normal(random));
    }
    f.method.multiply(f.state, 2e-3, x, Ax);
    f.method.multiply(f.state, 2e-3, y, Ay);
    Real xAy = 0, yAx = 0, xAx = 0;
    for (std::size_t i = 0; i < n; ++i) {
        xAy += x[i].dot(Ay[i]);
        yAx += y[i].dot(Ax[i]);
        xAx += x[i].dot(Ax[i]);
    }
    EXPECT_NEAR(xAy, yAx, 1e-12 * xAx);
    EXPECT_GT(xAx, 0);
}

// Where the tangent needs no clamping, the matrix is the derivative of the forces.
TEST_P(EveryLaw, MatrixIsTheDerivativeOfTheForcesInSmallTension) {
    if (GetParam() == "corotated") GTEST_SKIP() << "linearised with rotations held: not the whole derivative";
    Model model = rubber_model(E, 0.3, h);
    model.materials[0].elasticity = make_elasticity(GetParam(), model.materials[0].moduli);
    Fixture f(lattice_block(5, 5, 5, h, 0), {}, model);
    for (Vec3& q : f.state.position) q = Vec3(1.06, 1.05, 1.04).asDiagonal() * q;
    f.forces();
    const std::size_t n = f.state.size();
    std::vector<Vec3> x(n), Kx(n), side[2];
    for (std::size_t i = 0; i < n; ++i) {
        const Vec3& q = f.state.position[i];
        x[i] = Vec3(std::sin(9 * q.x()), std::cos(8 * q.y()), std::sin(7 * q.z()));
    }
    f.method.elastic().force_changes(x, Kx);
    for (int s = 0; s < 2; ++s) {
        Fixture moved(lattice_block(5, 5, 5, h, 0), {}, model);
        for (std::size_t i = 0; i < n; ++i)
            moved.state.position[i] = f.state.position[i] + (s ? 1e-6 : -1e-6) * h * x[i];
        side[s] = moved.forces();
    }
    for (std::size_t i = 0; i < n; ++i) {
        EXPECT_LT(((side[1][i] - side[0][i]) / (2e-6 * h) - Kx[i]).norm(), 1e-4 * largest(Kx));
    }
}

INSTANTIATE_TEST_SUITE_P(Laws, EveryLaw, testing::ValuesIn(elasticity_names()),
                         [](const auto& which) { return which.param; });

TEST(Zhou2013, DiagonalBlocksAreThoseOfTheMatrix) {
    Fixture f(lattice_block(5, 5, 5, h, 0.2));
    std::vector<Mat3> blocks;
    f.method.elastic().diagonal(blocks);
    const std::size_t n = f.state.size();
    for (const std::size_t i : {0u, 12u, 62u, 124u}) {
        for (int d = 0; d < 3; ++d) {
            std::vector<Vec3> x(n, Vec3::Zero()), Kx(n);
            x[i][d] = 1;
            f.method.elastic().force_changes(x, Kx);
            EXPECT_LT((blocks[i].col(d) + Kx[i]).norm(), 1e-9 * blocks[i].norm());
        }
    }
}

// A block with strings and sheets of one particle's thickness on its sides.
ParticleState block_with_thin_ends(int edge, int length) {
    std::vector<Vec3> places;
    const auto add = [&](Real x, Real y, Real z) { places.push_back(h * Vec3(x, y, z)); };
    for (int x = 0; x < edge; ++x) {
        for (int y = 0; y < edge; ++y) {
            for (int z = 0; z < edge; ++z) add(x, y, z);
        }
    }
    for (int k = 0; k < length; ++k) {
        add(edge + k, 1, 1);                // a string
        add(edge - 1, edge + k, edge - 1);  // one on a corner
        add(1 + 0.4 * k, 1, edge + k);      // one that leans
        for (int y = 0; y < 3; ++y) add(-1 - k, y, 2);
    }
    ParticleState state = lattice_block(int(places.size()), 1, 1, h, 0);
    state.position = places;
    return state;
}

TEST(Zhou2013, RowsOfParticlesAreThoseOfTheMatrix) {
    Fixture f(block_with_thin_ends(4, 4));
    deform_roughly(f.state);
    f.method.deform(f.state, 0);
    const std::size_t n = f.state.size();
    std::vector<std::uint32_t> particles = {0, 21, 63};
    for (std::uint32_t i = 64; i < n; ++i) particles.push_back(i);
    const PointRows rows = f.method.elastic().rows_of(particles);
    std::vector<Mat3> blocks;
    f.method.elastic().blocks(rows, blocks);
    std::vector<Vec3> Kx(n), x(n, Vec3::Zero());
    for (std::size_t k = 0; k < rows.size(); ++k) {
        for (int d = 0; d < 3; ++d) {
            x[rows.point[k]][d] = 1;
            f.method.elastic().force_changes(x, Kx);
            x[rows.point[k]][d] = 0;
            for (std::uint32_t c = rows.begin[k]; c < rows.begin[k + 1]; ++c) {
                Kx[rows.column[c]] += blocks[c].row(d).transpose();
            }
            EXPECT_LT(largest(Kx), 1e-9 * E * h) << "particle " << rows.point[k];
        }
    }
}

TEST(Zhou2013, ThinPartsKeepToTheDirectionsThatTheySpan) {
    // A sheet, a string and a lone particle, turned and moved: no force, and the deformation is the rotation.
    const Mat3 R = Eigen::AngleAxisd(1.2, Vec3(1, -2, 0.5).normalized()).toRotationMatrix();
    const std::array<std::array<int, 3>, 3> sizes = {{{8, 8, 1}, {8, 1, 1}, {1, 1, 1}}};
    for (const auto& size : sizes) {
        Fixture f(lattice_block(size[0], size[1], size[2], h, 0));
        for (Vec3& q : f.state.position) q = R * q + Vec3(1, 2, 3);
        EXPECT_LT(largest(f.forces()), 1e-9 * E * h * h);
        for (const Mat3& F : f.state.deformation) {
            if (size[1] > 1) {
                EXPECT_LT((F - R).norm(), 1e-9);
            }
            EXPECT_LT((F.transpose() * F - Mat3::Identity()).norm(), 1e-9);
        }
    }
}

// Sheets and strings that are not quite flat and straight, like ears and tails of models.
class RoughThinBody : public testing::TestWithParam<int> {
protected:
    static ParticleState body() { return lattice_block(8, 1, GetParam(), h, 0.06); }
};

TEST_P(RoughThinBody, HasNoForceAtRestNorAfterRigidMotion) {
    Fixture f(body());
    const std::size_t middle = f.state.size() / 2;
    ASSERT_LT(f.method.rest().rank(middle), 3);
    EXPECT_LT(largest(f.forces()), 1e-9 * E * h * h);
    EXPECT_LT(std::abs(f.energy()), 1e-12 * E * cube(h));
    const Mat3 R = Eigen::AngleAxisd(1.1, Vec3(1, 2, -1).normalized()).toRotationMatrix();
    for (Vec3& q : f.state.position) q = R * q + Vec3(1, 2, 3);
    EXPECT_LT(largest(f.forces()), 1e-9 * E * h * h);
    EXPECT_LT(std::abs(f.energy()), 1e-12 * E * cube(h));
}

TEST_P(RoughThinBody, ForcesAreTheGradientOfTheEnergyAndKeepMomentum) {
    Fixture f(body());
    deform_roughly(f.state);
    const std::vector<Vec3> forces = f.forces();
    Vec3 force = Vec3::Zero(), torque = Vec3::Zero();
    for (std::size_t i = 0; i < f.state.size(); ++i) {
        force += forces[i];
        torque += f.state.position[i].cross(forces[i]);
    }
    EXPECT_LT(force.norm(), 1e-10 * largest(forces));
    EXPECT_LT(torque.norm(), 1e-9 * largest(forces) * h);
    const Real step = 1e-6 * h;
    for (const std::size_t i : {std::size_t(0), f.state.size() / 2, f.state.size() - 1}) {
        for (int d = 0; d < 3; ++d) {
            const auto energy_at = [&](Real offset) {
                Fixture g(body());
                g.state.position = f.state.position;
                g.state.deformation = f.state.deformation;
                g.state.position[i][d] += offset;
                g.method.deform(g.state, 0);
                return g.energy();
            };
            const Real slope = (energy_at(step) - energy_at(-step)) / (2 * step);
            EXPECT_NEAR(-slope, forces[i][d], 1e-5 * largest(forces));
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Wide, RoughThinBody, testing::Values(1, 8));

TEST(Zhou2013, RenewingTheRestShapeKeepsDeformationAndStress) {
    Fixture f(lattice_block(6, 6, 6, h, 0.1));
    Mat3 A;
    A << 1.1, 0.05, 0, 0, 0.95, 0.1, 0, 0, 1.02;
    for (Vec3& q : f.state.position) q = A * q;
    const std::vector<Vec3> before = f.forces();
    RestShape rest(f.model, 1.8, KernelKind::cosine);
    ParticleState start = lattice_block(6, 6, 6, h, 0.1);
    rest.set(start);
    rest.renew(f.state, true);
    ElasticPoints elastic(rest, 0.1);
    elastic.prepare(f.state, f.model);
    elastic.take_rest_shape();
    for (std::size_t i = 0; i < f.state.size(); ++i) elastic.set_rotation(i, polar(A).R);
    std::vector<Vec3> after(f.state.size());
    elastic.forces(f.state.position, after);
    for (std::size_t i = 0; i < after.size(); ++i) EXPECT_LT((after[i] - before[i]).norm(), 1e-5 * largest(before));
}

// Iterations of the solver for one step of a bent and pressed body, by size and stiffness.
struct Hard {
    int count;
    Real young, dt;
};
class HardSystem : public testing::TestWithParam<Hard> {};

TEST_P(HardSystem, TakesFewIterations) {
    const auto [count, young, dt] = GetParam();
    Fixture f(lattice_block(count, count, count, h, 0.05), {}, rubber_model(young, 0.3, h));
    for (Vec3& q : f.state.position) {  // a twist by 90 degrees, and squashed
        const Real angle = pi / 2 * q.y() / (count * h);
        q = Eigen::AngleAxisd(angle, Vec3::UnitY()) * q;
        q.y() *= 0.7;
    }
    f.method.deform(f.state, 0);
    const StepReport report = f.method.step(f.state, 0, dt);
    for (const SolverReport& solver : report.solvers) {
        EXPECT_LE(solver.iterations, 25);
        EXPECT_LE(solver.residual, 1e-3);
    }
}

// Thin ends hang loosely from stiff bodies: what no continuum does.
TEST(Zhou2013, TakesFewIterationsWithThinEnds) {
    for (const Real young : {1e5, 1e7, 1e9}) {
        Fixture f(block_with_thin_ends(12, 8), {}, rubber_model(young, 0.3, h));
        f.model.gravity = {0, -9.81, 0};
        for (Vec3& q : f.state.position) q = Eigen::AngleAxisd(pi / 2 * q.x() / (12 * h), Vec3::UnitX()) * q;
        f.method.deform(f.state, 0);
        for (int k = 0; k < 5; ++k) {
            for (const SolverReport& solver : f.method.step(f.state, 0, 2e-3).solvers) {
                EXPECT_LE(solver.iterations, 25) << young << " Pa, step " << k;
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(SizeStiffnessStep, HardSystem,
                         testing::Values(Hard{10, 1e5, 2e-3}, Hard{10, 1e7, 2e-3}, Hard{10, 1e9, 2e-3},
                                         Hard{10, 1e9, 1e-2}, Hard{27, 1e7, 2e-3}, Hard{27, 1e9, 1e-2}));

}  // namespace
}  // namespace pliant
