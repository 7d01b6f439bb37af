// The standard linear solid as whole bodies: what the law does in closed form, the method does as well.
#include <gtest/gtest.h>

#include "mpm/cloud.h"

namespace pliant {
namespace {

using Time = Fang2019::Time;

// All of a body is held in a strained state: the elastic part keeps its stress, the viscous one loses it by
//     exp(-t / T),   T = viscosity / shear
TEST(ViscousBody, HeldAtAStrainRelaxesToItsElasticPart) {
    const Viscous viscous{3e4, 2e4, 3e3, {}};
    const Real relaxation = viscous.viscosity / viscous.shear, dt = relaxation / 500;
    for (const Time time : {Time::newton, Time::admm, Time::symplectic_euler}) {
        Cloud cloud(lattice_block(4, 4, 4, 0.05, 0), 5e4, 0.3, 0.05);
        cloud.model.materials[0].viscous = viscous;
        cloud.model.pins.emplace_back(PinSettings{});
        std::fill(cloud.state.pin.begin(), cloud.state.pin.end(), 0);
        const Vec3 strain(0.1, -0.05, 0.02);
        for (Mat3& F : cloud.state.deformation) F = Vec3(strain.array().exp()).asDiagonal();
        cloud.start(time);
        Snapshot strained;  // both parts
        cloud.method->matter().save(strained);
        strained.put("mpm.viscous_deformation", cloud.state.deformation);
        cloud.method->matter().restore(strained);
        const Vec3 deviator = strain - Vec3::Constant(strain.mean());
        const Moduli& own = cloud.model.materials[0].moduli;
        const auto stress = [&](Real shear, Real bulk) {
            return Vec3(2 * shear * deviator + Vec3::Constant(bulk * strain.sum()));
        };
        const Vec3 lasting = stress(own.shear(), own.bulk()), passing = stress(viscous.shear, viscous.bulk);
        for (const int steps : {250, 250, 2000}) {
            cloud.run(steps, dt);
            const Vec3 exact = lasting + std::exp(-cloud.time / relaxation) * passing;
            const Vec3 tau = cloud.method->matter().kirchhoff(cloud.state, 21).diagonal();
            EXPECT_LT((tau - exact).norm(), 0.01 * exact.norm()) << cloud.time;
        }
    }
}

// A bar that hangs from its upper end, with a weight at its lower one, and draws out slowly. Without Poisson's ratio
// and with one relaxation time for shape and volume it is Zener's solid in one dimension, E and E1 = 2 G1:
//     strain = stress / E (1 - E1 / (E + E1) exp(-t / T)),   T = eta / G1 (E + E1) / E
TEST(ViscousBody, HangingBarCreepsAsTheStandardLinearSolid) {
    const Real spacing = 0.02, young = 2e7, shear = 1e7, viscosity = 1e7, g = 9.81;
    const int length = 24, held = 4, weights = 4;
    Cloud cloud(lattice_block(4, length, 4, spacing, 0), young, 0, spacing);
    cloud.model.materials[0].viscous = Viscous{shear, 2 * shear / 3, viscosity, {}};
    cloud.model.gravity = Vec3(0, -g, 0);
    cloud.model.pins.emplace_back(PinSettings{});
    std::vector<std::uint32_t> middle;
    Real below = 0;  // mass under the middle
    for (std::size_t p = 0; p < cloud.state.size(); ++p) {
        const int layer = int(std::lround(cloud.state.position[p].y() / spacing));
        if (layer >= length - held) cloud.state.pin[p] = 0;
        if (layer < weights) cloud.state.mass[p] *= 50;
        if (layer == 12) middle.push_back(cloud.state.id[p]);
        if (layer <= 12) below += cloud.state.mass[p] * (layer == 12 ? 0.5 : 1);
    }
    const Real stress = below * g / square(4 * spacing), both = young + 2 * shear;
    const Real relaxation = viscosity / shear * both / young, dt = relaxation / 400;
    cloud.settings.tolerance = 1e-6;
    cloud.start(Time::newton);
    Real worst = 0;
    for (int k = 0; k < 30; ++k) {
        cloud.run(40, dt);
        Real strain = 0;
        for (std::size_t p = 0; p < cloud.state.size(); ++p) {
            if (!std::binary_search(middle.begin(), middle.end(), cloud.state.id[p])) continue;
            strain += std::log(cloud.state.deformation[p](1, 1)) / Real(middle.size());
        }
        const Real exact = stress / young * (1 - 2 * shear / both * std::exp(-cloud.time / relaxation));
        worst = std::max(worst, std::abs(strain / exact - 1));
    }
    EXPECT_LT(worst, 0.01);
}

}  // namespace
}  // namespace pliant
