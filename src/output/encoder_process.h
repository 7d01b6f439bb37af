// A program that runs beside us and is fed through its standard input. Started without a shell.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace pliant {

class EncoderProcess {
public:
    // command[0] is looked for in PATH. Throws FileError when it is not there or does not start; `advice` says what
    // to do then.
    EncoderProcess(const std::vector<std::string>& command, const std::string& advice);
    ~EncoderProcess();  // ends it, if it still runs
    EncoderProcess(const EncoderProcess&) = delete;
    EncoderProcess& operator=(const EncoderProcess&) = delete;

    bool feed(std::span<const std::byte> bytes);  // false when it has stopped reading
    int wait();                                   // closes its input; its exit code, or minus the signal that ended it
    std::string last_words() const;               // the end of what it wrote to standard error

private:
    int process_ = -1;
    int input_ = -1;
    int messages_ = -1;
};

}  // namespace pliant
