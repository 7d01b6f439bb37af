// index.html of a reproduced paper: our numbers beside the published ones, and pictures.
#pragma once

#include <string>

#include "pliant/run/reproduce_results.h"

namespace pliant {

std::string reproduce_page(const ReproduceResults& results);

}  // namespace pliant
