#include "pliant/scene/method_list.h"

#include <algorithm>

#include "pliant/base/error.h"
#include "pliant/base/nearest_name.h"
#include "pliant/methods/mls/gerszewski2009.h"
#include "pliant/methods/mls/zhou2013.h"
#include "pliant/methods/mpm/fang2019.h"
#include "pliant/methods/oriented/mueller2011.h"
#include "pliant/methods/sph/peer2018.h"
#include "pliant/scene/scene.h"

namespace pliant {

const std::vector<MethodKind>& method_list() {
    static const std::vector<MethodKind> list = {
        {"mls",
         "elasto-plastic particles by moving least squares [Zhou13], [Gerszewski09]",
         {"auto", "implicit", "explicit", "gerszewski09"},
         [](const Scene& scene, const Model& model) -> std::unique_ptr<Method> {
             const std::string& integrator = scene.simulation.integrator;
             if (integrator == "gerszewski09") return std::make_unique<Gerszewski2009>(scene.mls, model);
             const auto time = integrator == "explicit"   ? Zhou2013::Time::symplectic_euler
                               : integrator == "implicit" ? Zhou2013::Time::implicit_euler
                                                          : Zhou2013::Time::cheaper;
             return std::make_unique<Zhou2013>(scene.mls, time, model, scene.simulation.timestep);
         },
         {2000, 2000, 0, 36},
         {Ability::flow_rates, Ability::elastic_laws}},
        {"oriented",
         "oriented particles by shape matching, in real time [Mueller11]",
         {"mueller11"},
         [](const Scene& scene, const Model& model) -> std::unique_ptr<Method> {
             return std::make_unique<Mueller2011>(scene.oriented, model);
         },
         {3000, 3000, 0, 0},
         {Ability::rigs, Ability::fields, Ability::flow_rates, Ability::elastic_laws}},
        {"sph",
         "implicit elastic SPH: solids, liquids and obstacles under one pressure [Peer18]",
         {"implicit"},
         [](const Scene& scene, const Model& model) -> std::unique_ptr<Method> {
             return std::make_unique<Peer2018>(scene.sph, model, scene.simulation.timestep);
         },
         {2150, 3300, 870, 0},
         {Ability::fluids, Ability::emitters, Ability::rigid_bodies, Ability::fields, Ability::schedules,
          Ability::flow_rates, Ability::elastic_laws},
         true},
        {"mpm",
         "material points: elastic, plastic, viscous, granular and liquid matter on a grid [Fang19]",
         {"auto", "newton", "admm", "explicit"},
         [](const Scene& scene, const Model& model) -> std::unique_ptr<Method> {
             const std::string& integrator = scene.simulation.integrator;
             const auto time = integrator == "explicit" ? Fang2019::Time::symplectic_euler
                               : integrator == "admm"   ? Fang2019::Time::admm
                               : integrator == "newton" ? Fang2019::Time::newton
                                                        : Fang2019::Time::cheaper;
             return std::make_unique<Fang2019>(scene.mpm, time, model, scene.simulation.timestep);
         },
         {830, 830, 830, 0},
         {Ability::fluids, Ability::emitters, Ability::pouring, Ability::rigid_bodies, Ability::schedules,
          Ability::flow_changes, Ability::viscous, Ability::granular}},
    };
    return list;
}

bool MethodKind::can(Ability ability) const {
    return std::find(abilities.begin(), abilities.end(), ability) != abilities.end();
}

std::vector<std::string> methods_that_can(Ability ability) {
    std::vector<std::string> names;
    for (const MethodKind& kind : method_list()) {
        if (kind.can(ability)) names.push_back("'" + kind.name + "'");
    }
    return names;
}

std::vector<std::string> method_names() {
    std::vector<std::string> names;
    for (const MethodKind& kind : method_list()) names.push_back(kind.name);
    return names;
}

std::vector<std::string> integrator_names() {
    std::vector<std::string> names;
    for (const MethodKind& kind : method_list()) {
        for (const std::string& name : kind.integrators) {
            if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
        }
    }
    return names;
}

const MethodKind& find_method(const std::string& name) {
    for (const MethodKind& kind : method_list()) {
        if (kind.name == name) return kind;
    }
    throw InputError("there is no method called '" + name + "'" + suggestion(name, method_names()));
}

}  // namespace pliant
