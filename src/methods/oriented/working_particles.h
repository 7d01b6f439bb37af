// Particles as the solver moves them within a step: in float, from an origin near by.
#pragma once

#include "pliant/geometry/raw_vector.h"
#include "pliant/math/wide.h"

namespace pliant {

// One cache line.
struct alignas(64) WorkingParticle {
    float x[3];
    float inverse_mass;  // 1/kg; 0: held
    float moment[12];    // A = R (m/5) S about its own centre, by columns, with a spare number behind each [kg m^2]
};
inline constexpr std::size_t particle_stride = sizeof(WorkingParticle) / sizeof(float);

// The rotation of a particle from its rest orientation to its own.
struct alignas(16) Turn {
    float w = 1, x = 0, y = 0, z = 0;
};

// (m/5) S at rest; all zero for a joint, which has no orientation.
struct alignas(32) RestMoment {
    float xx = 0, yy = 0, zz = 0, yz = 0, xz = 0, xy = 0;
    float spare[2] = {0, 0};
};

// `shape` is S at rest.
inline RestMoment moment_at_rest(Real mass, const Mat3& shape) {
    const Eigen::Matrix3f B = (mass / 5 * shape).cast<float>();
    return {B(0, 0), B(1, 1), B(2, 2), B(2, 1), B(2, 0), B(1, 0)};
}

// The moment A = R B, by columns.
template <class P>
WideMat3<P> turned_moment(const WideMat3<P>& R, P xx, P yy, P zz, P yz, P xz, P xy) {
    return {{R * WideVec3<P>{xx, xy, xz}, R * WideVec3<P>{xy, yy, yz}, R * WideVec3<P>{xz, yz, zz}}};
}

struct WorkingParticles {
    RawVector<WorkingParticle> particle;  // those of the scene, and spare ones behind for lanes without work
    RawVector<Turn> turn;
    std::vector<RestMoment> rest_moment;

    float* numbers() { return &particle.data()->x[0]; }
    float* turns() { return &turn.data()->w; }

    // After a turn was changed.
    void refresh_moment(std::size_t i) {
        const Turn& q = turn[i];
        const RestMoment& B = rest_moment[i];
        const WideMat3<float> R = rotation_matrix(WideQuat<float>{q.w, q.x, q.y, q.z}, 1.0f);
        const WideMat3<float> A = turned_moment(R, B.xx, B.yy, B.zz, B.yz, B.xz, B.xy);
        for (int c = 0; c < 3; ++c) {
            float* into = particle[i].moment + 4 * c;
            into[0] = A.column[c].x, into[1] = A.column[c].y, into[2] = A.column[c].z;
        }
    }
    // Of those from begin up to end.
    void refresh_moments(std::size_t begin, std::size_t end) {
        std::size_t i = begin;
        for (; i + 8 <= end; i += 8) {
            std::uint32_t index[8];
            for (int l = 0; l < 8; ++l) index[l] = static_cast<std::uint32_t>(i) + static_cast<std::uint32_t>(l);
            Float8 q[4], B[8];
            gather_quads(turns(), 4, index, q);
            load_records<8>(&rest_moment[i].xx, 8, B);
            const WideMat3<Float8> R = rotation_matrix(WideQuat<Float8>{q[0], q[1], q[2], q[3]}, Float8(1));
            const WideMat3<Float8> A = turned_moment(R, B[0], B[1], B[2], B[3], B[4], B[5]);
            for (int c = 0; c < 3; ++c) {
                const auto& a = A.column[c];
                scatter_quads(numbers() + 4 + 4 * c, particle_stride, index, {a.x, a.y, a.z, Float8(0)});
            }
        }
        for (; i < end; ++i) refresh_moment(i);
    }
};

}  // namespace pliant
