#include "pliant/methods/mls/rest_shape.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "pliant/base/error.h"
#include "pliant/base/parallel.h"
#include "pliant/math/polar.h"
#include "pliant/math/svd.h"
#include "pliant/math/symmetric.h"

namespace pliant {
namespace {

// Directions in which a neighbourhood is this much flatter than in its widest count as not spanned.
constexpr Real flattest = 0.02;
constexpr Real least_volume = 1e-6;  // of an elastic deformation that can be undone
constexpr Real far = 0.1;            // |log sigma| of the flow after which neighbours are found anew
constexpr Real most_stretch = 2;     // beyond it a pair that has flowed is torn
constexpr Real has_flowed = 1e-12;   // of |Fp^-1 - 1|
constexpr Real one_sided = 0.1;      // of the weights

}  // namespace

RestShape::RestShape(const Model& model, Real support, KernelKind kernel)
    : model_(model), support_(support), kernel_(kernel) {}

void RestShape::set(const ParticleState& state) {
    bodies_ = body_ranges(state, model_.bodies.size());
    reference_ = state.position;
    base_.clear();
    start_flow();
    find_rows(reference_, true);
    sum_moments();
}

void RestShape::start_flow() {
    const auto flows = [](const Material& material) { return material.plasticity.has_value(); };
    const bool can_flow = std::any_of(model_.materials.begin(), model_.materials.end(), flows);
    since_.assign(can_flow ? size() : 0, Mat3::Identity());
}

void RestShape::renew(const ParticleState& state, bool all) {
    if (base_.empty()) base_.assign(size(), Mat3::Identity());
    parallel_for(state.size(), [&](std::size_t i) {
        const Mat3& Fe = state.deformation[i];
        base_[i] = std::abs(Fe.determinant()) > least_volume ? Fe : A_inverse(i);
    });
    find_rows(state.position, all);
    reference_ = state.position;
    start_flow();
    sum_moments();
}

Real RestShape::weight(Real distance, std::size_t body) const {
    const Real H = support_ * model_.bodies[body].spacing;
    if (!(distance < H)) return 0;
    return with_kernel(kernel_, [&]<class Kernel>(Kernel) { return Kernel::value(distance, H) * cube(H); });
}

// The rest distance of a pair as both see it on average: |(Fe_i^-1 + Fe_j^-1) q_ij / 2|.
void RestShape::find_rows(std::span<const Vec3> positions, bool all) {
    const std::size_t n = positions.size();
    std::vector<Mat3> to_rest(n);
    std::vector<std::uint8_t> moved(n, all);
    parallel_for(n, [&](std::size_t i) {
        to_rest[i] = base(i).inverse();
        if (!since_.empty() && (since_[i] - Mat3::Identity()).norm() > has_flowed) moved[i] = 1;
    });
    std::vector<Pairs> found(block_count(n, default_block));  // of the rows of a block, one behind the other
    std::vector<std::uint32_t> count(n);
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
        const auto [first, last] = bodies_[b];
        if (last == first) continue;
        const Real H = support_ * model_.bodies[b].spacing;
        const auto stretch = [&, begin = first](std::size_t k) -> Real {
            const Mat3 F = base(begin + k);
            return moved[begin + k] ? std::sqrt(symmetric_eigen(F.transpose() * F).values[0]) : 0;
        };
        const Real longest = std::min(most_stretch, parallel_max(last - first, 1.0, stretch));
        search_.find(positions.subspan(first, last - first), longest * H, near_);
        const auto find_row = [&, first = first, b](std::size_t i, Pairs& pairs) {
            const std::size_t before = pairs.size();
            if (!all) {
                const RestRow old = this->row(i);
                for (std::size_t m = 0; m < old.index.size(); ++m) {
                    if (!moved[i] && !moved[old.index[m]]) pairs.emplace_back(old.index[m], old.weight[m]);
                }
            }
            for (const std::uint32_t other : near_[i - first]) {
                const std::size_t j = first + other;
                if (!moved[i] && !moved[j]) continue;
                const Mat3 mean = (to_rest[i] + to_rest[j]) / 2;
                const Real d = (mean * (positions[j] - positions[i])).norm();
                const auto w = static_cast<float>(weight(d, b));
                if (w > 0) pairs.emplace_back(static_cast<std::uint32_t>(j), w);
            }
            std::sort(pairs.begin() + std::ptrdiff_t(before), pairs.end());
            count[i] = static_cast<std::uint32_t>(pairs.size() - before);
        };
        const std::size_t first_block = first / default_block, blocks = block_count(last, default_block) - first_block;
        parallel_for(
            blocks,
            [&, first = first, last = last](std::size_t k) {
                const std::size_t block = (first_block + k) * default_block;
                const std::size_t begin = std::max(first, block), end = std::min(last, block + default_block);
                Pairs& pairs = found[first_block + k];
                std::size_t most = pairs.size();
                for (std::size_t i = begin; i < end; ++i) most += near_[i - first].size();
                pairs.reserve(most);
                for (std::size_t i = begin; i < end; ++i) find_row(i, pairs);
            },
            1);
    }
    take_rows(count, found);
    const bool is_soon_needed_again = all && !base_.empty();  // when everything is renewed in every step
    if (is_soon_needed_again) return;
    search_ = {};
    near_ = {};
}

void RestShape::take_rows(std::span<const std::uint32_t> count, std::vector<Pairs>& found) {
    const std::size_t n = count.size();
    resize_discarding(offset_, n + 1);
    offset_[0] = 0;
    for (std::size_t i = 0; i < n; ++i) offset_[i + 1] = offset_[i] + count[i];
    resize_discarding(index_, offset_[n] + look_ahead);
    std::fill(index_.end() - look_ahead, index_.end(), 0u);
    resize_discarding(weight_, offset_[n]);
    parallel_for(
        found.size(),
        [&](std::size_t block) {
            std::size_t at = offset_[block * default_block];
            for (const auto& [j, w] : found[block]) {
                index_[at] = j;
                weight_[at++] = w;
            }
        },
        1);
}

void RestShape::sum_moments() {
    const std::size_t n = size(), packs = pack_count(n);
    const bool has_N = !base_.empty() || !since_.empty();
    resize_discarding(N_, has_N ? packs : 0);
    resize_discarding(G_, packs);
    trace_.resize(n);
    rank_.resize(n);
    std::vector<Mat3> projectors(n);
    parallel_for(packs, [&](std::size_t k) {
        for (int l = 0; l < 4; ++l) {
            const std::size_t i = 4 * k + std::size_t(l);
            if (i >= n) {
                if (has_N) set_lane(N_[k], l, Mat3(Mat3::Zero()));
                set_lane(G_[k], l, Mat3(Mat3::Zero()));
                continue;
            }
            Mat3 K0 = Mat3::Zero();
            const RestRow row = this->row(i);
            for (std::size_t m = 0; m < row.index.size(); ++m) {
                const Vec3 p = reference_[row.index[m]] - reference_[i];
                K0 += Real(row.weight[m]) * p * p.transpose();
            }
            const Mat3 A = base(i).inverse(), K_rest = A * K0 * A.transpose();
            const PseudoInverse K = pseudo_inverse(K_rest, flattest);
            const Mat3 G = K.rank == 3 ? Mat3(K0.inverse()) : Mat3(A.transpose() * K.inverse * A);
            set_lane(G_[k], l, G);
            if (has_N) set_lane(N_[k], l, K.rank == 3 ? Mat3(G * A_inverse(i)) : Mat3(A.transpose() * K.inverse));
            trace_[i] = K_rest.trace();
            rank_[i] = static_cast<std::uint8_t>(K.rank);
            projectors[i] = K.projector;
        }
    });
    flat_.clear();
    for (std::uint32_t i = 0; i < n; ++i) {
        if (rank_[i] < 3) flat_.emplace_back(i, projectors[i]);
    }
}

Mat3 RestShape::N_at_reference(std::size_t i) const {
    const int lane = static_cast<int>(i % 4);
    return rank_[i] == 3 ? Mat3(lane_of(G_[i / 4], lane) * base(i)) : lane_of(N(i / 4), lane);
}

Mat3 RestShape::R_at_reference(std::size_t i) const {
    return base_.empty() ? Mat3(Mat3::Identity()) : polar(base_[i]).R;
}

Mat3 RestShape::projector(std::size_t i) const {
    if (rank_[i] == 3) return Mat3::Identity();
    const auto found =
        std::lower_bound(flat_.begin(), flat_.end(), i, [](const auto& f, std::size_t k) { return f.first < k; });
    return found->second;
}

Mat3 RestShape::left_out(std::size_t i) const {
    return (Mat3::Identity() - projector(i)) * base(i).inverse();
}

Mat3 RestShape::completed(std::size_t i, const Mat3& Fe, const Mat3& before) const {
    if (rank(i) == 0) return before;
    const Mat3 Pi = projector(i), missing = Mat3::Identity() - Pi;
    int widest = 0;
    if (rank(i) == 2) {
        missing.diagonal().maxCoeff(&widest);
        const Vec3 n = missing.col(widest).normalized(), t = n.unitOrthogonal(), s = n.cross(t);
        const Vec3 image = (Fe * t).cross(Fe * s);
        const Real length = image.norm();
        return Fe + (length > 1e-12 ? Vec3(image / length) : Vec3(polar(before).R * n)) * n.transpose();
    }
    Pi.diagonal().maxCoeff(&widest);
    const Vec3 t = Pi.col(widest).normalized(), image = Fe * t;
    const Mat3 R = polar(before).R;
    if (image.norm() < 1e-12) return Fe + R * missing;
    return Fe + Quat::FromTwoVectors(R * t, image) * R * missing;
}

std::vector<std::uint32_t> RestShape::particles_with_neighbours_below(Real share) const {
    std::vector<std::uint32_t> few;
    for (std::uint32_t i = 0; i < size(); ++i) {
        if (Real(row(i).index.size()) < share * full_count()) few.push_back(i);
    }
    return few;
}

RestSurface RestShape::surface() const {
    RestSurface result{std::vector<std::uint8_t>(size()), std::vector<Vec3>(size(), Vec3::Zero())};
    parallel_for(size(), [&](std::size_t i) {
        const RestRow row = this->row(i);
        Vec3 sum = Vec3::Zero();
        Real reach = 0;
        for (std::size_t k = 0; k < row.index.size(); ++k) {
            const Vec3 X = reference_[row.index[k]] - reference_[i];
            sum -= Real(row.weight[k]) * X;
            reach += Real(row.weight[k]) * X.norm();
        }
        const bool is_one_sided = sum.norm() > one_sided * reach;
        result.is_surface[i] = is_one_sided || rank(i) < 3;
        if (is_one_sided) result.outward[i] = (R_at_reference(i).transpose() * sum).normalized();
    });
    return result;
}

void RestShape::flow(std::size_t i, const Mat3& Fp_inverse) {
    const int lane = static_cast<int>(i % 4);
    since_[i] = since_[i] * Fp_inverse;
    set_lane(N_[i / 4], lane, Mat3(lane_of(G_[i / 4], lane) * A_inverse(i)));
}

std::size_t RestShape::flowed_far() const {
    return parallel_sum(since_.size(), std::size_t(0), [&](std::size_t i) -> std::size_t {
        if ((since_[i] - Mat3::Identity()).norm() < far / 2) return 0;
        return svd(since_[i]).sigma.array().abs().max(1e-9).log().abs().maxCoeff() > far;
    });
}

// Before the first renewal the rows follow from the reference, bit for bit, and are not saved.
void RestShape::save(Snapshot& snapshot) const {
    snapshot.put("mls.reference", reference_);
    std::vector<std::uint32_t> flowed;
    std::vector<Mat3> since;
    for (std::uint32_t i = 0; i < since_.size(); ++i) {
        if (since_[i] == Mat3::Identity()) continue;
        flowed.push_back(i);
        since.push_back(since_[i]);
    }
    snapshot.put("mls.flowed", flowed);
    snapshot.put("mls.since", since);
    if (base_.empty()) return;
    snapshot.put("mls.base", base_);
    snapshot.put("mls.row", std::span<const std::uint64_t>(offset_));
    snapshot.put("mls.index", std::span<const std::uint32_t>(index_).first(index_.size() - look_ahead));
    std::vector<std::uint32_t> weight_bits(weight_.size());
    for (std::size_t k = 0; k < weight_.size(); ++k) weight_bits[k] = std::bit_cast<std::uint32_t>(weight_[k]);
    snapshot.put("mls.weight", weight_bits);
}

void RestShape::restore(const Snapshot& snapshot) {
    std::vector<Vec3> reference;
    std::vector<Mat3> base, since;
    std::vector<std::uint64_t> offset;
    std::vector<std::uint32_t> flowed, index, weight_bits;
    snapshot.get("mls.reference", reference);
    snapshot.get("mls.flowed", flowed);
    snapshot.get("mls.since", since);
    const std::size_t n = size();
    const auto exists = [&](std::uint32_t j) { return j < n; };
    bool fits = reference.size() == n && since.size() == flowed.size() && (flowed.empty() || !since_.empty()) &&
                std::all_of(flowed.begin(), flowed.end(), exists);
    const bool was_renewed = snapshot.has("mls.base");
    if (was_renewed) {
        snapshot.get("mls.base", base);
        snapshot.get("mls.row", offset);
        snapshot.get("mls.index", index);
        snapshot.get("mls.weight", weight_bits);
        fits = fits && base.size() == n && offset.size() == n + 1 && weight_bits.size() == index.size() &&
               offset[0] == 0 && offset[n] == index.size() && std::is_sorted(offset.begin(), offset.end()) &&
               std::all_of(index.begin(), index.end(), exists);
    }
    if (!fits) throw InputError("the checkpoint's rest state of the method mls does not fit its particles");
    reference_ = std::move(reference);
    base_ = std::move(base);
    start_flow();
    if (was_renewed) {
        offset_.assign(offset.begin(), offset.end());
        weight_.resize(index.size());
        index.resize(index.size() + look_ahead, 0);
        index_.assign(index.begin(), index.end());
        for (std::size_t k = 0; k < weight_.size(); ++k) weight_[k] = std::bit_cast<float>(weight_bits[k]);
    } else {
        find_rows(reference_, true);
    }
    for (std::size_t k = 0; k < flowed.size(); ++k) since_[flowed[k]] = since[k];
    sum_moments();
}

std::size_t RestShape::bytes() const {
    return search_.memory() + near_.memory() + (base_.capacity() + since_.capacity()) * sizeof(Mat3) +
           size() * (sizeof(Vec3) + 9) + (N_.capacity() + G_.capacity()) * sizeof(WideMat3<Double4>) +
           offset_.capacity() * 8 + index_.capacity() * 8;
}

}  // namespace pliant
