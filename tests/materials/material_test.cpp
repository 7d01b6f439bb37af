#include "pliant/materials/material.h"

#include <gtest/gtest.h>

namespace pliant {
namespace {

using Problems = std::vector<std::string>;

MaterialSettings with(const std::vector<std::pair<std::string, Real>>& given) {
    MaterialSettings settings;
    for (const auto& [name, value] : given) {
        for (const Field& field : MaterialSettings::fields()) {
            if (field.name == name) field.set(&settings, value);
        }
    }
    return settings;
}

std::string only_problem(const MaterialSettings& settings) {
    const Problems problems = settings.problems();
    EXPECT_EQ(problems.size(), 1u);
    return problems.empty() ? "" : problems[0];
}

bool mentions(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

TEST(Material, TakesItsStiffnessFromAnyPairOfModuli) {
    const Moduli expected = Moduli::from_young_poisson(2e5, 0.35);
    const std::vector<MaterialSettings> same = {
        with({{"young", 2e5}, {"poisson", 0.35}}),
        with({{"shear", expected.shear()}, {"bulk", expected.bulk()}}),
        with({{"mu", expected.mu}, {"lambda", expected.lambda}}),
    };
    for (const MaterialSettings& settings : same) {
        EXPECT_EQ(settings.problems(), Problems());
        const Material material = settings.resolve();
        EXPECT_NEAR(material.moduli.mu, expected.mu, 1e-9 * expected.mu);
        EXPECT_NEAR(material.moduli.lambda, expected.lambda, 1e-9 * expected.lambda);
        EXPECT_NEAR(principal_stress(material.elasticity, {1.001, 1, 1}).x(), expected.p_wave() * 1e-3, 1);
    }
}

TEST(Material, CarriesNameDensityLawAndFlow) {
    MaterialSettings settings = with({{"young", 1e5}, {"poisson", 0.3}, {"density", 1200}});
    settings.name = "toffee";
    EXPECT_FALSE(settings.resolve().plasticity);
    settings.plastic = Bargteil2007Plasticity{.yield_stress = 3e3};
    const Material material = settings.resolve();
    EXPECT_EQ(material.name, "toffee");
    EXPECT_EQ(material.density, 1200);
    ASSERT_TRUE(material.plasticity);
    EXPECT_EQ(std::get<Bargteil2007Plasticity>(*material.plasticity).yield_stress, 3e3);
}

TEST(Material, TakesEveryElasticLawOfTheList) {
    for (const std::string& name : elasticity_names()) {
        MaterialSettings settings = with({{"young", 1e5}, {"poisson", 0.3}});
        settings.elastic = name;
        EXPECT_EQ(settings.problems(), Problems());
        EXPECT_EQ(std::visit([](const auto& law) { return std::string(law.name); }, settings.resolve().elasticity),
                  name);
    }
}

TEST(Material, WithoutStiffnessSaysWhatToAdd) {
    EXPECT_TRUE(mentions(only_problem(MaterialSettings()), "young and poisson"));
    EXPECT_TRUE(mentions(only_problem(with({{"density", 5}})), "no stiffness"));
}

TEST(Material, WithHalfAPairNamesTheOtherHalf) {
    const std::vector<std::pair<std::string, std::string>> pairs = {{"young", "poisson"}, {"poisson", "young"},
                                                                    {"shear", "bulk"},    {"bulk", "shear"},
                                                                    {"mu", "lambda"},     {"lambda", "mu"}};
    for (const auto& [given, missing] : pairs) {
        EXPECT_EQ(only_problem(with({{given, 0.25}})), "has " + given + " alone: add " + missing);
    }
}

TEST(Material, RefusesEveryMixtureOfPairs) {
    const std::vector<std::string> pairs[3] = {{"young", "poisson"}, {"shear", "bulk"}, {"mu", "lambda"}};
    for (int a = 0; a < 3; ++a) {
        for (int b = a + 1; b < 3; ++b) {
            for (const std::string& first : pairs[a]) {
                for (const std::string& second : pairs[b]) {
                    EXPECT_TRUE(mentions(only_problem(with({{first, 0.25}, {second, 0.25}})), "mixes moduli"))
                        << first << second;
                }
            }
            EXPECT_TRUE(mentions(only_problem(with({{pairs[a][0], 0.2}, {pairs[a][1], 0.2}, {pairs[b][0], 1}})),
                                 "mixes moduli"));
        }
    }
    EXPECT_TRUE(mentions(only_problem(with({{"young", 1}, {"shear", 1}, {"mu", 1}})), "mixes moduli"));
}

TEST(Material, RefusesMatterThatWouldSwellUnderPressure) {
    EXPECT_TRUE(mentions(only_problem(with({{"mu", 3}, {"lambda", -2}})), "bulk modulus"));
    EXPECT_TRUE(mentions(only_problem(with({{"mu", 3}, {"lambda", -50}})), "bulk modulus"));
    EXPECT_EQ(with({{"mu", 3}, {"lambda", -1.9}}).problems(), Problems());
    EXPECT_TRUE(mentions(only_problem(with({{"mu", std::nan("")}, {"lambda", 1}})), "bulk modulus"));
}

TEST(Material, DescribesEverySetting) {
    for (const Field& field : MaterialSettings::fields()) EXPECT_FALSE(field.help.empty()) << field.name;
    MaterialSettings settings;
    const Field& density = MaterialSettings::fields()[0];
    EXPECT_EQ(density.name, "density");
    EXPECT_EQ(std::get<double>(density.get(&settings)), 1000);
    EXPECT_FALSE(density.lowest_is_allowed);
}

TEST(Material, EveryValueWithinTheRangesResolvesToFiniteModuli) {
    for (const Real nu : {-0.999999, 0.0, 0.4999}) {
        for (const Real E : {1e-6, 1e13}) {
            const Material material = with({{"young", E}, {"poisson", nu}}).resolve();
            EXPECT_TRUE(std::isfinite(material.moduli.mu) && std::isfinite(material.moduli.lambda));
            EXPECT_GT(material.moduli.bulk(), 0);
            EXPECT_TRUE(std::isfinite(sound_speed(material.moduli, 1e-3)));
        }
    }
}

}  // namespace
}  // namespace pliant
