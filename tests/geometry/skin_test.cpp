#include "pliant/geometry/skin.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <random>

#include "geometry/mesh_samples.h"
#include "pliant/base/error.h"
#include "pliant/base/parallel.h"

namespace pliant {
namespace {

using Eigen::Quaternionf;
using Eigen::Vector3f;

class Random {
public:
    explicit Random(unsigned seed) : engine_(seed) {}
    float uniform(float low, float high) { return std::uniform_real_distribution<float>(low, high)(engine_); }
    Quaternionf rotation() {
        return Quaternionf(normal_(engine_), normal_(engine_), normal_(engine_), normal_(engine_)).normalized();
    }
    Vector3f vector() { return {normal_(engine_), normal_(engine_), normal_(engine_)}; }
    std::vector<SkinFrame> frames(std::size_t count) {
        std::vector<SkinFrame> result;
        for (std::size_t f = 0; f < count; ++f) result.push_back({rotation(), vector()});
        return result;
    }
    SkinWeights weights(std::size_t vertices, std::uint32_t frames) {
        SkinWeights result;
        for (std::size_t v = 0; v < vertices; ++v) {
            std::array<float, 4> w;
            for (float& x : w) x = uniform(0, 1);
            const float sum = w[0] + w[1] + w[2] + w[3];
            for (float& x : w) x /= sum;
            std::sort(w.begin(), w.end(), std::greater<>());
            result.weight.push_back(w);
            auto& f = result.frame.emplace_back();
            for (auto& x : f) x = std::uint32_t(engine_()) % frames;
        }
        return result;
    }

private:
    std::mt19937 engine_;
    std::normal_distribution<float> normal_;
};

struct Points {
    std::vector<Vector3f> positions, normals;

    explicit Points(const Skin& skin) : positions(skin.vertex_count()), normals(skin.vertex_count()) {}
};
Points linear(Skin& skin, std::span<const SkinFrame> frames) {
    Points points(skin);
    skin.linear(frames, points.positions, points.normals);
    return points;
}
Points dual_quaternion(Skin& skin, std::span<const SkinFrame> frames) {
    Points points(skin);
    skin.dual_quaternion(frames, points.positions, points.normals);
    return points;
}

struct Reference {
    Vec3 position, normal;
};
// x' = sum w (R x + t), n' along sum w R n
Reference linear_reference(const Vec3& x, const Vec3& n, const SkinWeights& weights, std::size_t v,
                           std::span<const SkinFrame> frames) {
    Reference result{Vec3::Zero(), Vec3::Zero()};
    for (int k = 0; k < 4; ++k) {
        const SkinFrame& f = frames[weights.frame[v][k]];
        const Mat3 R = f.rotation.cast<Real>().toRotationMatrix();
        result.position += weights.weight[v][k] * (R * x + f.translation.cast<Real>());
        result.normal += weights.weight[v][k] * (R * n);
    }
    result.normal.normalize();
    return result;
}
// q = sum s w q_k and e = sum s w t_k q_k / 2, both over |q|; x' = q x q* + 2 e q*     [Kavan07]
Reference dual_quaternion_reference(const Vec3& x, const Vec3& n, const SkinWeights& weights, std::size_t v,
                                    std::span<const SkinFrame> frames) {
    const Quat first = frames[weights.frame[v][0]].rotation.cast<Real>();
    Eigen::Vector4d q = Eigen::Vector4d::Zero(), e = q;
    for (int k = 0; k < 4; ++k) {
        const SkinFrame& f = frames[weights.frame[v][k]];
        const Quat turn = f.rotation.cast<Real>();
        const Vec3 t = f.translation.cast<Real>();
        const Real w = weights.weight[v][k] * (first.dot(turn) < 0 ? -1 : 1);
        q += w * turn.coeffs();
        e += w / 2 * (Quat(0, t.x(), t.y(), t.z()) * turn).coeffs();
    }
    const Quat rotation(Eigen::Vector4d(q / q.norm())), dual(Eigen::Vector4d(e / q.norm()));
    return {rotation * x + 2 * (dual * rotation.conjugate()).vec(), rotation * n};
}
template <class Formula>
void expect_equals(const Points& points, Formula&& formula, const TriangleMesh& mesh, const SkinWeights& weights,
                   std::span<const SkinFrame> frames) {
    const std::vector<Vec3> normals = mesh.vertex_normals();
    for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
        const Reference expected = formula(mesh.vertices[v], normals[v], weights, v, frames);
        ASSERT_LT((points.positions[v].cast<Real>() - expected.position).norm(), 1e-5) << v;
        ASSERT_LT((points.normals[v].cast<Real>() - expected.normal).norm(), 1e-5) << v;
    }
}

// A tube of radius 1 along z from -2 to 2 on two frames, of which the second takes over along its length.
struct Tube {
    TriangleMesh mesh;
    SkinWeights weights;
};
Tube tube() {
    constexpr int rings = 41, around = 24;
    Tube result;
    for (int n = 0; n < rings * around; ++n) {
        const Real turn = 2 * pi * (n % around) / around, share = Real(n / around) / (rings - 1);
        result.mesh.vertices.emplace_back(std::cos(turn), std::sin(turn), 4 * share - 2);
        const float larger = float(std::max(share, 1 - share));
        const std::uint32_t first = share > 0.5, second = 1 - first;
        result.weights.frame.push_back({first, second, first, first});
        result.weights.weight.push_back({larger, 1 - larger, 0, 0});
    }
    for (int r = 0; r + 1 < rings; ++r) {
        for (int k = 0; k < around; ++k) {
            const int a = r * around + k, b = r * around + (k + 1) % around;
            result.mesh.triangles.push_back({a, b, b + around});
            result.mesh.triangles.push_back({a, b + around, a + around});
        }
    }
    return result;
}
float smallest_radius(const std::vector<Vector3f>& positions) {
    float smallest = 10;
    for (const Vector3f& x : positions) smallest = std::min(smallest, x.head<2>().norm());
    return smallest;
}

class SkinTest : public testing::Test {
protected:
    static constexpr std::uint32_t frame_count = 7;
    const TriangleMesh mesh = samples::sphere_mesh(0.5, 21);  // 842 vertices: the last block is not full
    Random random{1};
    const SkinWeights weights = random.weights(mesh.vertices.size(), frame_count);
    Skin skin{mesh, weights, frame_count};

    std::string refusal(const SkinWeights& bad) const {
        try {
            Skin(mesh, bad, frame_count);
        } catch (const InputError& error) {
            return error.what();
        }
        return "";
    }
};

TEST_F(SkinTest, FramesAtRestLeaveEverythingInPlace) {
    const std::vector<SkinFrame> rest(frame_count);
    const std::vector<Vec3> normals = mesh.vertex_normals();
    for (const Points& points : {linear(skin, rest), dual_quaternion(skin, rest)}) {
        for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
            ASSERT_LT((points.positions[v].cast<Real>() - mesh.vertices[v]).norm(), 1e-6) << v;
            ASSERT_LT((points.normals[v].cast<Real>() - normals[v]).norm(), 1e-6) << v;
        }
    }
}

TEST_F(SkinTest, OneMotionOfAllFramesMovesTheMeshRigidly) {
    const std::vector<SkinFrame> frames(frame_count, SkinFrame{random.rotation(), Vector3f(1, -2, 0.5f)});
    const Mat3 R = frames[0].rotation.cast<Real>().toRotationMatrix();
    const std::vector<Vec3> normals = mesh.vertex_normals();
    for (const Points& points : {linear(skin, frames), dual_quaternion(skin, frames)}) {
        for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
            const Vec3 expected = R * mesh.vertices[v] + Vec3(1, -2, 0.5);
            ASSERT_LT((points.positions[v].cast<Real>() - expected).norm(), 1e-5) << v;
            ASSERT_LT((points.normals[v].cast<Real>() - R * normals[v]).norm(), 1e-5) << v;
        }
    }
}

TEST_F(SkinTest, LinearIsTheWeightedSumOfMotions) {
    const auto frames = random.frames(frame_count);
    expect_equals(linear(skin, frames), linear_reference, mesh, weights, frames);
}

TEST_F(SkinTest, DualQuaternionFollowsItsFormula) {
    const auto frames = random.frames(frame_count);
    expect_equals(dual_quaternion(skin, frames), dual_quaternion_reference, mesh, weights, frames);
}

TEST_F(SkinTest, TheSignOfAQuaternionDoesNotMatter) {
    const auto frames = random.frames(frame_count);
    auto flipped = frames;
    for (std::size_t f = 0; f < flipped.size(); f += 2) flipped[f].rotation.coeffs() *= -1;
    const Points a = dual_quaternion(skin, frames), b = dual_quaternion(skin, flipped);
    for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
        ASSERT_LT((a.positions[v] - b.positions[v]).norm(), 1e-6) << v;
        ASSERT_LT((a.normals[v] - b.normals[v]).norm(), 1e-6) << v;
    }
}

TEST_F(SkinTest, WeightsInAnyOrderGiveTheSame) {
    SkinWeights reversed = weights;
    for (auto& frame : reversed.frame) std::reverse(frame.begin(), frame.end());
    for (auto& weight : reversed.weight) std::reverse(weight.begin(), weight.end());
    Skin other(mesh, reversed, frame_count);
    const auto frames = random.frames(frame_count);
    EXPECT_EQ(dual_quaternion(skin, frames).positions, dual_quaternion(other, frames).positions);
}

TEST_F(SkinTest, PositionsAloneAreTheSameAsWithNormals) {
    const auto frames = random.frames(frame_count);
    std::vector<Vector3f> alone(skin.vertex_count());
    skin.linear(frames, alone);
    EXPECT_EQ(alone, linear(skin, frames).positions);
    skin.dual_quaternion(frames, alone);
    EXPECT_EQ(alone, dual_quaternion(skin, frames).positions);
}

TEST_F(SkinTest, NormalsAreUnitAndAbsentOnesStayZero) {
    TriangleMesh with_lone_vertex = mesh;
    with_lone_vertex.vertices.push_back(Vec3(1, 1, 1));
    Skin other(with_lone_vertex, random.weights(mesh.vertices.size() + 1, frame_count), frame_count);
    const auto frames = random.frames(frame_count);
    for (const Points& points : {linear(other, frames), dual_quaternion(other, frames)}) {
        for (std::size_t v = 0; v < mesh.vertices.size(); ++v) ASSERT_NEAR(points.normals[v].norm(), 1, 1e-5) << v;
        EXPECT_EQ(points.normals.back(), Vector3f::Zero());
    }
}

TEST_F(SkinTest, ThreadsDoNotChangeABit) {
    const TriangleMesh large = samples::sphere_mesh(0.5, 80);  // 12,642 vertices: several tasks
    Skin other(large, random.weights(large.vertices.size(), frame_count), frame_count);
    const auto frames = random.frames(frame_count);
    const auto bytes_of = [&](int threads) {
        std::vector<Vector3f> all;
        Threads(threads).run([&] {
            for (const Points& points : {linear(other, frames), dual_quaternion(other, frames)}) {
                all.insert(all.end(), points.positions.begin(), points.positions.end());
                all.insert(all.end(), points.normals.begin(), points.normals.end());
            }
        });
        std::vector<char> bytes(all.size() * sizeof(Vector3f));
        std::memcpy(bytes.data(), all.data(), bytes.size());
        return bytes;
    };
    const auto one = bytes_of(1);
    EXPECT_EQ(one, bytes_of(2));
    EXPECT_EQ(one, bytes_of(4));
}

TEST_F(SkinTest, BadWeightsAreRefusedWithTheirVertex) {
    const auto changed = [&](auto&& change) {
        SkinWeights bad = weights;
        change(bad);
        return refusal(bad);
    };
    const auto names = [](const std::string& message, const char* what) {
        return message.find(what) != std::string::npos;
    };
    EXPECT_EQ(refusal(weights), "");
    EXPECT_TRUE(names(changed([](auto& w) { w.weight[123][2] = NAN; }), "vertex 123 "));
    EXPECT_TRUE(names(changed([](auto& w) { w.weight[123][2] = -0.1f; }), "vertex 123 "));
    EXPECT_TRUE(names(changed([](auto& w) { w.weight[841][0] += 2e-4f; }), "vertex 841 "));
    EXPECT_TRUE(names(changed([](auto& w) { w.frame[5][3] = frame_count; }), "vertex 5 "));
    EXPECT_TRUE(names(changed([](auto& w) { w.frame.pop_back(); }), "842"));
    EXPECT_TRUE(names(changed([](auto& w) { w.weight.pop_back(); }), "841"));
    EXPECT_EQ(changed([](auto& w) { w.weight[841][0] += 5e-5f; }), "");
}

TEST_F(SkinTest, AVertexThatIsNowhereIsRefused) {
    TriangleMesh bad = mesh;
    bad.vertices[17].y() = NAN;
    EXPECT_THROW(Skin(bad, weights, frame_count), InputError);
}

// The candy wrapper: half a turn about the axis leaves nothing of the middle ring under linear blending.
TEST(SkinTubeTest, HalfATwistKeepsItsRadiusOnlyWithDualQuaternions) {
    const Tube limb = tube();
    Skin skin(limb.mesh, limb.weights, 2);
    std::vector<SkinFrame> frames(2);
    frames[1].rotation = Quaternionf(Eigen::AngleAxisf(float(0.999 * pi), Vector3f::UnitZ()));
    EXPECT_LT(smallest_radius(linear(skin, frames).positions), 0.01f);
    EXPECT_NEAR(smallest_radius(dual_quaternion(skin, frames).positions), 1, 1e-5);
}

}  // namespace
}  // namespace pliant
