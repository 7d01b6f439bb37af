// The methods that a scene can choose. A new one is a line here and one in the .cpp file.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "pliant/methods/method.h"

namespace pliant {

struct Scene;

// What a scene can ask of some methods only.
enum class Ability {
    rigs,          // bodies are made of rigs, with rigid groups where a scene asks for them
    fields,        // water and wind
    fluids,        // bodies of liquid
    emitters,      // sources of liquid
    pouring,       // sources of what bodies are made of
    rigid_bodies,  // that move by themselves
    schedules,     // of a material's stiffness
    flow_changes,  // schedules of its plastic and viscous parts
    elastic_laws,  // other than Hencky's
    viscous,       // materials with a part that relaxes
    granular,      // materials that flow by Drucker-Prager
    flow_rates,    // plastic flow of [Bargteil07], which takes time
};

// What a run takes at its peak, with its checkpoint and frames [bytes a particle]; measured on blocks of 275,000
// particles that fall on a floor, and rounded up by a tenth; of `mls`, whose rows grow with its support, from its
// gallery, which is a third too much for such blocks; of `oriented`, which has few, by estimate.
struct MemoryNeed {
    Real elastic, plastic, liquid, neighbour;  // the last: for each neighbour within the method's own support, besides
};

struct MethodKind {
    std::string name;
    std::string help;
    std::vector<std::string> integrators;  // the first is the default
    std::unique_ptr<Method> (*make)(const Scene& scene, const Model& model);
    MemoryNeed memory;
    std::vector<Ability> abilities = {};
    bool has_one_spacing = false;  // for all bodies and fluids of a scene

    bool can(Ability ability) const;
};

const std::vector<MethodKind>& method_list();
const MethodKind& find_method(const std::string& name);
std::vector<std::string> method_names();
std::vector<std::string> methods_that_can(Ability ability);
std::vector<std::string> integrator_names();  // of all methods

}  // namespace pliant
