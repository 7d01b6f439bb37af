// Wall-clock seconds by phase of a step.
#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace pliant {

class Stopwatch {
public:
    double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// Phases keep the order in which they were first seen. A phase within a phase counts for itself alone.
class PhaseTimers {
public:
    // Counts the time until the returned guard dies:  const auto time = timers.phase("forces");
    class Guard {
    public:
        Guard(PhaseTimers& timers, std::size_t index) : timers_(timers), index_(index), outer_(timers.current_) {
            timers_.current_ = index_;
        }
        ~Guard() {
            const double seconds = watch_.seconds();
            timers_.phases_[index_].second += seconds;
            if (outer_ != none) timers_.phases_[outer_].second -= seconds;
            timers_.current_ = outer_;
        }
        Guard(const Guard&) = delete;
        Guard& operator=(const Guard&) = delete;

    private:
        PhaseTimers& timers_;
        std::size_t index_, outer_;
        Stopwatch watch_;
    };

    [[nodiscard]] Guard phase(const char* name) {
        for (std::size_t i = 0; i < phases_.size(); ++i) {
            if (phases_[i].first == name) return Guard(*this, i);
        }
        phases_.emplace_back(name, 0.0);
        return Guard(*this, phases_.size() - 1);
    }

    const std::vector<std::pair<std::string, double>>& seconds() const { return phases_; }
    void reset() {
        for (auto& phase : phases_) phase.second = 0;
    }

private:
    static constexpr std::size_t none = static_cast<std::size_t>(-1);
    std::vector<std::pair<std::string, double>> phases_;
    std::size_t current_ = none;
};

}  // namespace pliant
