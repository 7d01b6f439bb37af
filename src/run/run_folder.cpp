#include "pliant/run/run_folder.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "pliant/base/error.h"
#include "pliant/output/particle_format.h"

namespace pliant {
namespace fs = std::filesystem;

fs::path RunFolder::frame(int number, const std::string& extension) const {
    return frames() / fmt::format("particles_{:05}{}", number, extension);
}

fs::path RunFolder::rigid_frame(int number) const {
    return frames() / fmt::format("rigid_{:05}.json", number);
}

bool RunFolder::holds_a_run() const {
    std::error_code error;
    return fs::exists(information(), error) || fs::exists(checkpoint(), error) || fs::exists(statistics(), error);
}

void RunFolder::clear() const {
    for (const FrameFile& frame : frame_files()) fs::remove(frame.path);
    for (const FrameFile& frame : rigid_frame_files()) fs::remove(frame.path);
    for (const fs::path& file : {scene(), information(), statistics(), checkpoint(), report(), frame_list()})
        fs::remove(file);
}

void RunFolder::remove_leftovers() const {
    std::error_code error;
    for (const fs::path& folder : {path_, frames()}) {
        for (const auto& entry : fs::directory_iterator(folder, error)) {
            const std::string name = entry.path().filename().string();
            if (name.starts_with(".") && name.find(".tmp") != std::string::npos) fs::remove(entry.path(), error);
        }
    }
}

std::vector<RunFolder::FrameFile> RunFolder::frame_files() const {
    std::vector<std::string> extensions;
    for (const ParticleFormat& format : particle_formats()) extensions.push_back(format.extension);
    return numbered("particles_%d%n", extensions);
}

std::vector<RunFolder::FrameFile> RunFolder::rigid_frame_files() const {
    return numbered("rigid_%d%n", {".json"});
}

std::vector<RunFolder::FrameFile> RunFolder::numbered(const char* pattern,
                                                      const std::vector<std::string>& extensions) const {
    std::vector<FrameFile> files;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(frames(), error)) {
        const std::string name = entry.path().filename().string();
        int number = 0, length = 0;
        if (std::sscanf(name.c_str(), pattern, &number, &length) != 1 || number < 0) continue;
        const std::string rest = name.substr(std::size_t(length));
        if (std::find(extensions.begin(), extensions.end(), rest) != extensions.end())
            files.push_back({number, entry.path()});
    }
    std::sort(files.begin(), files.end(), [](const FrameFile& a, const FrameFile& b) {
        return a.number != b.number ? a.number < b.number : a.path < b.path;
    });
    return files;
}

FolderLock::FolderLock(const RunFolder& folder) {
    const fs::path path = folder.path() / ".lock";
    file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (file_ < 0) {
        throw FileError(fmt::format("{}: cannot be written ({}). Choose another folder with -o", folder.path().string(),
                                    std::strerror(errno)));
    }
    if (::flock(file_, LOCK_EX | LOCK_NB) != 0) {
        ::close(file_);
        throw InputError(fmt::format("{}: another run is writing there. Wait for it, or choose another folder with -o",
                                     folder.path().string()));
    }
}

FolderLock::~FolderLock() {
    ::close(file_);
}

}  // namespace pliant
