// How the vertices of a mesh hang on moving frames: at most four frames a vertex, with weights that sum to one. And
// where the frames carry them, by linear or by dual quaternion blending [Kavan07].
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "pliant/geometry/mesh.h"
#include "pliant/geometry/raw_vector.h"

namespace pliant {

struct SkinWeights {
    std::vector<std::array<std::uint32_t, 4>> frame;  // unused entries repeat a used one, with weight 0
    std::vector<std::array<float, 4>> weight;         // the largest first

    std::size_t size() const { return frame.size(); }
};

// A rigid motion from the bind pose to the current one: x -> R x + t.
struct SkinFrame {
    Eigen::Quaternionf rotation = Eigen::Quaternionf::Identity();  // R, unit
    Eigen::Vector3f translation = Eigen::Vector3f::Zero();         // t [m]
};

// A mesh in its bind pose, ready to be moved. Works in single precision: keep the bind pose near the origin.
// Calls share working memory, so one Skin serves one caller at a time; nothing is allocated after its construction.
class Skin {
public:
    // An InputError names the first vertex whose frames or weights are wrong. Weights may be up to 1e-4 off a sum of
    // one and are scaled to it.
    Skin(const TriangleMesh& bind, const SkinWeights& weights, std::size_t frame_count);

    std::size_t vertex_count() const { return vertex_count_; }
    std::size_t frame_count() const { return frame_count_; }
    std::size_t bytes_a_vertex() const { return sizeof(Block) / width; }  // read for each vertex that is moved

    // Position and unit normal of every vertex. Normals may be empty, and then are not computed; a vertex without a
    // normal in the bind pose keeps a zero one. Linear blending takes normals through the blended matrix itself.
    void linear(std::span<const SkinFrame> frames, std::span<Eigen::Vector3f> positions,
                std::span<Eigen::Vector3f> normals = {});

    // Keeps the volume of twisted limbs, which linear blending loses.
    void dual_quaternion(std::span<const SkinFrame> frames, std::span<Eigen::Vector3f> positions,
                         std::span<Eigen::Vector3f> normals = {});

private:
    static constexpr std::size_t width = 8;
    struct alignas(64) Block {  // of vertices
        float position[3][width];
        float weight[4][width];
        std::uint32_t frame[4][width];  // that of the largest weight first
        float normal[3][width];
    };
    struct LinearMotion;
    struct DualQuaternionMotion;

    void fill_vertices(const TriangleMesh& bind);
    void fill_weights(const SkinWeights& weights);
    template <class Motion>
    void move(std::span<const SkinFrame> frames, std::span<Eigen::Vector3f> positions,
              std::span<Eigen::Vector3f> normals);

    std::size_t vertex_count_, frame_count_;
    RawVector<Block> blocks_;
    RawVector<float> palette_;  // the frames as the kind of blending needs them
};

}  // namespace pliant
