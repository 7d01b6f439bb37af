#include "pliant/methods/sph/prefactored.h"

#include <algorithm>

#include "pliant/base/parallel.h"

namespace pliant {
namespace {

constexpr Real far_off = 4;  // of how firmly a particle is held; beyond, the operator is made anew
// Of a column of the factor: costs no iterations where bodies are soft; where they are not, far parts count more.
constexpr Real negligible = 1.0 / 256;
constexpr std::uint32_t none = ~std::uint32_t(0);

// One column of C after the other, over the particles that two steps from neighbour to neighbour lead to.
class Columns {
public:
    Columns(const ElasticSolids& solids, std::span<const Real> mass, const PrefactoredOperator::Basis& basis,
            std::span<const std::uint32_t> free)
        : solids_(solids), mass_(mass), basis_(basis), number_(solids.size(), none) {
        for (std::uint32_t k = 0; k < free.size(); ++k) number_[free[k]] = k;
        centres_.resize(solids.size());
        own_.resize(solids.size());
        parallel_for(solids.size(), [&](std::size_t i) {
            centres_[i] = solids.scalar_centre(i, basis.moduli);
            own_[i] = Vec3::Zero();
            each_neighbour(i, [&](std::uint32_t, Real, const Vec3& p) { own_[i] -= p; });
        });
    }

    // Adds the column of a free particle's rows from its own on.
    struct Scratch {
        std::vector<std::uint32_t> place;  // of free particles, in `entries`
        std::vector<std::pair<std::uint32_t, Real>> entries;
    };
    void sum(std::uint32_t a, Scratch& to) const {
        to.place.resize(number_.size(), none);
        to.entries.clear();
        const std::uint32_t column = number_[a];
        const auto add = [&](std::uint32_t particle, Real value) {
            const std::uint32_t row = number_[particle];
            if (row == none || row < column) return;
            if (to.place[row] == none) {
                to.place[row] = static_cast<std::uint32_t>(to.entries.size());
                to.entries.emplace_back(row, 0);
            }
            to.entries[to.place[row]].second += value;
        };
        const Real dt2 = basis_.dt * basis_.dt;
        const auto add_centre = [&](std::uint32_t i, const Vec3& p) {
            const Vec3 q = dt2 * centres_[i].stiffness * p;
            add(i, q.dot(own_[i]));
            each_neighbour(i, [&](std::uint32_t b, Real, const Vec3& other) { add(b, q.dot(other)); });
        };
        add(a, mass_[a]);
        add_centre(a, own_[a]);
        each_neighbour(a, [&](std::uint32_t i, Real g, const Vec3& p) {
            add_centre(i, -p);
            const Real penalty = dt2 * (centres_[a].penalty + centres_[i].penalty) * g;
            add(a, penalty);
            add(i, -penalty);
        });
        for (const auto& [row, value] : to.entries) to.place[row] = none;
        std::sort(to.entries.begin(), to.entries.end());
    }

private:
    // body(j, g_ij, g_ij X_ij)
    template <class Body>
    void each_neighbour(std::size_t i, Body&& body) const {
        const auto X = solids_.reference();
        solids_.rows().each(i, [&](std::uint32_t j, Real g) {
            if (g > 0) body(j, g, Vec3(g * (X[j] - X[i])));
        });
    }

    const ElasticSolids& solids_;
    std::span<const Real> mass_;
    const PrefactoredOperator::Basis& basis_;
    std::vector<std::uint32_t> number_;  // of particles, among the free ones
    std::vector<ElasticSolids::ScalarCentre> centres_;
    std::vector<Vec3> own_;  // -sum_j g_ij X_ij
};

// How much more than by inertia a particle is held, roughly.
Real hold(const Model& model, const PrefactoredOperator::Basis& basis, std::size_t body) {
    const std::size_t material = model.bodies[body].material;
    return 1 + square(basis.dt / model.bodies[body].spacing) * basis.moduli[material].p_wave() /
                   model.materials[material].density;
}

bool is_near(const Model& model, const PrefactoredOperator::Basis& a, const PrefactoredOperator::Basis& b) {
    if (!(a.dt > 0)) return false;
    for (std::size_t body = 0; body < model.bodies.size(); ++body) {
        if (model.bodies[body].liquid) continue;
        const Real share = hold(model, a, body) / hold(model, b, body);
        if (!(share < far_off && share * far_off > 1)) return false;
    }
    return true;
}

}  // namespace

bool PrefactoredOperator::update(const Model& model, const ElasticSolids& solids, const ParticleState& state,
                                 const Basis& now) {
    if (!is_near(model, basis_, now)) set_basis(now);
    if (!is_made_) make(model, solids, state);
    return is_usable_;
}

void PrefactoredOperator::set_basis(Basis basis) {
    basis_ = std::move(basis);
    is_made_ = false;
}

void PrefactoredOperator::make(const Model& model, const ElasticSolids& solids, const ParticleState& state) {
    Matrix matrix = assemble(solids, state, basis_);
    free_ = std::move(matrix.free);
    std::vector<Vec3> places;
    for (const std::uint32_t i : free_) places.push_back(solids.reference()[i]);
    cholesky_.analyse(matrix.pattern, places);
    Real firmest = 1;
    for (std::size_t body = 0; body < model.bodies.size(); ++body) {
        if (!model.bodies[body].liquid) firmest = std::max(firmest, hold(model, basis_, body));
    }
    is_usable_ = cholesky_.factor(matrix.values, negligible / firmest);
    cholesky_.keep_factors_only();
    right_.resize(free_.size());
    solved_.resize(free_.size());
    is_made_ = true;
    ++count_;
}

void PrefactoredOperator::operator()(std::span<const Vec3> r, std::span<Vec3> z) {
    parallel_for(free_.size(), [&](std::size_t k) { right_[k] = r[free_[k]]; });
    cholesky_.solve(right_, solved_);
    parallel_for(z.size(), [&](std::size_t i) { z[i] = Vec3::Zero(); });
    parallel_for(free_.size(), [&](std::size_t k) { z[free_[k]] = solved_[k]; });
}

std::size_t PrefactoredOperator::bytes() const {
    return cholesky_.bytes() + free_.capacity() * (4 + 2 * sizeof(Vec3));
}

PrefactoredOperator::Matrix PrefactoredOperator::assemble(const ElasticSolids& solids, const ParticleState& state,
                                                          const Basis& basis) {
    Matrix matrix;
    for (std::uint32_t i = 0; i < solids.size(); ++i) {
        if (state.pin[i] == no_pin) matrix.free.push_back(i);
    }
    const std::size_t n = matrix.free.size();
    const Columns columns(solids, state.mass, basis, matrix.free);
    struct Part {
        std::vector<std::uint32_t> count, row;
        std::vector<Real> value;
    };
    std::vector<Part> parts(block_count(n, default_block));
    parallel_blocks(n, default_block, [&](std::size_t begin, std::size_t end) {
        Part& part = parts[begin / default_block];
        Columns::Scratch column;
        for (std::size_t k = begin; k < end; ++k) {
            columns.sum(matrix.free[k], column);
            part.count.push_back(static_cast<std::uint32_t>(column.entries.size()));
            for (const auto& [row, value] : column.entries) {
                part.row.push_back(row);
                part.value.push_back(value);
            }
        }
    });
    matrix.pattern.begin.push_back(0);
    for (Part& part : parts) {
        for (const std::uint32_t count : part.count) {
            matrix.pattern.begin.push_back(matrix.pattern.begin.back() + count);
        }
        matrix.pattern.row.insert(matrix.pattern.row.end(), part.row.begin(), part.row.end());
        matrix.values.insert(matrix.values.end(), part.value.begin(), part.value.end());
        part = {};
    }
    return matrix;
}

}  // namespace pliant
