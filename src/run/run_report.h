// report.html of a run folder: plots of the statistics, the last picture, the settings.
#pragma once

#include "pliant/run/run_folder.h"

namespace pliant {

void write_run_report(const RunFolder& folder);

}  // namespace pliant
