// Errors that reach the user. Each says what is wrong and what to do, and knows the line of ours that threw it.
#pragma once

#include <source_location>
#include <stdexcept>
#include <string>

namespace pliant {

class Error : public std::runtime_error {
public:
    explicit Error(const std::string& message, std::source_location place = std::source_location::current())
        : std::runtime_error(message), place_(place) {}

    const std::source_location& place() const { return place_; }

private:
    std::source_location place_;
};

// The input (scene, mesh, checkpoint, command line) is at fault. Exit code 2.
class InputError : public Error {
    using Error::Error;
};

// The simulation went wrong: a value that is not finite, a solver that failed. Exit code 1.
class SimulationError : public Error {
    using Error::Error;
};

// A file could not be read or written: absent, no permission, disk full. Exit code 1.
class FileError : public Error {
    using Error::Error;
};

}  // namespace pliant
