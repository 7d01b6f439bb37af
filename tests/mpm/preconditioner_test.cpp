#include <gtest/gtest.h>

#include "mpm/middle_of_step.h"
#include "pliant/linear/conjugate_gradients.h"
#include "pliant/methods/mpm/node_preconditioner.h"

namespace pliant {
namespace {

using namespace middle_of_step;

// A system of Newton's method over nodes, with some held by a floor.
struct System {
    Problem problem;
    NewtonSolve newton{{}};
    NodePreconditioner preconditioner;

    System(const Model& model, Real dt, Real bend, bool is_at_rest, int edge, const std::string& contact)
        : problem(with_floor(model, contact), dt, bend, is_at_rest, edge) {
        problem.contacts.find(problem.grid, problem.mass, {}, 0, dt);
        problem.contacts.begin(problem.expected);
        set();
    }
    // Anew, at rest.
    void set() {
        std::vector<Vec3> gradient(problem.mass.size()), still(problem.mass.size(), Vec3::Zero());
        newton.evaluate(problem.step(), still, gradient);
        preconditioner.begin();
        preconditioner.set_system(problem.grid, problem.mass, newton.tangents(), problem.contacts, LightNodes(), 0);
    }
    static Model with_floor(Model model, const std::string& contact) {
        ColliderSettings floor;
        floor.shape = PlaneShape{Vec3(0, 1, 0), 0};
        floor.contact = contact;
        model.colliders.emplace_back(floor, ShapeContext{});
        return model;
    }
    std::vector<Vec3> projected(std::vector<Vec3> x) const {
        problem.contacts.project(x);
        return x;
    }
    std::vector<Vec3> apply(const std::vector<Vec3>& r) {
        std::vector<Vec3> z(r.size());
        preconditioner(r, z);
        return projected(std::move(z));
    }
    // Iterations of conjugate gradients to a thousandth of the residual, in the norm of masses.
    int iterations(bool has_two_levels) {
        const auto multiply = [&](std::span<const Vec3> x, std::span<Vec3> result) {
            newton.multiply(problem.step(), x, result);
            problem.contacts.project(result);
        };
        const auto precondition = [&](std::span<const Vec3> r, std::span<Vec3> z) {
            if (has_two_levels) {
                preconditioner(r, z);
            } else {
                for (std::size_t i = 0; i < r.size(); ++i) {
                    z[i] = r[i].cwiseQuotient(preconditioner.diagonal()[i].cwiseMax(1e-30));
                }
            }
            problem.contacts.project(z);
        };
        const auto project = [&](std::span<Vec3> x) { problem.contacts.project(x); };
        std::vector<Vec3> b(problem.mass.size()), x(b.size(), Vec3::Zero());
        for (std::size_t i = 0; i < b.size(); ++i) b[i] = problem.mass[i] * Vec3(1, 2, -3);
        problem.contacts.project(b);
        const Real all = mass_norm(problem.mass, b);
        const auto is_done = [&](const CgProgress& p) {
            return mass_norm(problem.mass, p.residual_vector) < 1e-3 * all;
        };
        CgProblem linear{multiply, is_done, precondition, project};
        linear.starts_at_zero = true;
        ConjugateGradients cg;
        const CgReport report = cg.solve(linear, b, x);
        EXPECT_TRUE(report.is_success()) << to_string(report.reason);
        return report.iterations;
    }
};

TEST(NodePreconditioner, IsSymmetricAndPositive) {
    for (const auto& [model, is_at_rest] : models_and_grids()) {
        for (const std::string contact : {"stick", "slip"}) {
            System system(model, 0.05, 0.2, is_at_rest, 6, contact);
            ASSERT_TRUE(system.preconditioner.has_coarse());
            for (unsigned seed = 10; seed < 20; ++seed) {
                const auto x = system.projected(system.problem.noise(seed, 1)),
                           y = system.projected(system.problem.noise(seed + 100, 1));
                const auto Cx = system.apply(x), Cy = system.apply(y);
                EXPECT_NEAR(dot(x, Cy), dot(y, Cx), 1e-4 * std::sqrt(dot(x, Cx) * dot(y, Cy)));
                EXPECT_GT(dot(x, Cx), 0);
            }
        }
    }
}

// The coarse grid takes over what stiff matter carries far: with the diagonal alone iterations grow with the size of a
// body. What remains grows with stiffness to a bound: nodes at surfaces that few particles tell apart.
TEST(NodePreconditioner, SavesIterationsAndThoseLeftDoNotGrowWithSize) {
    for (const auto& [young, most] : {std::pair(1e6, 30), std::pair(1e8, 80)}) {
        int small = 0;
        for (const int edge : {12, 24}) {
            System system(rubber_model(young, 0.3, spacing), 0.02, 0, false, edge, "stick");
            ASSERT_TRUE(system.preconditioner.has_coarse());
            const int one = system.iterations(false), two = system.iterations(true);
            EXPECT_LE(two, most) << young << " " << edge;
            EXPECT_LT(two, (edge == 24 ? 0.75 : 1.0) * one) << young << " " << edge;
            if (edge == 24) {
                EXPECT_LE(two, 1.1 * small) << young;
            }
            small = two;
        }
    }
}

// As loosely as Newton's method solves its systems, at c dt / h = 9; by the diagonal alone it took 17 a system at an
// edge of 22 particles, and 26 at one of 100.
TEST(NodePreconditioner, GivesNewtonFewProductsAtAnImpactOfAnySize) {
    for (const int edge : {16, 32}) {
        const Real size = 0.5 / edge;
        Cloud cloud(lattice_block(edge, edge, edge, size, 0), 1e6, 0.3, size);
        cloud.add_floor("stick");
        move_by(cloud.state, size * Vec3(0.3, 0.5, 0.4));
        throw_by(cloud.state, Vec3(0, -1.98, 0));
        cloud.model.gravity = Vec3(0, -9.81, 0);
        cloud.start(Fang2019::Time::newton);
        cloud.run(1, 0.25 / edge);
        const SolverReport &newton = cloud.report.solvers.front(), &products = cloud.report.solvers.back();
        EXPECT_LE(newton.residual, cloud.settings.tolerance);
        EXPECT_LE(products.iterations, 10 * newton.iterations) << edge;
    }
}

// A mean tangent and a grid that is turned with the matter: far from rest it is no worse.
TEST(NodePreconditioner, KnowsHowMatterIsTurned) {
    Model model = neo_hookean_model(false);
    model.materials[0].moduli = Moduli::from_young_poisson(1e8, 0.3);
    model.materials[0].elasticity = NeoHookeanElasticity{model.materials[0].moduli};
    System upright(model, 0.02, 0, true, 12, "stick"), turned(model, 0.02, 0, true, 12, "stick");
    const Mat3 R = Eigen::AngleAxisd(1.5, Vec3(1, 2, 3).normalized()).toRotationMatrix();
    for (Mat3& F : turned.problem.state.deformation) F = R * F;
    turned.set();
    EXPECT_LT(turned.iterations(true), 1.3 * upright.iterations(true));
}

TEST(NodePreconditioner, HasOneLevelWhereMatterIsSoft) {
    System soft(rubber_model(1e4, 0.3, spacing), 0.01, 0, false, 6, "stick");
    EXPECT_FALSE(soft.preconditioner.has_coarse());
}

}  // namespace
}  // namespace pliant
