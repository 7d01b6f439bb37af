// The rest state: how particles lie with respect to each other when nothing pulls at them.
// Pairs share reference positions X; a matrix A_i of each particle carries them into its own rest space:
//     p_ij = A_i X_ij,   X_ij = X_j - X_i,   w_ij = w_ji > 0
//     H_i = sum_j w_ij q_ij X_ij^T,   Fe_i = H_i N_i                    the least-squares fit of q_ij = Fe_i p_ij
//     N_i = A_i^T K_i^+,   G_i = N_i K_i N_i^T,   K_i = sum_j w_ij p_ij p_ij^T
// Plastic flow changes A alone. When much has flowed, renew() takes positions as they are for the new reference: then
// A_i = Fe_i^-1, which is [Zhou13] eq. 15, and neighbours are found anew where matter has flowed.
// Neighbourhoods that do not span space keep to the directions that they do: Pi_i = K_i^+ K_i.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pliant/geometry/neighbours.h"
#include "pliant/geometry/raw_vector.h"
#include "pliant/math/kernels.h"
#include "pliant/math/wide.h"
#include "pliant/methods/model.h"
#include "pliant/particles/snapshot.h"
#include "pliant/particles/state.h"

namespace pliant {

// Four numbers that are loaded as one pack.
struct alignas(32) Quad {
    Real x, y, z, w;
    Double4 load() const { return simd::load<Double4>(&x); }
    void store(Double4 v) { simd::store(&x, v); }
};

inline std::size_t pack_count(std::size_t n) {
    return (n + 3) / 4;
}

// Behind a row lie the next ones, and behind the last so many indices of no meaning: for loops that look ahead. Six
// rows: of a million particles much comes from memory, which takes as long as that.
inline constexpr std::size_t look_ahead = 160;

struct RestRow {
    std::span<const std::uint32_t> index;  // j
    std::span<const float> weight;         // w_ij
};

struct RestSurface {
    std::vector<std::uint8_t> is_surface;
    std::vector<Vec3> outward;  // normals in rest space, zero inside and where neighbours lie all around in a plane
};

class RestShape {
public:
    RestShape(const Model& model, Real support, KernelKind kernel);

    // As the particles lie now they are at rest.
    void set(const ParticleState& state);

    // Positions become the reference, state.deformation the elastic part. Pairs of which neither has flowed stay as
    // they are; the others are those that are near each other in their rest space. With `all`, every pair is new.
    void renew(const ParticleState& state, bool all);

    // A = Fp A
    void flow(std::size_t i, const Mat3& Fp_inverse);  // only where the neighbourhood spans space
    std::size_t flowed_far() const;                    // particles whose A has changed by more than a renewal bears

    std::size_t size() const { return reference_.size(); }
    RestRow row(std::size_t i) const {
        const std::size_t begin = offset_[i], count = offset_[i + 1] - begin;
        return {{index_.data() + begin, count}, {weight_.data() + begin, count}};
    }
    std::span<const Vec3> reference() const { return reference_; }
    const WideMat3<Double4>& N(std::size_t pack) const { return N_.empty() ? G_[pack] : N_[pack]; }
    const WideMat3<Double4>& G(std::size_t pack) const { return G_[pack]; }
    Mat3 A_inverse(std::size_t i) const { return since_.empty() ? base(i) : Mat3(base(i) * since_[i]); }
    Mat3 N_at_reference(std::size_t i) const;  // before the flow since then
    Mat3 R_at_reference(std::size_t i) const;  // of A^-1 then
    int rank(std::size_t i) const { return rank_[i]; }
    Mat3 projector(std::size_t i) const;                   // Pi
    Mat3 left_out(std::size_t i) const;                    // (1 - Pi) A; where the neighbourhood does not span space
    Real trace(std::size_t i) const { return trace_[i]; }  // of K
    // Fe with the directions that no neighbour spans, which turn with those that are spanned or as `before`.
    Mat3 completed(std::size_t i, const Mat3& Fe, const Mat3& before) const;

    std::vector<std::uint32_t> particles_with_neighbours_below(Real share) const;  // of full_count()
    Real full_count() const { return 4 * pi / 3 * cube(support_); }                // inside a body that has not flowed
    RestSurface surface() const;  // where neighbours lie to one side only, or do not span space
    Real average_count() const { return size() ? Real(weight_.size()) / Real(size()) : 0; }

    void save(Snapshot& snapshot) const;
    void restore(const Snapshot& snapshot);
    std::size_t bytes() const;

private:
    using Pairs = std::vector<std::pair<std::uint32_t, float>>;

    Mat3 base(std::size_t i) const { return base_.empty() ? Mat3(Mat3::Identity()) : base_[i]; }
    void start_flow();
    void find_rows(std::span<const Vec3> positions, bool all);
    void take_rows(std::span<const std::uint32_t> count, std::vector<Pairs>& found);
    void sum_moments();
    Real weight(Real distance, std::size_t body) const;

    const Model& model_;
    Real support_;  // in spacings
    KernelKind kernel_;
    std::vector<BodyRange> bodies_;
    NeighbourSearch search_;
    NeighbourLists near_;

    std::vector<Vec3> reference_;
    RawVector<std::uint64_t> offset_;
    RawVector<std::uint32_t> index_;
    RawVector<float> weight_;
    RawVector<WideMat3<Double4>> N_, G_;  // N is G, and not kept, where nothing has flowed or can
    std::vector<Mat3> base_;              // A^-1 when the reference was taken; empty before the first renewal: 1
    std::vector<Mat3> since_;             // Fp^-1 of the flow since then: A^-1 = base since; empty if nothing can flow
    std::vector<Real> trace_;
    std::vector<std::uint8_t> rank_;
    std::vector<std::pair<std::uint32_t, Mat3>> flat_;  // projectors of neighbourhoods that do not span space
};

}  // namespace pliant
