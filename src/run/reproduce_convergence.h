// [Fang19] shows how the residual of one step falls, by the settings of its solver.
#pragma once

#include <string>
#include <vector>

#include "pliant/run/reproduce_study.h"

namespace pliant {

std::vector<ConvergenceResult> convergence_of(const StudyTask& task);
std::string convergence_html(const ConvergenceStudy& study, const std::vector<ConvergenceResult>& courses);

}  // namespace pliant
