#include "pliant/materials/elasticity.h"

#include "pliant/base/error.h"

namespace pliant {
namespace {

template <class... Laws>
std::vector<std::string> names_of(std::variant<Laws...>*) {
    return {Laws::name...};
}

template <class... Laws>
Elasticity make(std::variant<Laws...>*, const std::string& name, const Moduli& moduli) {
    Elasticity result;
    const bool found = ((name == Laws::name ? (result = Laws{moduli}, true) : false) || ...);
    if (!found) throw InputError("there is no elastic law called '" + name + "'");
    return result;
}

}  // namespace

std::vector<std::string> elasticity_names() {
    return names_of(static_cast<Elasticity*>(nullptr));
}

Elasticity make_elasticity(const std::string& name, const Moduli& moduli) {
    return make(static_cast<Elasticity*>(nullptr), name, moduli);
}

Real von_mises_stress(const Mat3& stress) {
    const Mat3 deviator = stress - stress.trace() / 3 * Mat3::Identity();
    return std::sqrt(1.5) * deviator.norm();
}

}  // namespace pliant
