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
};

}  // namespace pliant
