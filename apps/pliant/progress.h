// Shows how far a run is: a bar that is drawn over itself on a terminal, a plain line a frame elsewhere.
#pragma once

#include "pliant/base/timer.h"
#include "pliant/run/simulate.h"

namespace pliant::app {

class ProgressBar {
public:
    ProgressBar();
    void show(const Progress& progress);
    void clear();  // before other words go to the terminal

private:
    bool is_terminal_;
    bool is_drawn_ = false;
    double last_shown_ = -1;
    Stopwatch watch_;
};

std::string duration_text(double seconds);  // "42 s", "3 min 5 s", "2 h 10 min"

}  // namespace pliant::app
