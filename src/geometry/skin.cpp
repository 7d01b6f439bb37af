#include "pliant/geometry/skin.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "pliant/base/error.h"
#include "pliant/base/parallel.h"
#include "pliant/math/wide.h"

namespace pliant {
namespace {

using Eigen::Vector3f;
using WideVec3f = WideVec3<Float8>;

constexpr std::size_t vertices_a_task = 2048;
constexpr double sum_tolerance = 1e-4;

void check_weights(const std::array<std::uint32_t, 4>& frame, const std::array<float, 4>& weight, std::size_t vertex,
                   std::size_t frame_count) {
    double sum = 0;
    for (int k = 0; k < 4; ++k) {
        if (frame[k] >= frame_count) {
            throw InputError(fmt::format("skin: vertex {} hangs on frame {}, but there are only {} frames", vertex,
                                         frame[k], frame_count));
        }
        if (!(weight[k] >= 0 && std::isfinite(weight[k]))) {
            throw InputError(fmt::format("skin: vertex {} has the weight {}; weights are finite and not negative",
                                         vertex, weight[k]));
        }
        sum += weight[k];
    }
    if (!(std::abs(sum - 1) <= sum_tolerance)) {
        throw InputError(fmt::format("skin: the weights of vertex {} sum to {} instead of 1", vertex, sum));
    }
}

WideVec3f load_points(const float (&from)[3][8]) {
    return {simd::load_aligned<Float8>(from[0]), simd::load_aligned<Float8>(from[1]),
            simd::load_aligned<Float8>(from[2])};
}

// x0 y0 z0 x1 ... z7. Shuffles within the halves of a register first, as these are the quick ones.
[[gnu::always_inline]] inline void interleave(const WideVec3f& p, Float8 (&out)[3]) {
    const auto xy = __builtin_shufflevector(p.x.v, p.y.v, 0, 2, 8, 10, 4, 6, 12, 14);
    const auto yz = __builtin_shufflevector(p.y.v, p.z.v, 1, 3, 9, 11, 5, 7, 13, 15);
    const auto zx = __builtin_shufflevector(p.z.v, p.x.v, 0, 2, 9, 11, 4, 6, 13, 15);
    const auto first = __builtin_shufflevector(xy, zx, 0, 2, 8, 10, 4, 6, 12, 14);   // x0 y0 z0 x1, x4 y4 z4 x5
    const auto second = __builtin_shufflevector(yz, xy, 0, 2, 9, 11, 4, 6, 13, 15);  // y1 z1 x2 y2, y5 z5 x6 y6
    const auto third = __builtin_shufflevector(zx, yz, 1, 3, 9, 11, 5, 7, 13, 15);   // z2 x3 y3 z3, z6 x7 y7 z7
    out[0].v = __builtin_shufflevector(first, second, 0, 1, 2, 3, 8, 9, 10, 11);
    out[1].v = __builtin_shufflevector(third, first, 0, 1, 2, 3, 12, 13, 14, 15);
    out[2].v = __builtin_shufflevector(second, third, 4, 5, 6, 7, 12, 13, 14, 15);
}
[[gnu::always_inline]] inline void store_points(Vector3f* to, const WideVec3f& points, std::size_t count) {
    Float8 numbers[3];
    interleave(points, numbers);
    if (count == 8) {
        for (int k = 0; k < 3; ++k) simd::store(to->data() + 8 * k, numbers[k]);
    } else {
        std::memcpy(static_cast<void*>(to), numbers, count * sizeof(Vector3f));
    }
}

}  // namespace

// The sum of w (R | t) over the frames of a vertex: a 3x4 matrix. The palette keeps one by rows, and four floats more
// so that it fills a cache line.
struct Skin::LinearMotion {
    static constexpr std::size_t palette_floats = 16;
    WideVec3f row[3];
    WideVec3f translation;

    static void write_palette(const SkinFrame& frame, float* to) {
        const Eigen::Matrix3f R = frame.rotation.toRotationMatrix();
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) to[4 * i + j] = R(i, j);
            to[4 * i + 3] = frame.translation[i];
        }
        std::fill(to + 12, to + 16, 0.0f);
    }

    // Matrices are summed vertex by vertex, a row of four numbers beside another in a register, and only the sums are
    // turned into packs of one number of eight vertices.
    [[gnu::always_inline]] static LinearMotion blended(const Block& block, const float* palette) {
        using namespace simd;
        Float8 upper[width], lower[width];
        for (std::size_t v = 0; v < width; ++v) {
            const float* first = palette + palette_floats * block.frame[0][v];
            const Float8 w(block.weight[0][v]);
            upper[v] = w * load_aligned<Float8>(first);
            lower[v] = w * load_aligned<Float8>(first + 8);
            for (int k = 1; k < 4; ++k) {
                const float* next = palette + palette_floats * block.frame[k][v];
                const Float8 wk(block.weight[k][v]);
                upper[v] = fma(wk, load_aligned<Float8>(next), upper[v]);
                lower[v] = fma(wk, load_aligned<Float8>(next + 8), lower[v]);
            }
        }
        transpose_square(upper);
        transpose_square(lower);
        return {{{upper[0], upper[1], upper[2]}, {upper[4], upper[5], upper[6]}, {lower[0], lower[1], lower[2]}},
                {upper[3], upper[7], lower[3]}};
    }

    WideVec3f turned(const WideVec3f& v) const { return {dot(row[0], v), dot(row[1], v), dot(row[2], v)}; }
    WideVec3f position(const WideVec3f& x) const { return turned(x) + translation; }
    WideVec3f normal(const WideVec3f& n) const {
        const WideVec3f m = turned(n);
        return m * (Float8(1) / simd::sqrt(simd::max(dot(m, m), std::numeric_limits<float>::min())));
    }
};

// The sum b = w (q + e t q / 2) over the frames of a vertex, e^2 = 0, each with the sign that brings it to the side of
// the frame of the largest weight: q and -q are the same rotation.
struct Skin::DualQuaternionMotion {
    static constexpr std::size_t palette_floats = 8;
    Float8 real;  // b's rotation: real + imaginary
    WideVec3f imaginary;
    Float8 dual_real;  // and what stands with e
    WideVec3f dual_imaginary;

    static void write_palette(const SkinFrame& frame, float* to) {
        const Eigen::Quaternionf& q = frame.rotation;
        const Vector3f &t = frame.translation, v = q.vec();
        const Vector3f dual = 0.5f * (q.w() * t + t.cross(v));
        const float numbers[palette_floats] = {q.w(),    v.x(),    v.y(),   v.z(), -0.5f * t.dot(v),
                                               dual.x(), dual.y(), dual.z()};
        std::copy(std::begin(numbers), std::end(numbers), to);
    }

    [[gnu::always_inline]] static DualQuaternionMotion blended(const Block& block, const float* palette) {
        using namespace simd;
        Float8 first[width], b[width];
        load_frames(block, 0, palette, first);
        const Float8 w = load_aligned<Float8>(block.weight[0]);
        for (std::size_t n = 0; n < width; ++n) b[n] = w * first[n];
        for (int k = 1; k < 4; ++k) {
            Float8 next[width];
            load_frames(block, k, palette, next);
            Float8 cosine = first[0] * next[0];
            for (int n = 1; n < 4; ++n) cosine = fma(first[n], next[n], cosine);
            const Float8 wk = times_sign(load_aligned<Float8>(block.weight[k]), cosine);
            for (std::size_t n = 0; n < width; ++n) b[n] = fma(wk, next[n], b[n]);
        }
        return {b[0], {b[1], b[2], b[3]}, b[4], {b[5], b[6], b[7]}};
    }
    [[gnu::always_inline]] static void load_frames(const Block& block, int k, const float* palette, Float8* out) {
        for (std::size_t v = 0; v < width; ++v) {
            out[v] = simd::load_aligned<Float8>(palette + palette_floats * block.frame[k][v]);
        }
        transpose_square(out);
    }

    // x + 2 (c x (c x x + a x + f) + a f - g c) / |b|^2 with b = a + c + e (g + f): [Kavan07] Algorithm 1 with b's
    // length taken out of all terms.
    WideVec3f position(const WideVec3f& x) const {
        const WideVec3f inner = cross(imaginary, x) + x * real + dual_imaginary;
        return x + (cross(imaginary, inner) + dual_imaginary * real - imaginary * dual_real) * twice_reciprocal();
    }
    WideVec3f normal(const WideVec3f& n) const {
        return n + cross(imaginary, cross(imaginary, n) + n * real) * twice_reciprocal();
    }
    Float8 twice_reciprocal() const { return Float8(2) / simd::fma(real, real, dot(imaginary, imaginary)); }
};

Skin::Skin(const TriangleMesh& bind, const SkinWeights& weights, std::size_t frame_count)
    : vertex_count_(bind.vertices.size()),
      frame_count_(frame_count),
      blocks_(block_count(vertex_count_, width)),
      palette_(frame_count * std::max(LinearMotion::palette_floats, DualQuaternionMotion::palette_floats)) {
    if (weights.frame.size() != vertex_count_ || weights.weight.size() != vertex_count_) {
        throw InputError(fmt::format("skin: {} vertices, but frames for {} and weights for {} of them", vertex_count_,
                                     weights.frame.size(), weights.weight.size()));
    }
    if (!blocks_.empty()) std::memset(static_cast<void*>(blocks_.data()), 0, blocks_.size() * sizeof(Block));
    fill_vertices(bind);
    fill_weights(weights);
}

void Skin::fill_vertices(const TriangleMesh& bind) {
    const std::vector<Vec3> normals = bind.vertex_normals();
    for (std::size_t i = 0; i < vertex_count_; ++i) {
        Block& block = blocks_[i / width];
        for (int k = 0; k < 3; ++k) {
            block.position[k][i % width] = static_cast<float>(bind.vertices[i][k]);
            block.normal[k][i % width] = static_cast<float>(normals[i][k]);
            if (!std::isfinite(block.position[k][i % width])) {
                throw InputError(fmt::format("skin: vertex {} is not at a finite place", i));
            }
        }
    }
}

void Skin::fill_weights(const SkinWeights& weights) {
    for (std::size_t i = 0; i < vertex_count_; ++i) {
        const auto& frame = weights.frame[i];
        const auto& weight = weights.weight[i];
        check_weights(frame, weight, i, frame_count_);
        const double sum = std::accumulate(weight.begin(), weight.end(), 0.0);
        std::array<int, 4> order = {0, 1, 2, 3};
        std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return weight[a] > weight[b]; });
        Block& block = blocks_[i / width];
        for (int k = 0; k < 4; ++k) {
            block.frame[k][i % width] = frame[order[k]];
            block.weight[k][i % width] = static_cast<float>(weight[order[k]] / sum);
        }
    }
}

template <class Motion>
void Skin::move(std::span<const SkinFrame> frames, std::span<Vector3f> positions, std::span<Vector3f> normals) {
    assert(frames.size() == frame_count_ && positions.size() == vertex_count_);
    assert(normals.empty() || normals.size() == vertex_count_);
    parallel_for(frame_count_, [&](std::size_t f) {
        Motion::write_palette(frames[f], palette_.data() + Motion::palette_floats * f);
    });
    parallel_blocks(vertex_count_, vertices_a_task, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; i += width) {
            const Block& block = blocks_[i / width];
            const std::size_t count = std::min(width, end - i);
            const Motion motion = Motion::blended(block, palette_.data());
            store_points(&positions[i], motion.position(load_points(block.position)), count);
            if (!normals.empty()) store_points(&normals[i], motion.normal(load_points(block.normal)), count);
        }
    });
}

void Skin::linear(std::span<const SkinFrame> frames, std::span<Vector3f> positions, std::span<Vector3f> normals) {
    move<LinearMotion>(frames, positions, normals);
}
void Skin::dual_quaternion(std::span<const SkinFrame> frames, std::span<Vector3f> positions,
                           std::span<Vector3f> normals) {
    move<DualQuaternionMotion>(frames, positions, normals);
}

}  // namespace pliant
