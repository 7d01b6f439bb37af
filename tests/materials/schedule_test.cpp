#include "pliant/materials/schedule.h"

#include <gtest/gtest.h>

namespace pliant {
namespace {

ScheduleSettings schedule(const std::string& modulus, std::vector<ScheduleKey> keys,
                          const std::string& interpolation = "linear") {
    return {"material.toffee." + modulus, interpolation, std::move(keys)};
}

const Material rubber{"toffee", 1000, Moduli::from_young_poisson(1e5, 0.3), HenckyElasticity{}, {}};
const Moduli& own = rubber.moduli;

std::string problem_of(const ScheduleSettings& settings) {
    const auto problems = settings.problems();
    return problems.empty() ? "" : problems.front();
}

TEST(Schedule, GoesFromKeyToKeyAndStaysAtTheEnds) {
    const auto linear = schedule("young", {{1, 10}, {3, 30}, {4, 0}});
    EXPECT_EQ(linear.value(0), 10);
    EXPECT_EQ(linear.value(1), 10);
    EXPECT_EQ(linear.value(1.5), 15);
    EXPECT_EQ(linear.value(3), 30);
    EXPECT_EQ(linear.value(3.5), 15);
    EXPECT_EQ(linear.value(9), 0);
    const auto smooth = schedule("young", {{0, 0}, {1, 1}}, "smooth");
    EXPECT_DOUBLE_EQ(smooth.value(0.5), 0.5);
    EXPECT_DOUBLE_EQ(smooth.value(0.25), 0.15625);  // 3 u^2 - 2 u^3
}

TEST(Schedule, DrivesOneOfAPairAndKeepsTheOther) {
    MaterialSchedule young(0, rubber), shear(0, rubber), mu(0, rubber), poisson(0, rubber);
    ASSERT_FALSE(young.add(schedule("young", {{0, 1e5}, {1, 2e5}})));
    EXPECT_NEAR(young.moduli(0.5).young(), 1.5e5, 1e-6);
    EXPECT_NEAR(young.moduli(0.5).poisson(), 0.3, 1e-12);
    ASSERT_FALSE(shear.add(schedule("shear", {{0, 0}})));
    EXPECT_EQ(shear.moduli(2).mu, 0);
    EXPECT_NEAR(shear.moduli(2).bulk(), own.bulk(), 1e-6);
    ASSERT_FALSE(mu.add(schedule("mu", {{0, 1e3}})));
    EXPECT_EQ(mu.moduli(0).mu, 1e3);
    EXPECT_EQ(mu.moduli(0).lambda, own.lambda);
    ASSERT_FALSE(poisson.add(schedule("poisson", {{0, 0.1}, {2, 0.4}})));
    EXPECT_NEAR(poisson.moduli(2).poisson(), 0.4, 1e-12);
    EXPECT_NEAR(poisson.moduli(2).young(), 1e5, 1e-6);
}

TEST(Schedule, TwoMayDriveBothOfAPair) {
    MaterialSchedule both(3, rubber);
    ASSERT_FALSE(both.add(schedule("shear", {{0, 1e4}, {1, 0}})));
    ASSERT_FALSE(both.add(schedule("bulk", {{0, 1e5}, {2, 0}})));
    EXPECT_EQ(both.material, 3u);
    EXPECT_NEAR(both.moduli(0.5).shear(), 5e3, 1e-9);
    EXPECT_NEAR(both.moduli(0.5).bulk(), 7.5e4, 1e-9);
    EXPECT_EQ(both.moduli(5).mu, 0);
    EXPECT_EQ(both.moduli(5).lambda, 0);
}

TEST(Schedule, NoYoungsModulusIsNoStiffnessAtAll) {
    MaterialSchedule melting(0, rubber);
    ASSERT_FALSE(melting.add(schedule("young", {{0, 1e5}, {1, 0}})));
    EXPECT_EQ(melting.moduli(1).mu, 0);
    EXPECT_EQ(melting.moduli(1).lambda, 0);
}

TEST(Schedule, RefusesWhatDoesNotGoTogether) {
    MaterialSchedule driven(0, rubber);
    ASSERT_FALSE(driven.add(schedule("young", {{0, 1e5}})));
    EXPECT_NE(driven.add(schedule("shear", {{0, 1e5}})).value_or("").find("do not go together"), std::string::npos);
    EXPECT_NE(driven.add(schedule("young", {{0, 1e5}})).value_or("").find("driven twice"), std::string::npos);
    MaterialSchedule swelling(0, rubber);
    EXPECT_NE(swelling.add(schedule("lambda", {{0, 0}, {1, -1e5}})).value_or("").find("swell"), std::string::npos);
    EXPECT_EQ(swelling.moduli(1).lambda, own.lambda);  // nothing was added
}

TEST(Schedule, SaysWhatIsWrong) {
    EXPECT_EQ(problem_of(schedule("young", {{0, 0}, {1, 1e5}})), "");
    EXPECT_NE(problem_of({"young", "linear", {{0, 1}}}).find("names no parameter"), std::string::npos);
    EXPECT_NE(problem_of({"material.young", "linear", {{0, 1}}}).find("names no parameter"), std::string::npos);
    EXPECT_NE(problem_of(schedule("density", {{0, 1}})).find("mass stays"), std::string::npos);
    EXPECT_NE(problem_of(schedule("yuong", {{0, 1}})).find("did you mean 'young'"), std::string::npos);
    EXPECT_NE(problem_of(schedule("young", {})).find("has no keys"), std::string::npos);
    EXPECT_NE(problem_of(schedule("young", {{1, 1}, {1, 2}})).find("sort the keys"), std::string::npos);
    EXPECT_NE(problem_of(schedule("young", {{0, -1}})).find("at least 0"), std::string::npos);
    EXPECT_NE(problem_of(schedule("poisson", {{0, 0.5}})).find("at most 0.4999"), std::string::npos);
}

TEST(Schedule, NamesOfMaterialsMayHaveDots) {
    const ScheduleSettings dotted{"material.mix.no.5.young", "linear", {{0, 1}}};
    ASSERT_TRUE(dotted.target());
    EXPECT_EQ(dotted.target()->material, "mix.no.5");
    EXPECT_EQ(dotted.target()->name, "young");
}

TEST(Schedule, KnowsTheStiffestOfAllTimes) {
    MaterialSchedule hardening(0, rubber);
    ASSERT_FALSE(hardening.add(schedule("young", {{0, 0}, {1, 1e7}, {2, 1e3}})));
    EXPECT_NEAR(hardening.largest_p_wave(), Moduli::from_young_poisson(1e7, 0.3).p_wave(), 1);
}

// Settings of the plastic and viscous parts, by the tables of their fields.
Material flowing() {
    Material toffee = rubber;
    toffee.plasticity = VonMisesPlasticity{2e3, 0};
    toffee.viscous = Viscous{1e4, 0, 50, {}};
    return toffee;
}

TEST(Schedule, DrivesHowMatterFlows) {
    MaterialSchedule driven(0, flowing());
    EXPECT_FALSE(driven.changes_flow());
    ASSERT_FALSE(driven.add(schedule("plastic.yield_stress", {{0, 2e3}, {2, 0}})));
    ASSERT_FALSE(driven.add(schedule("viscous.viscosity", {{0, 50}, {1, 10}})));
    ASSERT_FALSE(driven.add(schedule("viscous.bulk_viscosity", {{0, 7}})));
    ASSERT_FALSE(driven.add(schedule("young", {{0, 1e5}, {1, 3e5}})));
    EXPECT_TRUE(driven.changes_flow());
    const Material now = driven.at(0.5);
    EXPECT_EQ(std::get<VonMisesPlasticity>(*now.plasticity).yield_stress, 1500);
    EXPECT_EQ(now.viscous->viscosity, 30);
    EXPECT_EQ(now.viscous->bulk_viscosity, 7);
    EXPECT_EQ(now.viscous->shear, 1e4);
    EXPECT_NEAR(now.moduli.young(), 2e5, 1e-6);
    EXPECT_NEAR(moduli_of(now.elasticity).young(), 2e5, 1e-6);
}

TEST(Schedule, ToldWhatFlowItCannotDrive) {
    const auto problem = [](const Material& material, const std::string& name, Real value) {
        MaterialSchedule driven(0, material);
        return driven.add(schedule(name, {{0, value}})).value_or("");
    };
    EXPECT_NE(problem(rubber, "plastic.yield_stress", 1).find("'toffee' has no plastic part"), std::string::npos);
    EXPECT_NE(problem(flowing(), "plastic.yeild_stress", 1).find("did you mean 'yield_stress'"), std::string::npos);
    EXPECT_NE(problem(flowing(), "viscous.viscosity", 0).find("must be above 0"), std::string::npos);
    EXPECT_NE(problem(flowing(), "plastic.yield_stress", -1).find("must be"), std::string::npos);
    EXPECT_EQ(problem(flowing(), "plastic.yield_stress", 1), "");
}

TEST(Schedule, NamesOfMaterialsMayHaveDotsBeforeAPart) {
    const ScheduleSettings dotted{"material.mix.no.5.viscous.shear", "linear", {{0, 1}}};
    ASSERT_TRUE(dotted.target());
    EXPECT_EQ(dotted.target()->material, "mix.no.5");
    EXPECT_EQ(dotted.target()->name, "viscous.shear");
    EXPECT_TRUE(dotted.target()->is_flow());
    EXPECT_FALSE((ScheduleSettings{"material.plastic.young", "linear", {}}.target()->is_flow()));
}

TEST(Schedule, KnowsWhatMeltsAndWhatLosesItsVolume) {
    MaterialSchedule softened(0, rubber), molten(0, rubber), gone(0, rubber);
    ASSERT_FALSE(softened.add(schedule("young", {{0, 1e5}, {1, 10}})));
    ASSERT_FALSE(molten.add(schedule("shear", {{0, 1e4}, {1, 0}})));
    ASSERT_FALSE(gone.add(schedule("young", {{0, 1e5}, {1, 0}})));
    EXPECT_FALSE(softened.melts());
    EXPECT_TRUE(molten.melts());
    EXPECT_FALSE(molten.loses_volume());
    EXPECT_TRUE(gone.loses_volume());
}

}  // namespace
}  // namespace pliant
