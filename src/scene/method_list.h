// The methods that a scene can choose. A new one is a line here and one in the .cpp file.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "pliant/methods/method.h"

namespace pliant {

struct Scene;

struct MethodKind {
    std::string name;
    std::string help;
    std::vector<std::string> integrators;  // the first is the default
    std::unique_ptr<Method> (*make)(const Scene& scene, const Model& model);
};

const std::vector<MethodKind>& method_list();
const MethodKind& find_method(const std::string& name);
std::vector<std::string> method_names();
std::vector<std::string> integrator_names();  // of all methods

}  // namespace pliant
