#include "pliant/methods/sph/elastic_solids.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "pliant/base/error.h"
#include "pliant/geometry/neighbours.h"
#include "pliant/materials/elasticity.h"
#include "pliant/math/kernels.h"
#include "pliant/math/rotation.h"
#include "pliant/math/svd.h"
#include "pliant/math/symmetric.h"

namespace pliant {
namespace {

constexpr Real flattest = 0.1;            // of a neighbourhood's directions, over its widest
constexpr Real rotation_accuracy = 1e-7;  // rad; what is left is its square
constexpr Real zero_energy_of_thin = 0.3, zero_energy_of_solid = 0.1;  // where none is given
constexpr std::size_t packs_a_block = 64;
constexpr Real least_volume = 1e-6;        // of an elastic deformation that can be undone
constexpr Real edge = 1e-4;                // of the support: nearer to it than that is outside
constexpr Real far = 0.1;                  // |log sigma| of the flow after which pairs are found anew
constexpr std::size_t flowed_share = 200;  // once one particle in so many has flowed as far
constexpr Real most_stretch = 2;           // beyond it a pair that has flowed is torn
constexpr Real has_flowed = 1e-12;         // of |Fp^-1 - 1|

std::size_t packs_of(std::size_t n) {
    return (n + 3) / 4;
}

// 2 mu e + lambda tr(e) 1 of a symmetric e
template <class P>
WideMat3<P> linear_stress(const WideMat3<P>& e, P twice_mu, P lambda) {
    using simd::fma;
    const auto& c = e.column;
    const P pressure = lambda * (c[0].x + c[1].y + c[2].z);
    const P xy = twice_mu * c[0].y, xz = twice_mu * c[0].z, yz = twice_mu * c[1].z;
    return {{{fma(twice_mu, c[0].x, pressure), xy, xz},
             {xy, fma(twice_mu, c[1].y, pressure), yz},
             {xz, yz, fma(twice_mu, c[2].z, pressure)}}};
}
template <class P>
WideMat3<P> symmetric_part(const WideMat3<P>& A) {
    const P half(typename P::Scalar(0.5));
    const auto& c = A.column;
    const P xy = half * (c[0].y + c[1].x), xz = half * (c[0].z + c[2].x), yz = half * (c[1].z + c[2].y);
    return {{{c[0].x, xy, xz}, {xy, c[1].y, yz}, {xz, yz, c[2].z}}};
}

}  // namespace

void ElasticSolids::prepare(const ParticleState& state, std::size_t count) {
    bodies_ = body_ranges(state, model_.bodies.size());
    reference_.assign(state.position.begin(), state.position.begin() + std::ptrdiff_t(count));
    volume_.assign(state.rest_volume.begin(), state.rest_volume.begin() + std::ptrdiff_t(count));
    origin_.resize(count);
    material_.resize(count);
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
        for (std::size_t i = bodies_[b].first; i < std::min(bodies_[b].last, count); ++i) {
            origin_[i] = static_cast<std::uint32_t>(bodies_[b].first);
            material_[i] = static_cast<std::uint32_t>(model_.bodies[b].material);
        }
    }
    const bool flows = std::any_of(model_.materials.begin(), model_.materials.end(),
                                   [](const Material& m) { return m.plasticity.has_value(); });
    base_.assign(flows ? count : 0, Mat3::Identity());
    since_ = base_;
    renewals_ = 0;
    rotation_.assign(4 * packs_of(count), Quat::Identity());
    find_rows(state.position, true);
    sum_moments();
    const std::size_t packs8 = (count + 7) / 8;
    resize_discarding(B_, packs8);
    resize_discarding(mu8_, packs8);
    resize_discarding(lambda8_, packs8);
    std::fill(B_.begin(), B_.end(), WideMat3<Float8>::identity());
    for (std::size_t k = 0; k < packs_of(count); ++k) set_rotations(k);
    std::vector<Moduli> moduli;
    for (const Material& material : model_.materials) moduli.push_back(material.moduli);
    moduli_.clear();
    set_moduli(moduli);
}

// Within bodies, those near each other as both see their distance at rest: |(Fp_i + Fp_j) x_ij / 2|. Unless `all`,
// pairs of which neither has flowed stay.
void ElasticSolids::find_rows(std::span<const Vec3> x, bool all) {
    const std::size_t n = reference_.size();
    std::vector<std::uint8_t> moved(n, 1);
    std::vector<Mat3> to_rest(since_.size());
    parallel_for(since_.size(), [&](std::size_t i) {
        to_rest[i] = base_[i].inverse();
        if (!all) moved[i] = (since_[i] - Mat3::Identity()).norm() > has_flowed;
    });
    using Pairs = std::vector<ElasticRows::Pair>;
    std::vector<Pairs> found(block_count(n, default_block));  // of the rows of a block, one behind the other
    std::vector<std::uint32_t> count(n, 0);
    NeighbourSearch search;
    NeighbourLists near;
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
        const std::size_t first = bodies_[b].first, last = std::min(bodies_[b].last, n);
        if (first >= last) continue;
        const Real H = options_.support * model_.bodies[b].spacing;
        const auto stretch = [&](std::size_t k) -> Real {
            return since_.empty()
                       ? 1
                       : std::sqrt(symmetric_eigen(base_[first + k].transpose() * base_[first + k]).values[0]);
        };
        search.find(x.subspan(first, last - first),
                    H * std::min(most_stretch, parallel_max(last - first, 1.0, stretch)), near);
        // Of two particles in one place neither pulls the other.
        const auto weight = [&](std::size_t i, std::size_t j) -> float {
            const Vec3 apart = x[j] - x[i];
            const Real r = since_.empty() ? apart.norm() : ((to_rest[i] + to_rest[j]) / 2 * apart).norm();
            if (!(r > 1e-9 * H) || !(r < (1 - edge) * H)) return 0;
            return static_cast<float>(volume_[i] * volume_[j] * -WendlandC2Kernel::derivative(r, H) / r);
        };
        const auto find_row = [&](std::size_t i, Pairs& pairs) {
            const std::size_t before = pairs.size();
            if (!all) {
                rows_.each(i, [&](std::uint32_t j, float g) {
                    if (!moved[i] && !moved[j] && g > 0) pairs.emplace_back(j, g);
                });
            }
            for (const std::uint32_t other : near[i - first]) {
                const std::size_t j = first + other;
                if (!moved[i] && !moved[j]) continue;
                const float w = weight(i, j);
                if (w > 0) pairs.emplace_back(static_cast<std::uint32_t>(j), w);
            }
            std::sort(pairs.begin() + std::ptrdiff_t(before), pairs.end());
            count[i] = static_cast<std::uint32_t>(pairs.size() - before);
        };
        const std::size_t first_block = first / default_block, blocks = block_count(last, default_block) - first_block;
        parallel_for(
            blocks,
            [&](std::size_t k) {
                const std::size_t block = (first_block + k) * default_block;
                for (std::size_t i = std::max(first, block); i < std::min(last, block + default_block); ++i) {
                    find_row(i, found[first_block + k]);
                }
            },
            1);
    }
    std::vector<std::size_t> first_rows(found.size());
    for (std::size_t block = 0; block < found.size(); ++block) first_rows[block] = block * default_block;
    rows_.assign(count, found, first_rows);
}

bool ElasticSolids::has_flowed_far() const {
    const std::size_t many = parallel_sum(since_.size(), std::size_t(0), [&](std::size_t i) -> std::size_t {
        if ((since_[i] - Mat3::Identity()).norm() < far / 2) return 0;
        return svd(since_[i]).sigma.array().abs().max(1e-9).log().abs().maxCoeff() > far;
    });
    return flowed_share * many > size();
}

bool ElasticSolids::renew(const ParticleState& state) {
    if (since_.empty() || !has_flowed_far()) return false;
    parallel_for(size(), [&](std::size_t i) {
        const Mat3& Fe = state.deformation[i];
        base_[i] = std::abs(Fe.determinant()) > least_volume ? Fe : plastic_inverse(i);
    });
    find_rows(std::span(state.position).first(size()), false);
    std::copy_n(state.position.begin(), size(), reference_.begin());
    since_.assign(size(), Mat3::Identity());
    sum_moments();
    update_beta();
    parallel_for(packs_of(size()), [&](std::size_t k) { set_rotations(k); });
    ++renewals_;
    return true;
}

void ElasticSolids::sum_moments() {
    const std::size_t n = size();
    const bool is_alike = since_.empty() && options_.is_corrected;
    G_.assign(packs_of(n), WideSymmetric3<Double4>{});
    N_.assign(is_alike ? 0 : 4 * packs_of(n), Mat3::Zero());
    rank_.resize(n);
    std::vector<Mat3> Pi(n);
    parallel_for(n, [&](std::size_t i) {
        Mat3 K = Mat3::Zero();
        rows_.each(i, [&](std::uint32_t j, Real g) {
            const Vec3 X = reference_[j] - reference_[i];
            K += g * X * X.transpose();
        });
        // Whether it spans space is asked at rest.
        const Mat3 Fp_inverse = plastic_inverse(i), Fp = Fp_inverse.inverse();
        const PseudoInverse inverse = pseudo_inverse(since_.empty() ? K : Mat3(Fp * K * Fp.transpose()), flattest);
        rank_[i] = static_cast<std::uint8_t>(inverse.rank);
        const Mat3 G = since_.empty() ? inverse.inverse : Mat3(Fp.transpose() * inverse.inverse * Fp);
        set_lane(G_[i / 4], static_cast<int>(i % 4), G);
        if (!is_alike) N_[i] = options_.is_corrected ? Mat3(G * Fp_inverse) : Mat3(Fp_inverse / volume_[i]);
        Pi[i] = options_.is_corrected ? inverse.projector : Mat3(K / volume_[i]);
    });
    const bool all_span = std::all_of(rank_.begin(), rank_.end(), [](int r) { return r == 3; });
    Pi_.clear();
    if (!all_span || !options_.is_corrected) Pi_ = std::move(Pi);
    is_thin_.assign(bodies_.size(), 0);
    for (std::size_t i = 0; i < n; ++i) {
        if (rank_[i] < 3)
            is_thin_[std::size_t(std::upper_bound(bodies_.begin(), bodies_.end(), i,
                                                  [](std::size_t k, const BodyRange& r) { return k < r.last; }) -
                                 bodies_.begin())] = 1;
    }
}

bool ElasticSolids::set_moduli(std::span<const Moduli> of_materials, std::span<const Real> shares) {
    const bool same = std::equal(of_materials.begin(), of_materials.end(), moduli_.begin(), moduli_.end(),
                                 [](const Moduli& a, const Moduli& b) { return a.mu == b.mu && a.lambda == b.lambda; });
    if (same && std::equal(shares.begin(), shares.end(), share_.begin(), share_.end())) return false;
    moduli_.assign(of_materials.begin(), of_materials.end());
    share_.assign(shares.begin(), shares.end());
    for (std::size_t i = 0; i < 8 * mu8_.size(); ++i) {
        const int lane = static_cast<int>(i % 8);
        const Moduli m = i < size() ? moduli(i) : Moduli{};
        const Real V = i < size() ? volume_[i] : 0;
        mu8_[i / 8].set(lane, static_cast<float>(2 * m.mu * V));
        lambda8_[i / 8].set(lane, static_cast<float>(m.lambda * V));
    }
    update_beta();
    return true;
}

Real ElasticSolids::zero_energy(std::size_t body) const {
    return options_.zero_energy.value_or(is_thin_[body] ? zero_energy_of_thin : zero_energy_of_solid);
}

// Weighted like F itself the pairs' sum is three times the usual one's, and three directions share it.
void ElasticSolids::update_beta() {
    beta_.assign(size(), 0);
    bool any = false;
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
        const Real given = zero_energy(b);
        for (std::size_t i = bodies_[b].first; i < std::min(bodies_[b].last, size()); ++i) {
            beta_[i] = given * moduli(i).mu / 3;
            any |= beta_[i] > 0;
        }
    }
    scratch_.resize(size());
    fine_.set_rest(rows_, reference_, beta_, origin_, scratch_);
    rough_.set_rest(rows_, reference_, beta_, bodies_, origin_, scratch_);
    if (!any) return;
    resize_discarding(G8_, B_.size());
    std::fill(G8_.begin(), G8_.end(), WideSymmetric3<Float8>{});
    for (std::size_t i = 0; i < size(); ++i)
        set_lane(G8_[i / 8], static_cast<int>(i % 8), Eigen::Matrix3f(G(i).cast<float>()));
}

// B = R N^T. What is nothing but rounding would become numbers that are slow to work with.
void ElasticSolids::set_rotations(std::size_t pack) {
    using namespace simd;
    const WideMat3<Double4> R = this->R(pack), N = this->N(pack);
    const auto& n = N.column;
    const WideMat3<Double4> B = {{R * WideVec3<Double4>{n[0].x, n[1].x, n[2].x},
                                  R * WideVec3<Double4>{n[0].y, n[1].y, n[2].y},
                                  R * WideVec3<Double4>{n[0].z, n[1].z, n[2].z}}};
    Double4 largest(0);
    for (int e = 0; e < 9; ++e) largest = max(largest, abs(B.data()[e]));
    for (int e = 0; e < 9; ++e) {
        const Double4 b = keep(abs(B.data()[e]) > largest * Double4(1e-9), B.data()[e]);
        float* to = reinterpret_cast<float*>(B_[pack / 2].data() + e) + 4 * (pack % 2);
        for (int l = 0; l < 4; ++l) to[l] = static_cast<float>(b[l]);
    }
}

WideMat3<Double4> ElasticSolids::R(std::size_t pack) const {
    Double4 q[4];
    for (int l = 0; l < 4; ++l) q[l] = simd::load<Double4>(rotation_[4 * pack + std::size_t(l)].coeffs().data());
    transpose_square(q);  // x, y, z, w
    const WideQuat<Double4> wide = {q[3], q[0], q[1], q[2]};
    return rotation_matrix(wide, Double4(1) / squared_length(wide));
}

Mat3 ElasticSolids::projector(std::size_t i) const {
    return Pi_.empty() ? Mat3(Mat3::Identity()) : Pi_[i];
}

std::size_t ElasticSolids::deform(ParticleState& state, Real dt) {
    const std::size_t n = size();
    fine_.set_positions(std::span(state.position).first(n));
    std::vector<std::size_t> yielding(block_count(packs_of(n), packs_a_block));
    const auto deform_pack = [&](std::size_t k) {
        const WideMat3<Double4> F = fine_.moments(k) * N(k);
        Double4 q[4];
        for (int l = 0; l < 4; ++l) q[l] = simd::load<Double4>(rotation_[4 * k + std::size_t(l)].coeffs().data());
        transpose_square(q);
        const auto fit = nearest_rotation(F, WideQuat<Double4>{q[3], q[0], q[1], q[2]}, rotation_accuracy);
        for (int l = 0; l < 4; ++l) {
            const std::size_t i = 4 * k + std::size_t(l);
            if (i >= n) break;
            rotation_[i] = Quat(fit.rotation.w[l], fit.rotation.x[l], fit.rotation.y[l], fit.rotation.z[l]);
            state.deformation[i] = lane_of(F, l);
            if (rank_[i] < 3) state.deformation[i] += rotation(i) * (Mat3::Identity() - projector(i));
            const Material& material = model_.materials[material_[i]];
            if (dt > 0 && material.plasticity && rank_[i] == 3) {
                const Svd f = svd(state.deformation[i]);
                const PlasticStep flowed =
                    flow(*material.plasticity, material.elasticity, f.sigma, state.plastic_strain[i], dt);
                if (flowed.alpha > state.plastic_strain[i]) {
                    state.deformation[i] = f.U * flowed.elastic.asDiagonal() * f.V.transpose();
                    state.plastic_strain[i] = flowed.alpha;
                    since_[i] = since_[i] * f.V * flowed.plastic.cwiseInverse().asDiagonal() * f.V.transpose();
                    N_[i] = G(i) * plastic_inverse(i);
                    ++yielding[k / packs_a_block];
                }
            }
        }
        set_rotations(k);
    };
    parallel_for(packs_of(n), deform_pack, packs_a_block);
    std::size_t total = 0;
    for (const std::size_t count : yielding) total += count;
    return total;
}

// T of four particles, or its change with H.
WideMat3<Double4> ElasticSolids::stress(std::size_t k, const WideMat3<Double4>& H, bool with_rest) const {
    Double4 twice_mu(0), lambda(0), beta(0);
    for (int l = 0; l < 4; ++l) {
        const std::size_t i = 4 * k + std::size_t(l);
        if (i >= size()) continue;
        twice_mu.set(l, 2 * moduli(i).mu * volume_[i]);
        lambda.set(l, moduli(i).lambda * volume_[i]);
        beta.set(l, beta_[i]);
    }
    const WideMat3<Double4> N = this->N(k);
    WideMat3<Double4> T;
    if (options_.strain == Strain::green && with_rest) {
        const WideMat3<Double4> F = H * N;
        WideMat3<Double4> E = transpose_times(F, F) - WideMat3<Double4>::identity();
        E = E * Double4(0.5);
        T = times_transpose(F * linear_stress(E, twice_mu, lambda), N);
    } else {
        const WideMat3<Double4> R = this->R(k), B = times_transpose(R, N);
        WideMat3<Double4> e = symmetric_part(times_transpose(H, B));
        if (with_rest && Pi_.empty()) e = e - WideMat3<Double4>::identity();
        if (with_rest && !Pi_.empty()) {
            for (int l = 0; l < 4; ++l) {
                const std::size_t i = 4 * k + std::size_t(l);
                if (i >= size()) break;
                const Mat3 turn = lane_of(R, l);
                set_lane(e, l, Mat3(lane_of(e, l) - turn * Pi_[i] * turn.transpose()));
            }
        }
        T = linear_stress(e, twice_mu, lambda) * B;
    }
    if (fine_.is_stabilised()) T = T - H * G_[k].full() * beta;
    return T;
}

void ElasticSolids::forces(std::span<const Vec3> y, std::span<Vec3> f) {
    fine_.set_positions(y);
    fine_.stresses([&](std::size_t k, const WideMat3<Double4>& H) { return stress(k, H, true); });
    fine_.gather([&](std::size_t i, const Vec3& force) { f[i] = force; });
}

void ElasticSolids::multiply(std::span<const Real> mass, Real dt, bool is_rough, std::span<const Vec3> x,
                             std::span<Vec3> result) {
    const Real dt2 = dt * dt;
    const auto finish = [&](std::size_t i, const Vec3& force) { result[i] = mass[i] * x[i] - dt2 * force; };
    if (!is_rough) {
        fine_.set_positions(x);
        fine_.stresses([&](std::size_t k, const WideMat3<Double4>& H) { return stress(k, H, false); });
        fine_.gather(finish);
        return;
    }
    // Column by column: matrices that are passed on would go through memory.
    const auto rough_stress = [&](std::size_t k, const WideMat3<Float8>& H, Float8 beta) {
        const auto& b = B_[k].column;
        const WideMat3<Float8> Fc = {{H * WideVec3<Float8>{b[0].x, b[1].x, b[2].x},
                                      H * WideVec3<Float8>{b[0].y, b[1].y, b[2].y},
                                      H * WideVec3<Float8>{b[0].z, b[1].z, b[2].z}}};
        const WideMat3<Float8> P = linear_stress(symmetric_part(Fc), mu8_[k], lambda8_[k]);
        if (!rough_.is_stabilised()) return WideMat3<Float8>{{P * b[0], P * b[1], P * b[2]}};
        const WideMat3<Float8> G = G8_[k].full();
        const auto column = [&](int c) { return P * b[c] - H * G.column[c] * beta; };
        return WideMat3<Float8>{{column(0), column(1), column(2)}};
    };
    rough_.sum(x, rough_stress, finish);
}

Real ElasticSolids::energy(const ParticleState& state) const {
    return parallel_sum(size(), Real(0), [&](std::size_t i) {
        const Mat3 R = rotation(i), Pi = projector(i), F = state.deformation[i] * Pi;
        const bool is_green = options_.strain == Strain::green;
        const Mat3 M = is_green ? Mat3(F.transpose() * F) : Mat3(R.transpose() * F);
        const Mat3 e = (is_green ? 0.5 : 1.0) * ((M + M.transpose()) / 2 - Pi);
        const Moduli m = moduli(i);
        Real total = volume_[i] * (m.mu * e.squaredNorm() + m.lambda / 2 * square(e.trace()));
        if (!(beta_[i] > 0)) return total;
        Mat3 H = Mat3::Zero();
        Real sum = 0;
        rows_.each(i, [&](std::uint32_t j, Real g) {
            const Vec3 y = state.position[j] - state.position[i], X = reference_[j] - reference_[i];
            H += g * y * X.transpose();
            sum += g * y.squaredNorm();
        });
        return total + beta_[i] / 2 * std::max(Real(0), sum - (H * G(i) * H.transpose()).trace());
    });
}

// K_ii = sum over centres c that see i of V (mu |b|^2 1 + (mu + lambda) b b^T) + beta (g - p.G p) 1, with p = g X_ci,
// b = N^T p, and for c = i minus the sums of both.
void ElasticSolids::diagonal(std::vector<Mat3>& blocks) const {
    blocks.resize(size());
    const auto centre = [&](std::size_t c, const Vec3& p, Real g) -> Mat3 {
        const Mat3 G = this->G(c);
        const Vec3 b = (N_.empty() ? G : N_[c]).transpose() * p;
        const Moduli m = moduli(c);
        const Real penalty = beta_[c] * std::max(Real(0), g - p.dot(G * p));
        return volume_[c] * (m.mu * b.squaredNorm() * Mat3::Identity() + (m.mu + m.lambda) * b * b.transpose()) +
               penalty * Mat3::Identity();
    };
    parallel_for(size(), [&](std::size_t i) {
        Vec3 sum = Vec3::Zero();
        Real total = 0;
        Mat3 block = Mat3::Zero();
        rows_.each(i, [&](std::uint32_t j, Real g) {
            const Vec3 p = g * (reference_[i] - reference_[j]);
            sum -= p;
            total += g;
            if (g > 0) block += centre(j, p, g);
        });
        blocks[i] = block + centre(i, sum, total);
    });
}

// beta / mu is a body's, whatever the moduli are now.
ElasticSolids::ScalarCentre ElasticSolids::scalar_centre(std::size_t i, std::span<const Moduli> of_materials) const {
    const auto body = std::upper_bound(bodies_.begin(), bodies_.end(), i,
                                       [](std::size_t k, const BodyRange& range) { return k < range.last; });
    const Moduli& m = of_materials[material_[i]];
    const Real beta = zero_energy(std::size_t(body - bodies_.begin())) * m.mu / 3;
    const Mat3 G = this->G(i);
    Mat3 N = G;
    if (!options_.is_corrected) N = Mat3::Identity() / volume_[i];
    if (!since_.empty()) N = N * base_[i];
    return {(1.5 * m.mu + m.lambda / 2) * volume_[i] * N * N.transpose() - beta * G, beta};
}

void ElasticSolids::save(Snapshot& snapshot) const {
    snapshot.put("sph.rotation", std::vector<Quat>(rotation_.begin(), rotation_.begin() + std::ptrdiff_t(size())));
    if (since_.empty()) return;
    snapshot.put("sph.since", since_);
    snapshot.put_number("sph.renewals", renewals_);
    if (renewals_ == 0) return;  // all else is as it was at the start
    snapshot.put("sph.reference", reference_);
    snapshot.put("sph.base", base_);
    std::vector<std::uint32_t> count(size(), 0), index, bits;
    for (std::size_t i = 0; i < size(); ++i) {
        rows_.each(i, [&](std::uint32_t j, float g) {
            if (!(g > 0)) return;
            ++count[i];
            index.push_back(j);
            bits.push_back(std::bit_cast<std::uint32_t>(g));
        });
    }
    snapshot.put("sph.count", count);
    snapshot.put("sph.index", index);
    snapshot.put("sph.weight", bits);
}

void ElasticSolids::restore(const Snapshot& snapshot) {
    const std::size_t n = size();
    const auto need = [](bool fits) {
        if (!fits) throw InputError("the checkpoint's rest state of the method sph does not fit its particles");
    };
    std::vector<Quat> rotation;
    snapshot.get("sph.rotation", rotation);
    need(rotation.size() == n);
    if (!since_.empty()) {
        std::vector<Mat3> since;
        snapshot.get("sph.since", since);
        need(since.size() == n);
        const std::uint64_t renewals = snapshot.get_number("sph.renewals");
        if (renewals > 0) {
            std::vector<Vec3> reference;
            std::vector<Mat3> base;
            std::vector<std::uint32_t> count, index, bits;
            snapshot.get("sph.reference", reference);
            snapshot.get("sph.base", base);
            snapshot.get("sph.count", count);
            snapshot.get("sph.index", index);
            snapshot.get("sph.weight", bits);
            need(reference.size() == n && base.size() == n && count.size() == n && bits.size() == index.size() &&
                 std::accumulate(count.begin(), count.end(), std::uint64_t(0)) == index.size() &&
                 std::all_of(index.begin(), index.end(), [&](std::uint32_t j) { return j < n; }));
            reference_ = std::move(reference);
            base_ = std::move(base);
            std::vector<std::vector<ElasticRows::Pair>> pairs(1);
            for (std::size_t k = 0; k < index.size(); ++k) {
                pairs[0].emplace_back(index[k], std::bit_cast<float>(bits[k]));
            }
            rows_.assign(count, pairs, std::vector<std::size_t>{0});
        }
        renewals_ = renewals;
        since_.assign(n, Mat3::Identity());
        sum_moments();
        update_beta();
        since_ = std::move(since);
        for (std::size_t i = 0; i < n; ++i) {
            if (since_[i] != Mat3::Identity()) N_[i] = G(i) * plastic_inverse(i);
        }
    }
    std::copy(rotation.begin(), rotation.end(), rotation_.begin());
    for (std::size_t k = 0; k < packs_of(n); ++k) set_rotations(k);
}

std::size_t ElasticSolids::bytes() const {
    return rows_.bytes() + scratch_.bytes() + rough_.bytes() + G_.capacity() * sizeof(G_[0]) +
           N_.capacity() * sizeof(Mat3) + size() * (sizeof(Vec3) + 64) + 2 * since_.capacity() * sizeof(Mat3) +
           Pi_.capacity() * sizeof(Mat3) + B_.capacity() * sizeof(B_[0]) + G8_.capacity() * sizeof(G8_[0]);
}

}  // namespace pliant
