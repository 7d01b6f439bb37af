// What Newton's method keeps of each particle's tangent between products: with the moments W = U^T (sum_i w_i v_i
// d_i^T) B V of velocities v around it,
//     K_ii = sum_j h_ij W_jj,    K_ij = twist_ij (W_ij + W_ji) / 2 + turn_ij (W_ij - W_ji) / 2
// are those of the forces. Symbols: U, V of the singular value decomposition of F, B as in Matter.
#pragma once

#include "pliant/geometry/raw_vector.h"
#include "pliant/methods/mpm/matter.h"

namespace pliant {

// Of four particles and one part, in single precision.
class TangentFactors {
public:
    // Where each number begins; of pairs 01 02 12.
    static constexpr int U = 0, BV = 9, h = 18, twist = 24, turn = 27, numbers = 30;

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
        WideMatrix matrix(int first) const {
            WideMatrix A;
            for (int i = 0; i < 9; ++i) A.data()[i] = (*this)[first + i];
            return A;
        }
    };
    Pack pack(std::size_t place, int part) const { return {&numbers_[at(place, part)]}; }
    void set(std::size_t place, int part, int number, Double4 x) {
        *reinterpret_cast<Quarter*>(&numbers_[at(place, part) + std::size_t(4 * number)]) =
            __builtin_convertvector(x.v, Quarter);
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
