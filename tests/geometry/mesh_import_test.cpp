#include "pliant/geometry/mesh_import.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <sstream>

#include "geometry/mesh_samples.h"
#include "pliant/base/error.h"
#include "pliant/geometry/mesh_report.h"

namespace pliant {
namespace {

TriangleMesh from_text(const std::string& text, const std::string& extension) {
    return read_mesh_from_memory(std::as_bytes(std::span(text)), extension);
}

std::string problem_of(const std::string& text, const std::string& extension) {
    try {
        from_text(text, extension);
    } catch (const InputError& problem) {
        return problem.what();
    }
    return "";
}

std::string obj_of(const TriangleMesh& mesh) {
    std::string text;
    for (const Vec3& x : mesh.vertices) text += fmt::format("v {} {} {}\n", x.x(), x.y(), x.z());
    for (const auto& [a, b, c] : mesh.triangles) text += fmt::format("f {} {} {}\n", a + 1, b + 1, c + 1);
    return text;
}

std::string ascii_stl_of(const TriangleMesh& mesh) {
    std::string text = "solid box\n";
    for (const auto& triangle : mesh.triangles) {
        text += "facet normal 0 0 0\nouter loop\n";
        for (const int v : triangle) {
            const Vec3& x = mesh.vertices[v];
            text += fmt::format("vertex {} {} {}\n", x.x(), x.y(), x.z());
        }
        text += "endloop\nendfacet\n";
    }
    return text + "endsolid box\n";
}

std::string binary_stl_of(const TriangleMesh& mesh) {
    std::string bytes(84 + 50 * mesh.triangles.size(), '\0');
    const auto count = static_cast<std::uint32_t>(mesh.triangles.size());
    std::memcpy(bytes.data() + 80, &count, 4);
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
        for (int corner = 0; corner < 3; ++corner) {
            const Eigen::Vector3f x = mesh.vertices[mesh.triangles[t][corner]].cast<float>();
            std::memcpy(bytes.data() + 84 + 50 * t + 12 * (corner + 1), x.data(), 12);
        }
    }
    return bytes;
}

std::string ply_of(const TriangleMesh& mesh) {
    std::string text = fmt::format(
        "ply\nformat ascii 1.0\nelement vertex {}\nproperty float x\nproperty float y\nproperty float z\n"
        "element face {}\nproperty list uchar int vertex_indices\nend_header\n",
        mesh.vertices.size(), mesh.triangles.size());
    for (const Vec3& x : mesh.vertices) text += fmt::format("{} {} {}\n", x.x(), x.y(), x.z());
    for (const auto& [a, b, c] : mesh.triangles) text += fmt::format("3 {} {} {}\n", a, b, c);
    return text;
}

std::string off_of(const TriangleMesh& mesh) {
    std::string text = fmt::format("OFF\n{} {} 0\n", mesh.vertices.size(), mesh.triangles.size());
    for (const Vec3& x : mesh.vertices) text += fmt::format("{} {} {}\n", x.x(), x.y(), x.z());
    for (const auto& [a, b, c] : mesh.triangles) text += fmt::format("3 {} {} {}\n", a, b, c);
    return text;
}

// The triangle (0,0,0) (1,0,0) (0,1,0) twice: moved by (10, 0, 0), and mirrored along x within a node moved by y = 5.
const std::string two_triangles_gltf = R"({
  "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0, 1]}],
  "nodes": [{"mesh": 0, "translation": [10, 0, 0]}, {"translation": [0, 5, 0], "children": [2]},
            {"mesh": 0, "scale": [-1, 1, 1]}],
  "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
  "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 0]}],
  "bufferViews": [{"buffer": 0, "byteLength": 36}],
  "buffers": [{"byteLength": 36,
    "uri": "data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"}]
})";

TEST(MeshImport, EveryFormatGivesTheSameClosedBox) {
    const TriangleMesh box = samples::box_mesh(Vec3(0.5, 1, 1.5), Vec3(1, 0, 0));
    const std::pair<std::string, std::string> files[] = {{"obj", obj_of(box)},        {"stl", ascii_stl_of(box)},
                                                         {"stl", binary_stl_of(box)}, {"ply", ply_of(box)},
                                                         {"off", off_of(box)},        {"OBJ", obj_of(box)}};
    for (const auto& [extension, text] : files) {
        const TriangleMesh mesh = from_text(text, extension);
        EXPECT_EQ(mesh.vertices.size(), 8u) << extension;
        EXPECT_EQ(mesh.triangles.size(), 12u) << extension;
        EXPECT_TRUE(inspect(mesh).is_solid()) << extension;
        EXPECT_NEAR(mesh.volume(), 6, 1e-6) << extension;
        EXPECT_LT((mesh.bounds().min() - Vec3(0.5, -1, -1.5)).norm(), 1e-6) << extension;
    }
}

TEST(MeshImport, NodesMoveTurnAndMirrorTheirParts) {
    const TriangleMesh mesh = from_text(two_triangles_gltf, "gltf");
    ASSERT_EQ(mesh.triangles.size(), 2u);
    EXPECT_LT((mesh.bounds().min() - Vec3(-1, 0, 0)).norm(), 1e-6);
    EXPECT_LT((mesh.bounds().max() - Vec3(11, 6, 0)).norm(), 1e-6);
    for (const auto& [a, b, c] : mesh.triangles) {  // mirrored or not, both still face +z
        const auto& x = mesh.vertices;
        EXPECT_GT((x[b] - x[a]).cross(x[c] - x[a]).z(), 0.9);
    }
}

TEST(MeshImport, PolygonsAreCutAndPartsAreMerged) {
    const TriangleMesh mesh = from_text(
        "o first\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n"
        "o second\nv 0 0 1\nv 2 0 1\nv 1 1 1\nv 2 2 1\nv 0 2 1\nf 5 6 7 8 9\n",
        "obj");
    EXPECT_EQ(mesh.triangles.size(), 5u);
    EXPECT_NEAR(mesh.area(), 1 + 3, 1e-6);
}

TEST(MeshImport, CornersTwiceInATriangleAreDropped) {
    EXPECT_EQ(from_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 0\nf 1 2 3\nf 1 2 4\nf 1 2 2\n", "obj").triangles.size(), 1u);
}

TEST(MeshImport, WhatCannotServeIsRefusedWithAReason) {
    EXPECT_NE(problem_of("v 0 0 0\nv 1 0 0\nv 0 1 0\n", "obj"), "");
    EXPECT_NE(problem_of("v 0 0 0\nv nan 0 0\nv 0 1 0\nf 1 2 3\n", "obj"), "");
    EXPECT_NE(problem_of("v 0 0 0\nv 1e30 0 0\nv 0 1 0\nf 1 2 3\n", "obj"), "");
    EXPECT_NE(problem_of("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 30\n", "obj"), "");
    EXPECT_NE(problem_of("v 0 0 0\nv 0 0 0\nv 0 0 0\nf 1 2 3\n", "obj"), "");
    EXPECT_NE(problem_of("not a mesh", "ply"), "");
    EXPECT_NE(problem_of("", "obj"), "");
    EXPECT_NE(problem_of("{\"asset\": {}}", "gltf"), "");
}

TEST(MeshImport, StlTextMayBeInCapitals) {
    std::string stl = " SOLID tip\n";
    for (const char* corners : {"0 0 0 0 1 0 1 0 0", "0 0 0 1 0 0 0 0 1", "0 0 0 0 0 1 0 1 0", "1 0 0 0 1 0 0 0 1"}) {
        std::istringstream numbers(corners);
        stl += "FACET NORMAL 0 0 1\nOUTER LOOP\n";
        for (std::string x, y, z; numbers >> x >> y >> z;) stl += "VERTEX " + x + " " + y + " " + z + "\n";
        stl += "ENDLOOP\nENDFACET\n";
    }
    EXPECT_EQ(problem_of(stl + "ENDSOLID tip\n", "stl").find("announces"), std::string::npos);
}

TEST(MeshImport, CommentsMaySpeakOfElements) {
    std::string ply = ply_of(samples::box_mesh(Vec3(1, 1, 1)));
    ply.insert(ply.find("element vertex"), "comment each element has a line\n");
    EXPECT_EQ(problem_of(ply, "ply"), "");
}

TEST(MeshImport, CountsThatTheFileCannotHoldAreRefused) {
    std::string ply = ply_of(samples::box_mesh(Vec3(1, 1, 1)));
    ply.replace(ply.find("vertex 8"), 8, "vertex 4000000000");
    EXPECT_NE(problem_of(ply, "ply").find("announces 4000000000 vertex"), std::string::npos);
    EXPECT_NE(problem_of("OFF\n8 -1 0\n0 0 0\n", "off").find("announces a number of faces"), std::string::npos);
    std::string stl = binary_stl_of(samples::box_mesh(Vec3(1, 1, 1)));
    stl[83] = '\x7f';
    EXPECT_NE(problem_of(stl, "stl").find("triangles and is only"), std::string::npos);
}

// At a header without end and numbers behind it assimp 5.2 reads beyond its memory, or never ends.
TEST(MeshImport, HeadersWithoutEndAreRefused) {
    std::string ply =
        "ply\nformat binary_little_endian 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n"
        "element face 4\nproperty list uchar int vertex_indices\nend_";
    for (const int byte : {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x3f, 3, 0x3f, 3, 0, 0, 0, 0, 2,
                           0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0, 0, 1, 0,    0,    0, 3,    0, 0, 0, 3, 0, 0,
                           0, 0, 3, 0, 0, 0, 2, 0, 0, 0, 3, 1, 0, 0,    0,    2, 0,    0, 0, 3, 0, 0, 0}) {
        ply += static_cast<char>(byte);
    }
    EXPECT_NE(problem_of(ply, "ply").find("header without end"), std::string::npos);
}

TEST(MeshImport, UnknownFormatsNameTheKnownOnes) {
    const std::string message = problem_of("anything", "docx");
    EXPECT_NE(message.find("\"docx\""), std::string::npos);
    for (const std::string& extension : mesh_extensions()) EXPECT_NE(message.find(extension), std::string::npos);
}

class MeshFile : public testing::Test {
protected:
    void SetUp() override {
        folder_ = std::filesystem::path(PLIANT_BINARY_DIR) / "mesh_import_test";
        std::filesystem::create_directories(folder_);
    }
    std::filesystem::path write(const std::string& name, const std::string& text) {
        std::ofstream(folder_ / name, std::ios::binary) << text;
        return folder_ / name;
    }
    std::string problem_of_file(const std::filesystem::path& path) {
        try {
            read_mesh(path);
        } catch (const InputError& problem) {
            return problem.what();
        }
        return "";
    }
    std::filesystem::path folder_;
};

TEST_F(MeshFile, IsReadWithItsExtensionInAnyCase) {
    EXPECT_EQ(read_mesh(write("box.OBJ", obj_of(samples::box_mesh(Vec3(1, 1, 1))))).triangles.size(), 12u);
    EXPECT_EQ(read_mesh(write("two.gltf", two_triangles_gltf)).triangles.size(), 2u);
}

TEST_F(MeshFile, IsNamedInEveryProblem) {
    const auto absent = folder_ / "absent.obj", empty = write("empty.obj", ""), odd = write("box.txt", "v 0 0 0");
    EXPECT_EQ(problem_of_file(absent), absent.string() + ": no such file; paths in a scene are relative to it");
    EXPECT_EQ(problem_of_file(empty), empty.string() + ": the file is empty");
    EXPECT_EQ(problem_of_file(folder_), folder_.string() + ": not a file");
    EXPECT_EQ(problem_of_file(odd).find(odd.string() + ": \"txt\" is not a mesh format"), 0u);
}

TEST_F(MeshFile, IsReadAsWhatItsNameSays) {
    const auto disguised = write("really_ply.obj", ply_of(samples::box_mesh(Vec3(1, 1, 1))));
    EXPECT_NE(problem_of_file(disguised), "");
}

TEST_F(MeshFile, SharedModelsAreReadWhereTheyExist) {
    const std::filesystem::path models = PLIANT_SOURCE_DIR "/../shared/models";
    if (!std::filesystem::exists(models / "armadillo.obj")) GTEST_SKIP() << "no models here";
    const MeshReport armadillo = inspect(read_mesh(models / "armadillo.obj"));
    EXPECT_EQ(armadillo.triangles, 86482);
    EXPECT_TRUE(armadillo.is_solid());
    EXPECT_TRUE(inspect(read_mesh(models / "spot.obj")).is_solid());
}

}  // namespace
}  // namespace pliant
