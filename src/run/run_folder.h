// The folder that a run writes: scene.toml, run.json, stats.jsonl, frames/, checkpoint.h5, report.html.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "pliant/scene/scene.h"

namespace pliant {

class RunFolder {
public:
    explicit RunFolder(std::filesystem::path path) : path_(std::move(path)) {}

    const std::filesystem::path& path() const { return path_; }
    std::filesystem::path scene() const { return path_ / "scene.toml"; }
    std::filesystem::path information() const { return path_ / "run.json"; }
    std::filesystem::path statistics() const { return path_ / "stats.jsonl"; }
    std::filesystem::path checkpoint() const { return path_ / "checkpoint.h5"; }
    std::filesystem::path report() const { return path_ / "report.html"; }
    std::filesystem::path frames() const { return path_ / "frames"; }
    std::filesystem::path frame_list() const { return path_ / "frames.xdmf"; }
    std::filesystem::path frame(int number, const std::string& extension) const;
    std::filesystem::path rigid_frame(int number) const;  // where rigid bodies stand

    bool holds_a_run() const;
    void clear() const;             // removes what a run wrote, and nothing else
    void remove_leftovers() const;  // temporary files of a run that was killed while it wrote

    // The frames that are there, by number.
    struct FrameFile {
        int number;
        std::filesystem::path path;
    };
    std::vector<FrameFile> frame_files() const;
    std::vector<FrameFile> rigid_frame_files() const;

private:
    std::vector<FrameFile> numbered(const char* pattern, const std::vector<std::string>& extensions) const;

    std::filesystem::path path_;
};

// Held while a run writes to a folder, so that no two do. Throws InputError when another one holds it.
class FolderLock {
public:
    explicit FolderLock(const RunFolder& folder);
    ~FolderLock();
    FolderLock(const FolderLock&) = delete;
    FolderLock& operator=(const FolderLock&) = delete;

private:
    int file_ = -1;
};

}  // namespace pliant
