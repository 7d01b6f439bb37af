// Runs the program as a user would, in a folder of its own.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace pliant {

inline std::string read_file(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

inline void write_file(const std::filesystem::path& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
}

// A folder that is there while this is.
class TemporaryFolder {
public:
    TemporaryFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "pliant_test_XXXXXX").string();
        path_ = mkdtemp(name.data());
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    const std::filesystem::path& path() const { return path_; }
    std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

private:
    std::filesystem::path path_;
};

class Program {
public:
    // Starts `pliant arguments...` with output and errors going to a file.
    Program(const std::vector<std::string>& arguments, const std::filesystem::path& output) : output_(output) {
        const std::string program = std::string(PLIANT_BINARY_DIR) + "/pliant";
        std::vector<char*> words = {const_cast<char*>(program.c_str())};
        for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
        words.push_back(nullptr);
        pid_ = fork();
        if (pid_ == 0) {
            const int file = open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
            dup2(file, STDOUT_FILENO);
            dup2(file, STDERR_FILENO);
            execv(program.c_str(), words.data());
            _exit(127);
        }
    }
    void send(int signal_number) const { kill(pid_, signal_number); }
    bool is_running() {
        if (code_ == -1 && waitpid(pid_, &status_, WNOHANG) == pid_) note_end();
        return code_ == -1;
    }
    // The exit code, or 1000 + the signal that ended it.
    int wait() {
        if (code_ == -1) {
            waitpid(pid_, &status_, 0);
            note_end();
        }
        return code_;
    }
    std::string output() const { return read_file(output_); }

private:
    void note_end() { code_ = WIFEXITED(status_) ? WEXITSTATUS(status_) : 1000 + WTERMSIG(status_); }
    std::filesystem::path output_;
    pid_t pid_ = -1;
    int status_ = 0, code_ = -1;
};

struct Finished {
    int code;
    std::string output;
};

inline Finished run_program(const std::vector<std::string>& arguments, const TemporaryFolder& folder) {
    Program program(arguments, folder / "output.txt");
    const int code = program.wait();
    return {code, program.output()};
}

}  // namespace pliant
