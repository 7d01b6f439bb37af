#include "pliant/shapes/models/models.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <set>

#include "pliant/base/error.h"
#include "pliant/geometry/mesh_report.h"
#include "shapes_models/cells.h"

namespace pliant {
namespace {

class EveryModel : public testing::TestWithParam<std::string> {
protected:
    ShapePtr model = make_model(GetParam());
    Box box = model->bounds();
    int pieces() const { return GetParam() == "rolling-truck" ? 3 : 1; }
    bool lies_down() const { return GetParam() == "rope" || GetParam() == "sheet"; }
    Real coarse() const { return GetParam() == "plant" ? 0.015 : 0.03; }  // its leaves are as thick as 0.03
    Vec3 anywhere() {
        const Vec3 share(uniform_(engine_), uniform_(engine_), uniform_(engine_));
        return share.cwiseProduct(1.2 * box.max() + Vec3::Constant(0.1));
    }

    // In the plane through x across the axis, within 0.04 of x.
    Real least_distance_around(const Vec3& x, int axis) const {
        Real least = 1;
        for (int i = -40; i <= 40; ++i) {
            for (int j = -40; j <= 40; ++j) {
                const Vec3 step = 1e-3 * (i * Vec3::Unit((axis + 1) % 3) + j * Vec3::Unit((axis + 2) % 3));
                least = std::min(least, model->distance(x + step));
            }
        }
        return least;
    }

private:
    std::mt19937 engine_{3};
    std::uniform_real_distribution<Real> uniform_{-1, 1};
};

TEST_P(EveryModel, IsCentredAndOneHigh) {
    EXPECT_LT(box.center().norm(), 1e-12);
    EXPECT_NEAR(lies_down() ? box.sizes().maxCoeff() : box.sizes().y(), 1, 1e-12);
    EXPECT_LT(box.sizes().maxCoeff(), 2);
}

// Just inside of each side of the box there is some of the model, just outside of it there is none.
TEST_P(EveryModel, FillsItsBoundsAndStaysWithinThem) {
    const TriangleMesh surface = model->surface(coarse());
    for (int axis = 0; axis < 3; ++axis) {
        for (const int sign : {-1, 1}) {
            const auto lower = [=](const Vec3& a, const Vec3& b) { return sign * a[axis] < sign * b[axis]; };
            Vec3 peak = *std::max_element(surface.vertices.begin(), surface.vertices.end(), lower);
            peak[axis] = sign * (box.max()[axis] - 1e-3);
            EXPECT_LT(least_distance_around(peak, axis), 0) << axis << sign;
            peak[axis] = sign * (box.max()[axis] + 1e-4);
            EXPECT_GT(least_distance_around(peak, axis), 0) << axis << sign;
        }
    }
}

TEST_P(EveryModel, HasADistanceThatGrowsByAtMostOneMetreAMetre) {
    Real steepest = 0;
    for (int i = 0; i < 30000; ++i) {
        const Vec3 x = anywhere(), step = anywhere() * (i % 2 ? 0.2 : 1e-3);
        steepest = std::max(steepest, std::abs(model->distance(x + step) - model->distance(x)) / step.norm());
    }
    EXPECT_LT(steepest, 1.001);
}

TEST_P(EveryModel, IsOnePieceWithoutHollows) {
    const Cells cells(*model, box.sizes().maxCoeff() / 80);
    EXPECT_EQ(cells.count_pieces(true, Cells::Touch::faces), pieces());
    EXPECT_EQ(cells.count_pieces(false, Cells::Touch::faces), 1);
}

// With particles a thirtieth of the height apart, every ear and finger holds some, and they hang together.
TEST_P(EveryModel, KeepsItsLimbsWhenSampledCoarsely) {
    if (GetParam() == "sheet") return;  // thinner than this spacing by design
    const Real spacing = 1.0 / 30;
    const Cells cells(*model, spacing);
    EXPECT_EQ(cells.count_pieces(true, Cells::Touch::corners), 1);
    const Box caught = cells.bounds_of_inside();
    EXPECT_LT((box.max() - caught.max()).maxCoeff(), 1.5 * spacing);
    EXPECT_LT((caught.min() - box.min()).maxCoeff(), 1.5 * spacing);
}

TEST_P(EveryModel, HasAClosedOutwardSurfaceAtAnyResolution) {
    const Real volume = Cells(*model, std::min(box.sizes().minCoeff() / 20, 0.0125)).volume_inside();
    for (const Real resolution : {coarse(), coarse() / 2}) {
        const MeshReport report = inspect(model->surface(resolution));
        EXPECT_EQ(report.boundary_edges, 0) << resolution;
        EXPECT_EQ(report.misoriented_edges, 0) << resolution;
        EXPECT_EQ(report.non_manifold_edges, 0) << resolution;
        EXPECT_EQ(report.components, pieces()) << resolution;
        EXPECT_NEAR(report.volume, volume, 0.08 * volume) << resolution;
    }
}

TEST_P(EveryModel, IsTheSameOnBothSidesUnlessItHasAReason) {
    if (GetParam() == "hand" || GetParam() == "rope" || GetParam() == "plant" || GetParam() == "hairball") return;
    for (int i = 0; i < 2000; ++i) {
        const Vec3 x = anywhere();
        EXPECT_NEAR(model->distance(x), model->distance({-x.x(), x.y(), x.z()}), 1e-6);
    }
}

// At height 1; a body of it holds volume / spacing^3 particles.
TEST_P(EveryModel, HasTheVolumeOfItsKind) {
    const std::map<std::string, Real> volumes = {
        {"bird", 0.416},  {"creature", 0.101},      {"fish", 0.1234},    {"plant", 0.0123}, {"gummy-bear", 0.1765},
        {"hand", 0.032},  {"octopus", 0.311},       {"rabbit", 0.0815},  {"rope", 0.00775}, {"sheet", 0.0249},
        {"truck", 0.664}, {"rolling-truck", 0.664}, {"hairball", 0.189}, {"head", 0.1457},  {"sofa", 0.941}};
    ASSERT_TRUE(volumes.contains(GetParam())) << "state its volume here";
    const Real expected = volumes.at(GetParam());
    EXPECT_NEAR(model->surface(0.016).volume(), expected, 0.03 * expected);
}

TEST_P(EveryModel, IsTheSameBitsEachTime) {
    const ShapePtr again = make_model(GetParam());
    for (int i = 0; i < 500; ++i) {
        const Vec3 x = anywhere();
        EXPECT_EQ(model->distance(x), again->distance(x));
    }
}

TEST_P(EveryModel, AnswersFromFarAwayAndToNonsense) {
    constexpr Real infinity = std::numeric_limits<Real>::infinity(), nan = std::numeric_limits<Real>::quiet_NaN();
    EXPECT_NEAR(model->distance({0, 100, 0}), 100 - box.max().y(), 1);
    EXPECT_NEAR(model->distance({0, 1e9, 0}), 1e9, 2);
    EXPECT_NEAR(model->distance({1e300, 0, 0}) / 1e300, 1, 1e-12);
    EXPECT_EQ(model->distance({infinity, 0, 0}), infinity);
    EXPECT_TRUE(std::isnan(model->distance({0, nan, 0})));
}

std::vector<std::string> names() {
    std::vector<std::string> result;
    for (const ModelInfo& info : model_list()) result.push_back(info.name);
    return result;
}

INSTANTIATE_TEST_SUITE_P(Models, EveryModel, testing::ValuesIn(names()), [](const auto& test) {
    std::string name = test.param;
    std::erase(name, '-');
    return name;
});

TEST(Models, HaveUniqueNamesAndALineOfHelp) {
    std::set<std::string> seen;
    for (const ModelInfo& info : model_list()) {
        EXPECT_TRUE(seen.insert(info.name).second) << info.name;
        EXPECT_FALSE(info.help.empty()) << info.name;
        EXPECT_EQ(info.help.find('\n'), std::string::npos) << info.name;
    }
}

TEST(Models, GummyBearHoldsEightThousandParticlesAtAThirtySixthOfItsHeight) {
    EXPECT_GT(Cells(*make_model("gummy-bear"), 1.0 / 36).count_inside(), 8000);
}

TEST(Models, UnknownNameIsAnsweredWithTheNearestAndTheList) {
    try {
        make_model("gumy-bear");
        FAIL() << "accepted";
    } catch (const InputError& error) {
        const std::string message = error.what();
        EXPECT_NE(message.find("did you mean 'gummy-bear'"), std::string::npos) << message;
        for (const std::string& name : names()) EXPECT_NE(message.find(name), std::string::npos) << message;
    }
    EXPECT_THROW(make_model(""), InputError);
    EXPECT_THROW(make_model("locomotive"), InputError);
}

}  // namespace
}  // namespace pliant
