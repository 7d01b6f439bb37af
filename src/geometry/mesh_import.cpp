#include "pliant/geometry/mesh_import.h"

#include <fmt/core.h>

#include <assimp/BaseImporter.h>
#include <assimp/config.h>
#include <assimp/importerdesc.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <algorithm>
#include <assimp/Importer.hpp>
#include <cctype>
#include <cstring>
#include <fstream>
#include <memory>
#include <sstream>

#include "pliant/base/error.h"
#include "pliant/base/isolated.h"
#include "pliant/geometry/mesh_counts.h"
#include "pliant/geometry/mesh_join.h"

namespace pliant {
namespace {

constexpr std::uintmax_t largest_file = std::uintmax_t(2) << 30;
constexpr std::size_t most_corners = 200'000'000;
constexpr float farthest = 1e9f;  // in the units of the file

[[noreturn]] void refuse(const std::string& name, const std::string& why) {
    throw InputError(fmt::format("{}: {}", name, why));
}

bool reads(const aiImporterDesc& importer, const std::string& extension) {
    std::istringstream extensions(importer.mFileExtensions);
    for (std::string each; extensions >> each;) {
        if (each == extension) return true;
    }
    return false;
}

// assimp guesses by content when the extension does not help; we read a file only as what it says it is. Where several
// read the extension, the last is the newest: glTF 2 comes after glTF 1.
void keep_only_importer_of(Assimp::Importer& importer, const std::string& extension) {
    std::vector<std::unique_ptr<Assimp::BaseImporter>> others;
    Assimp::BaseImporter* wanted = nullptr;
    for (std::size_t i = 0; i < importer.GetImporterCount(); ++i) {
        Assimp::BaseImporter* each = importer.GetImporter(i);
        if (reads(*importer.GetImporterInfo(i), extension)) std::swap(wanted, each);
        if (each) others.emplace_back(each);
    }
    for (const auto& other : others) importer.UnregisterLoader(other.get());
}

unsigned processing(Assimp::Importer& importer) {
    importer.SetPropertyInteger(AI_CONFIG_PP_RVC_FLAGS, aiComponent_NORMALS | aiComponent_TANGENTS_AND_BITANGENTS |
                                                            aiComponent_COLORS | aiComponent_TEXCOORDS |
                                                            aiComponent_BONEWEIGHTS | aiComponent_ANIMATIONS |
                                                            aiComponent_TEXTURES | aiComponent_LIGHTS |
                                                            aiComponent_CAMERAS | aiComponent_MATERIALS);
    return aiProcess_ValidateDataStructure | aiProcess_RemoveComponent | aiProcess_Triangulate;
}

// Believes nothing: assimp's numbers come from the file.
void append(const aiMesh& part, const aiMatrix4x4& transform, TriangleMesh& mesh) {
    if (!part.mVertices || !part.mFaces) return;
    if (mesh.vertices.size() + part.mNumVertices > most_corners ||
        mesh.triangles.size() + part.mNumFaces > most_corners) {
        throw InputError(fmt::format("more than {} corners or triangles; make the mesh coarser", most_corners));
    }
    const int first = static_cast<int>(mesh.vertices.size());
    for (unsigned v = 0; v < part.mNumVertices; ++v) {
        const aiVector3D x = transform * part.mVertices[v];
        if (!(std::abs(x.x) <= farthest && std::abs(x.y) <= farthest && std::abs(x.z) <= farthest)) {
            throw InputError(fmt::format("corner {} of {} is at ({}, {}, {}); coordinates must be numbers up to {:g}",
                                         v, part.mNumVertices, x.x, x.y, x.z, farthest));
        }
        mesh.vertices.emplace_back(x.x, x.y, x.z);
    }
    for (unsigned f = 0; f < part.mNumFaces; ++f) {
        const aiFace& face = part.mFaces[f];
        if (face.mNumIndices != 3) continue;  // points and lines
        std::array<int, 3> triangle;
        for (int corner = 0; corner < 3; ++corner) {
            if (face.mIndices[corner] >= part.mNumVertices) {
                throw InputError(fmt::format("triangle {} uses corner {}, but there are {}", f, face.mIndices[corner],
                                             part.mNumVertices));
            }
            triangle[corner] = first + static_cast<int>(face.mIndices[corner]);
        }
        // A mirroring transform turns triangles inside out.
        if (transform.Determinant() < 0) std::swap(triangle[1], triangle[2]);
        mesh.triangles.push_back(triangle);
    }
}

TriangleMesh merged(const aiScene& scene) {
    struct Visit {
        const aiNode* node;
        aiMatrix4x4 transform;
    };
    TriangleMesh mesh;
    std::vector<Visit> stack{{scene.mRootNode, aiMatrix4x4()}};
    while (!stack.empty()) {
        const Visit visit = stack.back();
        stack.pop_back();
        if (!visit.node) continue;
        const aiMatrix4x4 transform = visit.transform * visit.node->mTransformation;
        for (unsigned m = 0; m < visit.node->mNumMeshes; ++m) {
            if (visit.node->mMeshes[m] < scene.mNumMeshes)
                append(*scene.mMeshes[visit.node->mMeshes[m]], transform, mesh);
        }
        for (unsigned c = visit.node->mNumChildren; c-- > 0;) stack.push_back({visit.node->mChildren[c], transform});
    }
    if (mesh.triangles.empty()) throw InputError("no triangles in it; is it a point cloud, or an empty file?");
    return mesh;
}

// A mesh on its way between two processes.
std::vector<std::byte> packed(const TriangleMesh& mesh) {
    const std::uint64_t corners = mesh.vertices.size();
    const auto vertices = std::as_bytes(std::span(mesh.vertices)), triangles = std::as_bytes(std::span(mesh.triangles));
    std::vector<std::byte> bytes(sizeof corners);
    std::memcpy(bytes.data(), &corners, sizeof corners);
    bytes.insert(bytes.end(), vertices.begin(), vertices.end());
    bytes.insert(bytes.end(), triangles.begin(), triangles.end());
    return bytes;
}

TriangleMesh unpacked(std::span<const std::byte> bytes) {
    std::uint64_t corners = 0;
    std::memcpy(&corners, bytes.data(), sizeof corners);
    bytes = bytes.subspan(sizeof corners);
    TriangleMesh mesh;
    mesh.vertices.resize(corners);
    mesh.triangles.resize((bytes.size() - corners * sizeof(Vec3)) / sizeof(mesh.triangles[0]));
    std::memcpy(static_cast<void*>(mesh.vertices.data()), bytes.data(), corners * sizeof(Vec3));
    std::memcpy(mesh.triangles.data(), bytes.data() + corners * sizeof(Vec3),
                mesh.triangles.size() * sizeof(mesh.triangles[0]));
    return mesh;
}

// Several times what honest files of that many bytes have been seen to need.
IsolationLimits limits_for(std::size_t bytes) {
    return {static_cast<unsigned>(2 + (bytes >> 20)), (std::size_t(2) << 30) + 100 * bytes};
}

// Runs read(importer, flags), in a process of its own: there are files at which assimp crashes or never ends.
template <class Read>
TriangleMesh imported(const std::string& name, const std::string& extension, std::size_t bytes, Read&& read) {
    const auto import = [&] {
        Assimp::Importer importer;
        keep_only_importer_of(importer, extension);
        const unsigned flags = processing(importer);
        const aiScene* scene = read(importer, flags);
        if (!scene) throw InputError(fmt::format("cannot be read as {}: {}", extension, importer.GetErrorString()));
        if (scene->mFlags & AI_SCENE_FLAGS_INCOMPLETE || !scene->mRootNode) throw InputError("no mesh in it");
        return packed(merged(*scene));
    };
    try {
        const TriangleMesh mesh = joined(unpacked(run_isolated(import, limits_for(bytes))));
        if (mesh.triangles.empty()) throw InputError("all triangles are without area");
        return mesh;
    } catch (const InputError& problem) {
        refuse(name, problem.what());
    }
}

std::string lower_case(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
}

void check_extension(const std::string& name, const std::string& extension) {
    const auto& known = mesh_extensions();
    if (std::find(known.begin(), known.end(), extension) != known.end()) return;
    std::string list;
    for (const std::string& each : known) list += (list.empty() ? "" : ", ") + each;
    refuse(name, fmt::format("\"{}\" is not a mesh format that can be read; convert it to one of {}", extension, list));
}

std::vector<std::byte> bytes_of(const std::filesystem::path& path) {
    std::error_code problem;
    const auto status = std::filesystem::status(path, problem);
    if (!std::filesystem::exists(status)) refuse(path.string(), "no such file; paths in a scene are relative to it");
    if (!std::filesystem::is_regular_file(status)) refuse(path.string(), "not a file");
    const std::uintmax_t size = std::filesystem::file_size(path, problem);
    if (problem) refuse(path.string(), problem.message());
    if (size == 0) refuse(path.string(), "the file is empty");
    if (size > largest_file)
        refuse(path.string(), fmt::format("{} MB; meshes up to {} MB can be read", size >> 20, largest_file >> 20));
    std::vector<std::byte> bytes(size);
    std::ifstream file(path, std::ios::binary);
    if (!file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size))) {
        refuse(path.string(), "cannot be read; check its permissions");
    }
    return bytes;
}

TriangleMesh read_bytes(std::span<const std::byte> bytes, const std::string& extension, const std::string& name) {
    const std::string problem = problem_with_counts(bytes, extension);
    if (!problem.empty()) refuse(name, problem);
    return imported(name, extension, bytes.size(), [&](Assimp::Importer& importer, unsigned flags) {
        return importer.ReadFileFromMemory(bytes.data(), bytes.size(), flags, extension.c_str());
    });
}

}  // namespace

const std::vector<std::string>& mesh_extensions() {
    static const std::vector<std::string> list = {"obj", "ply", "stl", "gltf", "glb", "off", "fbx", "dae", "3ds"};
    return list;
}

TriangleMesh read_mesh(const std::filesystem::path& path) {
    const std::string extension = path.has_extension() ? lower_case(path.extension().string().substr(1)) : "";
    const std::vector<std::byte> bytes = bytes_of(path);
    check_extension(path.string(), extension);
    // glTF keeps its numbers in other files beside it; the rest is complete, and nothing else needs to be opened.
    if (extension != "gltf") return read_bytes(bytes, extension, path.string());
    constexpr std::size_t buffers = std::size_t(256) << 20;  // the files beside it may be as large as this
    return imported(path.string(), extension, bytes.size() + buffers, [&](Assimp::Importer& importer, unsigned flags) {
        return importer.ReadFile(path.string(), flags);
    });
}

TriangleMesh read_mesh_from_memory(std::span<const std::byte> bytes, const std::string& extension) {
    const std::string name = "mesh in memory";
    const std::string format = lower_case(extension);
    check_extension(name, format);
    if (bytes.empty()) refuse(name, "no bytes");
    return read_bytes(bytes, format, name);
}

}  // namespace pliant
