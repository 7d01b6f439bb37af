// What Newton's method keeps of each particle's tangent between products: with the moments W = U^T (sum_i w_i v_i
// d_i^T) B V of velocities v around it,
//     K_ii = sum_j h_ij W_jj,    K_ij = twist_ij (W_ij + W_ji) / 2 + turn_ij (W_ij - W_ji) / 2
// are those of the forces. Symbols: U, V of the singular value decomposition of F, B as in Matter. U is kept as a
// quaternion.
#pragma once

#include "pliant/geometry/raw_vector.h"
#include "pliant/methods/mpm/matter.h"

namespace pliant {

// Of four particles and one part, in single precision.
class TangentFactors {
public:
    // Where each number begins; of pairs 01 02 12.
    static constexpr int U = 0, BV = 4, h = 13, twist = 19, turn = 22, numbers = 25;

    void resize(std::size_t places, int parts) {
        parts_ = parts;
        resize_discarding(numbers_, places * numbers * std::size_t(parts));
    }
    void release() { numbers_ = RawVector<float>(); }
    int parts() const { return parts_; }
    std::size_t bytes() const { return numbers_.capacity() * sizeof(float); }

    // Of the four from `place` on.
    struct Pack {
        const float* from;
        Double4 operator[](int number) const {
            return Double4(
                __builtin_convertvector(*reinterpret_cast<const Quarter*>(from + 4 * number), Double4::Vector));
        }
        WideMatrix rotation() const {  // U
            return rotation_matrix(WideQuat<Double4>{(*this)[U], (*this)[U + 1], (*this)[U + 2], (*this)[U + 3]},
                                   Double4(1.0));
        }
        WideMatrix shape() const {  // B V
            WideMatrix A;
            for (int i = 0; i < 9; ++i) A.data()[i] = (*this)[BV + i];
            return A;
        }
    };
    Pack pack(std::size_t place, int part) const { return {&numbers_[at(place, part)]}; }
    void set(std::size_t place, int part, int first, const Double4* from, int count) {
        for (int i = 0; i < count; ++i) {
            *reinterpret_cast<Quarter*>(&numbers_[at(place, part) + std::size_t(4 * (first + i))]) =
                __builtin_convertvector(from[i].v, Quarter);
        }
    }
    void set_rotation(std::size_t place, int part, const WideMatrix& rotation) {
        const WideQuat<Double4> q = quaternion_of(rotation);
        const Double4 numbers_of[4] = {q.w, q.x, q.y, q.z};
        set(place, part, U, numbers_of, 4);
    }

private:
    typedef float Quarter __attribute__((vector_size(16), aligned(16), may_alias));
    std::size_t at(std::size_t place, int part) const {
        return (place * std::size_t(parts_) + 4 * std::size_t(part)) * numbers;
    }

    int parts_ = 1;
    RawVector<float> numbers_;  // pack by pack of four, part by part, number by number
};

}  // namespace pliant
