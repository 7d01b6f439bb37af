// Rig files: what is written is read to the bit, and what is wrong is told with its place.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "pliant/base/error.h"
#include "pliant/methods/oriented/rig_file.h"
#include "pliant/particles/snapshot.h"

namespace pliant {
namespace {

namespace fs = std::filesystem;

Rig sample_rig() {
    Rig rig;
    rig.position = {{0, -0.0, 1.0 / 3}, {1e-17, 2, 3}, {1e20, 0.1, -7}};
    rig.orientation = {Quat::Identity(), Quat(0.5, 0.5, -0.5, 0.5), Quat(1, 2, 3, 4).normalized()};
    rig.radii = {{0.1, 0.2, 0.3}, {1, 1, 1}, {1e-9, 2e-9, 3e-9}};
    rig.volume = {1.0 / 7, 5e-324, 1e300};
    rig.stiffness = {0, 1, 0.1};
    rig.edges = {{0, 1, 0.25, 1.0 / 3}, {0, 2, 0, 0}, {1, 2, 1, 1}};
    rig.groups = {{"a \"wheel\"\\\n", {2, 0}, 0.5, 3.25}, {"", {1}, 1, 0}};
    rig.skin.vertices = {{0, 0, 0}, {0.1, 0, 0}, {0, 0.1, 1.0 / 3}};
    rig.skin.triangles = {{0, 1, 2}};
    rig.weights.frame = {{0, 1, 2, 0}, {1, 1, 1, 1}, {2, 0, 2, 2}};
    rig.weights.weight = {{1 / 3.f, 1 / 3.f, 1 / 3.f, 0}, {1, 0, 0, 0}, {0.9f, 0.1f, 0, 0}};
    return rig;
}

template <class T>
void expect_same_bits(const std::vector<T>& a, const std::vector<T>& b, const char* what) {
    ASSERT_EQ(a.size(), b.size()) << what;
    EXPECT_TRUE(a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0) << what;
}

void expect_equal(const Rig& a, const Rig& b) {
    expect_same_bits(a.position, b.position, "position");
    expect_same_bits(a.orientation, b.orientation, "orientation");
    expect_same_bits(a.radii, b.radii, "radii");
    expect_same_bits(a.volume, b.volume, "volume");
    expect_same_bits(a.stiffness, b.stiffness, "stiffness");
    expect_same_bits(a.edges, b.edges, "edges");
    ASSERT_EQ(a.groups.size(), b.groups.size());
    for (std::size_t g = 0; g < a.groups.size(); ++g) {
        EXPECT_EQ(a.groups[g].name, b.groups[g].name);
        EXPECT_EQ(a.groups[g].particles, b.groups[g].particles);
        EXPECT_EQ(a.groups[g].stiffness, b.groups[g].stiffness);
        EXPECT_EQ(a.groups[g].dent_speed, b.groups[g].dent_speed);
    }
    expect_same_bits(a.skin.vertices, b.skin.vertices, "vertices");
    expect_same_bits(a.skin.triangles, b.skin.triangles, "triangles");
    expect_same_bits(a.weights.frame, b.weights.frame, "frames");
    expect_same_bits(a.weights.weight, b.weights.weight, "weights");
}

class RigFile : public ::testing::Test {
protected:
    void SetUp() override {
        folder_ = fs::temp_directory_path() / ("pliant_rig_" + std::to_string(::getpid()));
        fs::create_directories(folder_);
    }
    void TearDown() override { fs::remove_all(folder_); }
    void put(const std::string& name, const std::string& bytes) const {
        std::ofstream(folder_ / name, std::ios::binary) << bytes;
    }
    std::string bytes_of(const std::string& name) const {
        std::ifstream file(folder_ / name, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    fs::path folder_;
};

std::string complaint_about(const fs::path& path) {
    try {
        read_rig(path);
    } catch (const InputError& error) {
        return error.what();
    }
    return "was read";
}

std::string complaint_about_text(const std::string& text) {
    try {
        parse_rig(text, "x.toml", "");
    } catch (const InputError& error) {
        return error.what();
    }
    return "was read";
}

bool says(const std::string& message, const std::string& part) {
    return message.find(part) != std::string::npos;
}

constexpr const char* two_particles = R"([[particle]]
position = [0, 0, 0]
radii = 0.1
[[particle]]
position = [1, 0, 0]
radii = [0.1, 0.2, 0.3]
)";

TEST_F(RigFile, BothKindsReadBackToTheBit) {
    const Rig rig = sample_rig();
    for (const char* name : {"a.toml", "a.rig"}) {
        write_rig(folder_ / name, rig);
        expect_equal(read_rig(folder_ / name), rig);
    }
}

TEST_F(RigFile, NamesOfOtherKindsAreRefused) {
    EXPECT_THROW(write_rig(folder_ / "a.obj", sample_rig()), InputError);
    EXPECT_TRUE(says(complaint_about(folder_ / "a.obj"), ".toml or a .rig"));
    EXPECT_TRUE(says(complaint_about(folder_ / "absent.toml"), "cannot be opened"));
}

TEST_F(RigFile, UnsoundRigsAreNotWritten) {
    Rig rig = sample_rig();
    rig.volume[1] = -1;
    EXPECT_THROW(write_rig(folder_ / "a.rig", rig), InputError);
    EXPECT_FALSE(fs::exists(folder_ / "a.rig"));
}

TEST_F(RigFile, DamagedBinaryFilesAreRefused) {
    write_rig(folder_ / "a.rig", sample_rig());
    std::string bytes = bytes_of("a.rig");
    put("short.rig", bytes.substr(0, bytes.size() / 2));
    bytes[bytes.size() / 2] ^= 1;
    put("changed.rig", bytes);
    for (const char* name : {"short.rig", "changed.rig"})
        EXPECT_TRUE(says(complaint_about(folder_ / name), name)) << complaint_about(folder_ / name);
    Snapshot other;
    other.put_number("something", 1);
    write_snapshot(folder_ / "other.rig", other);
    EXPECT_TRUE(says(complaint_about(folder_ / "other.rig"), "is no rig")) << complaint_about(folder_ / "other.rig");
}

TEST(RigText, WhatIsLeftOutHasItsDefault) {
    const Rig rig = parse_rig(std::string(two_particles) + "[[edge]]\nbetween = [1, 0]\n", "x.toml", "");
    ASSERT_EQ(rig.size(), 2u);
    EXPECT_EQ(rig.radii[0], Vec3::Constant(0.1));
    EXPECT_EQ(rig.orientation[0].coeffs(), Quat::Identity().coeffs());
    EXPECT_NEAR(rig.volume[1], 4 * pi / 3 * 0.006, 1e-15);
    EXPECT_EQ(rig.stiffness[1], 1);
    ASSERT_EQ(rig.edges.size(), 1u);
    EXPECT_EQ(rig.edges[0].a, 0u);
    EXPECT_EQ(rig.edges[0].b, 1u);
    EXPECT_EQ(rig.edges[0].torsion, 0);
}

TEST(RigText, RotationsAreDegreesOrQuaternions) {
    const Rig rig = parse_rig(
        "[[particle]]\nposition = [0, 0, 0]\nradii = 1\nrotation = [0, 90, 0]\n"
        "[[particle]]\nposition = [2, 0, 0]\nradii = 1\nrotation = [0, 0.7071, 0, 0.7071]\n",
        "x.toml", "");
    EXPECT_LT(rig.orientation[0].angularDistance(Quat(Eigen::AngleAxisd(pi / 2, Vec3::UnitY()))), 1e-12);
    EXPECT_LT(rig.orientation[1].angularDistance(rig.orientation[0]), 1e-4);
    EXPECT_NEAR(rig.orientation[1].norm(), 1, 1e-12);
}

TEST(RigText, EverythingWrongIsToldWithItsPlace) {
    const std::string message = complaint_about_text(R"([[particle]]
position = [0, 0]
radii = -1
colour = "red"
[[particle]]
position = [0, 0, 0]
radii = [1, "a", 1]
stiffnes = 0.5
[[edge]]
between = [0, 7]
torsion = 2
[[edge]]
between = [1, 1]
[[group]]
name = 5
particles = []
[skin]
)");
    for (const char* part :
         {"x.toml:2:12: particle.0.position: must be a list of 3 numbers, but has 2",
          "x.toml:3:9: particle.0.radii: must be above 0, but is -1",
          "x.toml:4:1: particle.0: there is no setting 'colour'",
          "x.toml:7:13: particle.1.radii: must be a number, but is a text", "did you mean 'stiffness'?",
          "x.toml:10:15: edge.0.between: there is no particle 7",
          "x.toml:11:11: edge.0.torsion: must be at least 0 and at most 1",
          "x.toml:13:11: edge.1.between: must name two particles", "x.toml:15:8: group.0.name: must be a text",
          "group.0.particles: must be a list of at least 1 numbers", "skin: needs either mesh"}) {
        EXPECT_TRUE(says(message, part)) << part << "\nis not in\n" << message;
    }
}

TEST(RigText, BrokenTomlNamesTheLine) {
    EXPECT_TRUE(says(complaint_about_text("[[particle]]\nposition = [0, 0,\n\nradii"), "x.toml:4:"))
        << complaint_about_text("[[particle]]\nposition = [0, 0,\n\nradii");
    EXPECT_TRUE(says(complaint_about_text(""), "no particles"));
    EXPECT_TRUE(says(complaint_about_text("particle = 3"), "x.toml:1:12: particle: must be a list of tables"))
        << complaint_about_text("particle = 3");
}

TEST(RigText, EdgesThatAreThereTwiceAreFound) {
    const std::string message =
        complaint_about_text(std::string(two_particles) + "[[edge]]\nbetween = [0, 1]\n[[edge]]\nbetween = [1, 0]\n");
    EXPECT_TRUE(says(message, "x.toml:10:11: edge.1.between: an edge above joins the same particles")) << message;
}

TEST(RigText, ManyProblemsAreCounted) {
    std::string text = two_particles;
    for (int i = 0; i < 50; ++i) text += "[[edge]]\nbetween = [0, 9]\n";
    EXPECT_TRUE(says(complaint_about_text(text), "and 30 more"));
}

TEST_F(RigFile, ASkinMayBeAMeshBesideTheFile) {
    put("skin.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    put("a.toml", std::string(two_particles) +
                      "[skin]\nmesh = \"skin.obj\"\nframes = [[0], [1, 0], [1]]\nweights = [[1], [0.75, 0.25], [1]]\n");
    const Rig rig = read_rig(folder_ / "a.toml");
    EXPECT_EQ(rig.skin.triangles.size(), 1u);
    ASSERT_EQ(rig.weights.size(), 3u);
    EXPECT_EQ(rig.weights.frame[1], (std::array<std::uint32_t, 4>{1, 0, 1, 1}));
    EXPECT_EQ(rig.weights.weight[1], (std::array<float, 4>{0.75f, 0.25f, 0, 0}));
    put("b.toml", std::string(two_particles) + "[skin]\nmesh = \"absent.obj\"\n");
    EXPECT_TRUE(says(complaint_about(folder_ / "b.toml"), "b.toml:8:8: skin.mesh"))
        << complaint_about(folder_ / "b.toml");
    put("c.toml", std::string(two_particles) + "[skin]\nmesh = \"skin.obj\"\nframes = [[0]]\nweights = [[1]]\n");
    EXPECT_TRUE(says(complaint_about(folder_ / "c.toml"), "the skin has 3 vertices"));
}

}  // namespace
}  // namespace pliant
