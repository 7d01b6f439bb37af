// Runs what a paper shows again, and writes our results beside the published ones.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "pliant/base/log.h"

namespace pliant {

struct ReproduceOptions {
    std::filesystem::path folder;             // empty: reproduce/PAPER
    std::filesystem::path scenes = "scenes";  // holds a folder of scenes a paper
    std::optional<int> frames;                // at most, of every run
    bool is_quick = false;                    // three frames a run and no search for steps
    bool resume = false;                      // leave items alone that the folder holds already
    int threads = 0;
    std::string command;  // as typed, for the page
    Log log;
};

// `what` is a paper or one of its items: "zhou2013", "zhou2013/figure-5-cube". Results that the folder holds of other
// items stay. Returns the folder. Throws InputError for unknown names and for a folder that holds something else.
std::filesystem::path reproduce(const std::string& what, const ReproduceOptions& options);

// What there is, a line each.
std::string reproduce_list();

}  // namespace pliant
