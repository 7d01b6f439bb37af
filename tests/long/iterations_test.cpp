// Iterations of the implicit step's solver on bodies of 1,000 to 200,000 particles that are bent, squashed and pressed
// on a floor, at every stiffness and step.
#include <gtest/gtest.h>

#include <algorithm>

#include "pliant/methods/mls/zhou2013.h"
#include "support/lattice.h"

namespace pliant {
namespace {

constexpr Real h = 0.05;

Model on_a_floor(Real young) {
    Model model = rubber_model(young, 0.3, h);
    model.gravity = {0, -9.81, 0};
    ColliderSettings floor;
    floor.name = "floor";
    floor.shape = PlaneShape{};
    model.colliders.emplace_back(floor, ShapeContext{".", h / 2, nullptr});
    return model;
}

// Twisted by 90 degrees over its height or bent by it, squashed to 70 %, the lowest particles on the floor.
void deform(std::vector<Vec3>& positions, int edge, bool is_bent) {
    Real lowest = 1e30;
    for (Vec3& q : positions) {
        const Real share = q.y() / (edge * h);
        if (is_bent) {
            q.x() += 0.3 * edge * h * share * share;
        } else {
            q = Eigen::AngleAxisd(pi / 2 * share, Vec3::UnitY()) * q;
        }
        q.y() *= 0.7;
        lowest = std::min(lowest, q.y());
    }
    for (Vec3& q : positions) q.y() += h / 2 - lowest;
}

class Size : public testing::TestWithParam<int> {};

TEST_P(Size, TakesAtMostTwentyFiveIterationsASolve) {
    const int edge = GetParam();
    const std::vector<Real> youngs =
        edge > 30 ? std::vector<Real>{1e6, 1e9} : std::vector<Real>{1e4, 1e5, 1e6, 1e7, 1e8, 1e9};
    int most = 0;
    for (const Real young : youngs) {
        for (const Real dt : {1e-3, 1e-2}) {
            for (const bool is_bent : {false, true}) {
                const Model model = on_a_floor(young);
                ParticleState state = lattice_block(edge, edge, edge, h, 0.05);
                Zhou2013 method({}, Zhou2013::Time::implicit_euler, model);
                method.prepare(state);
                deform(state.position, edge, is_bent);
                method.positions_changed(state);
                for (const SolverReport& solver : method.step(state, 0, dt).solvers) {
                    EXPECT_LE(solver.iterations, 25)
                        << young << " Pa, " << dt << " s, " << (is_bent ? "bent" : "twisted");
                    most = std::max(most, solver.iterations);
                }
            }
        }
    }
    RecordProperty("most", most);
    std::printf("%d particles: at most %d iterations\n", edge * edge * edge, most);
}

INSTANTIATE_TEST_SUITE_P(Edge, Size, testing::Values(10, 27, 58));

}  // namespace
}  // namespace pliant
