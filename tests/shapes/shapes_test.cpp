// What every shape must do, walked over the list of all shapes.
#include "pliant/shapes/shapes.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <limits>
#include <set>

#include "pliant/base/error.h"
#include "pliant/geometry/mesh_report.h"
#include "pliant/shapes/models/models.h"

namespace pliant {
namespace {

struct Sample {
    std::string name;
    ShapeSettings settings;
    Real volume;    // in closed form; 0: unknown
    Real accuracy;  // [m] of the distance: 0 for plain shapes, about a voxel for those on grids
};

std::filesystem::path folder() {
    return std::filesystem::path(PLIANT_BINARY_DIR) / ("shapes_test_" + std::to_string(getpid()));
}

// A tetrahedron with three edges of 0.3 m along the axes.
void write_tetrahedron() {
    std::filesystem::create_directories(folder());
    std::ofstream(folder() / "tetrahedron.obj") << "v 0 0 0\nv 0.3 0 0\nv 0 0.3 0\nv 0 0 0.3\n"
                                                   "f 1 3 2\nf 1 4 3\nf 1 2 4\nf 2 3 4\n";
}

BoxShape rounded_box() {
    BoxShape box;
    box.size = Vec3(0.2, 0.3, 0.25);
    box.round = 0.05;
    return box;
}

// V = volume of the inner box + its faces grown by r + a quarter cylinder at each edge + the ball of the corners
Real rounded_box_volume() {
    const BoxShape box = rounded_box();
    const Real r = box.round;
    const Vec3 inner = box.size - Vec3::Constant(2 * r);
    const Real faces = 2 * (inner.x() * inner.y() + inner.y() * inner.z() + inner.z() * inner.x());
    return inner.prod() + r * faces + pi * r * r * inner.sum() + 4 * pi / 3 * cube(r);
}

std::vector<Sample> samples() {
    write_tetrahedron();
    MeshShape mesh;
    mesh.file = "tetrahedron.obj";
    std::vector<Sample> list = {
        {"box", BoxShape{}, 0.008, 0},
        {"rounded_box", rounded_box(), rounded_box_volume(), 0},
        {"sphere", SphereShape{}, 4 * pi / 3 * 1e-3, 0},
        {"capsule", CapsuleShape{}, pi * 0.0025 * (0.2 + 4.0 / 3 * 0.05), 0},
        {"cylinder", CylinderShape{}, pi * 0.01 * 0.2, 0},
        {"cone", ConeShape{}, pi * 0.01 * 0.2 / 3, 0},
        {"torus", TorusShape{}, 2 * pi * pi * 0.1 * 0.0009, 0},
        {"plane", PlaneShape{Vec3(1, 2, 2), 0.03}, 0, 0},
        {"mesh", mesh, 0.027 / 6, 0.005},
    };
    for (const ModelInfo& model : model_list()) {
        const bool has_fins = model.name == "fish" || model.name == "plant";  // whose tips a mesh cuts off
        const bool is_thin = model.name == "sheet" || model.name == "hairball";
        const Real height = is_thin ? 0.8 : has_fins ? 0.4 : 0.2;  // thicker than the accuracy
        list.push_back({"model_" + model.name, ModelShape{model.name, height}, 0, has_fins ? 0.006 : 0.005});
    }
    for (Sample& sample : list) std::replace(sample.name.begin(), sample.name.end(), '-', '_');
    return list;
}

class EveryShape : public testing::TestWithParam<Sample> {
protected:
    void SetUp() override {
        ShapeContext context;
        context.folder = folder();
        context.resolution = 0.004;
        context.warnings = &warnings_;
        shape_ = build_shape(GetParam().settings, context);
        box_ = shape_->is_bounded() ? shape_->bounds() : Box(Vec3::Constant(-0.2), Vec3::Constant(0.2));
    }

    Vec3 random_point(Real beyond = 0.5) {
        const Vec3 t = Vec3(number(), number(), number());
        return box_.center() + (1 + beyond) * t.cwiseProduct(box_.sizes()) / 2;
    }
    Real number() {
        state_ = state_ * 6364136223846793005u + 1442695040888963407u;
        return 2 * Real(state_ >> 11) / Real(1ull << 53) - 1;
    }
    Vec3 difference_quotient(const Vec3& x, Real step) const {
        Vec3 gradient;
        for (int axis = 0; axis < 3; ++axis) {
            const Vec3 shift = step * Vec3::Unit(axis);
            gradient[axis] = (shape_->distance(x + shift) - shape_->distance(x - shift)) / (2 * step);
        }
        return gradient;
    }

    ShapePtr shape_;
    Box box_;
    std::vector<std::string> warnings_;
    unsigned long long state_ = 1;
};

// |d(x) - d(y)| <= |x - y|
TEST_P(EveryShape, DistanceGrowsByNoMoreThanAMetreAMetre) {
    for (int i = 0; i < 5000; ++i) {
        const Vec3 x = random_point(), y = i % 2 ? random_point() : Vec3(x + 0.01 * random_point());
        const Real change = std::abs(shape_->distance(x) - shape_->distance(y));
        const Real allowed = GetParam().accuracy > 0 ? 1.1 * (x - y).norm() + GetParam().accuracy : (x - y).norm();
        ASSERT_LE(change, allowed + 1e-12) << x.transpose() << " to " << y.transpose();
    }
}

TEST_P(EveryShape, NormalHasUnitLengthEverywhere) {
    for (int i = 0; i < 2000; ++i) EXPECT_NEAR(shape_->normal(random_point()).norm(), 1, 1e-9);
    const Real nan = std::numeric_limits<Real>::quiet_NaN();
    for (const Vec3& x : {Vec3(0, 0, 0), Vec3(0, 0.01, 0), Vec3(0, 5, 0), Vec3(1e6, -1e6, 1e6), Vec3(-0.0, 0, -0.0)}) {
        EXPECT_NEAR(shape_->normal(x).norm(), 1, 1e-9) << x.transpose();
    }
    EXPECT_TRUE(std::isnan(shape_->distance(Vec3(nan, nan, nan))));
}

// n = grad d, where the distance is smooth: away from creases, the quotient has unit length itself.
TEST_P(EveryShape, NormalIsTheGradientOfTheDistance) {
    int smooth = 0, off_crease = 0;
    for (int i = 0; i < 3000; ++i) {
        const Vec3 x = random_point();
        const Vec3 coarse = difference_quotient(x, 1e-5), fine = difference_quotient(x, 1e-6);
        const Real off = GetParam().accuracy > 0 ? 0.1 : 1e-6;
        if (std::abs(fine.norm() - 1) > off || (coarse - fine).norm() > 1e-4) continue;
        ++smooth;
        off_crease += (shape_->normal(x) - fine.normalized()).norm() < 1e-4;
    }
    EXPECT_GT(smooth, 800);  // enough to tell; between the strands of a hairball are many creases
    // On a grid a quotient may straddle the face of a cell without showing it.
    EXPECT_GE(off_crease, GetParam().accuracy > 0 ? smooth - 3 : smooth);
}

TEST_P(EveryShape, SurfaceIsClosedOutwardAndWithinTheBounds) {
    const TriangleMesh mesh = shape_->surface(0.01);
    if (!shape_->is_bounded()) {
        EXPECT_TRUE(mesh.triangles.empty());
        EXPECT_FALSE(shape_->bounds().sizes().allFinite());
        return;
    }
    const MeshReport report = inspect(mesh);
    EXPECT_EQ(report.boundary_edges, 0);
    EXPECT_EQ(report.non_manifold_edges, 0);
    EXPECT_EQ(report.misoriented_edges, 0);
    EXPECT_EQ(report.duplicate_triangles, 0);
    EXPECT_GT(report.volume, 0);
    Box bounds = shape_->bounds();
    bounds.extend(bounds.min() - Vec3::Constant(1e-9 + GetParam().accuracy / 5));
    bounds.extend(bounds.max() + Vec3::Constant(1e-9 + GetParam().accuracy / 5));
    EXPECT_TRUE(bounds.contains(mesh.bounds()));
    if (GetParam().volume > 0) {
        EXPECT_NEAR(report.volume, GetParam().volume, 0.02 * GetParam().volume);
    }
}

TEST_P(EveryShape, SurfaceLiesWhereTheDistanceIsZeroAndSeparatesItsSigns) {
    const TriangleMesh mesh = shape_->surface(0.01);
    const Real accuracy = GetParam().accuracy;
    int wrong = 0;
    for (const auto& [a, b, c] : mesh.triangles) {
        const auto& x = mesh.vertices;
        const Vec3 middle = (x[a] + x[b] + x[c]) / 3, across = (x[b] - x[a]).cross(x[c] - x[a]);
        if (across.norm() < 1e-12) continue;
        const Vec3 off = (0.0015 + accuracy) * across.normalized();
        EXPECT_NEAR(shape_->distance(x[a]), 0, 1e-9 + accuracy);
        if (!(shape_->distance(middle + off) > 0) || !(shape_->distance(middle - off) < 0)) ++wrong;
    }
    // Parts of models thinner than the step may be passed through.
    EXPECT_LE(wrong, accuracy > 0 ? int(mesh.triangles.size() / 20) : 0);
}

// Sampling the sign in the bounding box gives the volume of the mesh.
TEST_P(EveryShape, InsideIsAsLargeAsTheSurfaceSays) {
    if (!shape_->is_bounded()) GTEST_SKIP() << "unbounded";
    int inside = 0;
    constexpr int count = 40000;
    for (int i = 0; i < count; ++i) inside += shape_->distance(random_point(0)) < 0 ? 1 : 0;
    const Real sampled = box_.volume() * inside / count, meshed = shape_->surface(0.005).volume();
    EXPECT_NEAR(sampled, meshed, 0.05 * meshed + 0.01 * box_.volume());
}

TEST_P(EveryShape, PlacedTurnsScalesAndMovesIt) {
    Placement placement;
    placement.position = Vec3(0.3, -0.2, 0.1);
    placement.rotation = Quat(Eigen::AngleAxisd(1.1, Vec3(1, -2, 0.5).normalized()));
    placement.scale = 3;
    const ShapePtr moved = placed(shape_, placement);
    for (int i = 0; i < 300; ++i) {
        const Vec3 x = random_point();
        EXPECT_NEAR(moved->distance(placement.to_world(x)), 3 * shape_->distance(x), 1e-9);
        EXPECT_LT((moved->normal(placement.to_world(x)) - placement.rotation * shape_->normal(x)).norm(), 1e-6);
    }
    EXPECT_NEAR(moved->surface(0.06).volume(), 27 * shape_->surface(0.02).volume(), 1e-9);
}

TEST_P(EveryShape, FirstFieldIsItsKindAndRequired) {
    std::visit(
        [](const auto& settings) {
            const FieldTable& fields = settings.fields();
            ASSERT_FALSE(fields.empty());
            EXPECT_EQ(fields.front().name, settings.kind);
            EXPECT_TRUE(fields.front().is_required);
            EXPECT_NE(std::string(settings.help), "");
            std::set<std::string> names;
            for (const Field& field : fields) {
                EXPECT_TRUE(names.insert(field.name).second) << field.name;
                EXPECT_NE(field.help, "");
            }
        },
        GetParam().settings);
}

INSTANTIATE_TEST_SUITE_P(All, EveryShape, testing::ValuesIn(samples()),
                         [](const auto& sample) { return sample.param.name; });

// A shape in the list without a sample above would go untested.
TEST(Shapes, EveryKindHasASample) {
    std::set<std::size_t> kinds;
    for (const Sample& sample : samples()) kinds.insert(sample.settings.index());
    EXPECT_EQ(kinds.size(), std::variant_size_v<ShapeSettings>);
}

}  // namespace
}  // namespace pliant
