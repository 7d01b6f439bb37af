// Seconds of the processor, of all threads of the program together: tells less of what else the machine does.
#pragma once

#include <ctime>

namespace pliant {

class ProcessorStopwatch {
public:
    double seconds() const { return now() - start_; }

private:
    static double now() {
        std::timespec time{};
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
        return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
    }
    double start_ = now();
};

}  // namespace pliant
