#include "pliant/run/reproduce.h"

#include <fmt/chrono.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <optional>
#include <set>

#include "pliant/base/atomic_file.h"
#include "pliant/base/error.h"
#include "pliant/base/version.h"
#include "pliant/output/image.h"
#include "pliant/run/pictures.h"
#include "pliant/run/reproduce_page.h"
#include "pliant/run/reproduce_papers.h"
#include "pliant/run/reproduce_results.h"
#include "pliant/run/reproduce_study.h"
#include "pliant/run/resources.h"
#include "pliant/run/simulate.h"
#include "pliant/scene/scene_file.h"

namespace pliant {
namespace fs = std::filesystem;
namespace {

constexpr int quick_frames = 3;
constexpr int strip_width = 640, strip_height = 480;  // pixels of a picture in the strip

// The results that the folder holds already. A folder with anything else in it is left alone.
ReproduceResults open_results(const fs::path& folder, const std::string& paper) {
    std::error_code error;
    if (!fs::exists(folder, error) || (fs::is_directory(folder, error) && fs::is_empty(folder, error)))
        return {paper, {}};
    const auto results = fs::is_directory(folder, error) ? read_results(folder / "results.json") : std::nullopt;
    if (!results || results->paper != paper) {
        throw InputError(
            fmt::format("{}: exists, and was not made by pliant reproduce {}. Choose another folder with -o",
                        folder.string(), paper));
    }
    return *results;
}

fs::path scene_file(const ReproducedPaper& paper, const ReproducedItem& item, const ReproduceOptions& options) {
    return options.scenes / paper.name / (item.name + ".toml");
}

// One item that was asked for by name, or those of a paper whose scenes are there.
std::vector<ReproducedItem> chosen_items(const ReproducedPaper& paper, const std::optional<std::string>& item,
                                         const ReproduceOptions& options) {
    if (item) return {find_item(paper, *item)};
    std::vector<ReproducedItem> items;
    for (const ReproducedItem& one : paper.items) {
        const fs::path file = scene_file(paper, one, options);
        if (fs::exists(file)) {
            items.push_back(one);
        } else {
            options.log.warning("{}/{} is left out: there is no {}", paper.name, one.name, file.string());
        }
    }
    if (items.empty()) {
        throw InputError(fmt::format("{}: holds no scene of {}. Say by --scenes where they are",
                                     (options.scenes / paper.name).string(), paper.name));
    }
    return items;
}

class ItemRun {
public:
    ItemRun(const ReproducedPaper& paper, const ReproducedItem& item, const fs::path& folder,
            const ReproduceOptions& options)
        : item_(item),
          study_(*paper.study),
          folder_(folder),
          options_(options),
          scene_(read_scene(scene_file(paper, item, options))),
          frames_(std::min(scene_.frame_count(), options.is_quick ? quick_frames : scene_.frame_count())) {
        if (options.frames) frames_ = std::min(frames_, *options.frames);
    }

    // As long and as quick as it would be run now.
    bool is_done_in(const ReproduceResults& results) const {
        const ItemResult* done = results.find(item_.name);
        const ItemResult now = described();
        return done && done->is_quick == now.is_quick && std::abs(done->simulated - now.simulated) < 1e-9;
    }

    ItemResult go() {
        ItemResult result = described();
        const auto run_with_frames = [&](const Scene& scene, const RunOptions& run) {
            return write_frames(scene, run, result.particles);
        };
        const std::optional<Scene> scene = study_.measure(
            {item_, scene_, frames_, options_.threads, options_.is_quick, options_.log, run_with_frames}, result);
        if (scene) {
            RunOptions run;
            run.threads = result.threads;
            const std::string trouble = write_frames(*scene, run, result.particles);
            if (!trouble.empty()) options_.log.warning("{}: {}", item_.name, trouble);
        }
        result.pictures = paint();
        result.written = fmt::format("{:%Y-%m-%d %H:%M:%S}", fmt::localtime(std::time(nullptr)));
        return result;
    }

private:
    ItemResult described() const {
        ItemResult result;
        result.name = item_.name;
        result.is_quick = options_.is_quick;
        result.simulated = frames_ * scene_.frame_duration();
        result.command = options_.command;
        result.version = version_text();
        result.machine = machine_text();
        return result;
    }

    // With all its frames for the user. Returns why the run ended early: the frames so far are there to be looked at.
    std::string write_frames(Scene scene, RunOptions run, std::size_t& particles) const {
        scene.output.report = !options_.is_quick;
        run.folder = folder_ / item_.name;
        run.frames = frames_;
        run.force = true;
        run.command = options_.command;
        run.on_progress = [&](const Progress& p) { particles = p.particles; };
        options_.log.info("  frames: {}", run.folder.string());
        try {
            run_scene(scene, run);
        } catch (const SimulationError& error) {
            return error.what();
        }
        return "";
    }

    // A few frames, all different if there are enough.
    std::vector<std::string> paint() const {
        RunPainter painter(RunFolder(folder_ / item_.name));
        painter.settings().width = strip_width;
        painter.settings().height = strip_height;
        const auto moments = study_.moments();
        std::set<std::size_t> chosen;
        const std::size_t last = painter.frames().size() - 1;
        for (std::size_t k = 0; k < moments.size(); ++k) {
            const auto index = static_cast<std::size_t>(std::lround(moments[k] * Real(last)));
            chosen.insert(std::min(last, std::max(k, index)));
        }
        std::vector<std::string> pictures;
        for (const std::size_t index : chosen) {
            pictures.push_back(fmt::format("pictures/{}-{}.png", item_.name, pictures.size() + 1));
            write_png(folder_ / pictures.back(), painter.paint(index));
        }
        return pictures;
    }

    const ReproducedItem& item_;
    const Study& study_;
    fs::path folder_;
    const ReproduceOptions& options_;
    Scene scene_;
    int frames_;
};

void write_all(const fs::path& folder, const ReproduceResults& results) {
    write_results(folder / "results.json", results);
    write_text_atomically(folder / "index.html", reproduce_page(results));
}

}  // namespace

fs::path reproduce(const std::string& what, const ReproduceOptions& options) {
    const std::size_t slash = what.find('/');
    const ReproducedPaper& paper = find_paper(what.substr(0, slash));
    std::optional<std::string> chosen;
    if (slash != std::string::npos) chosen = what.substr(slash + 1);
    const std::vector<ReproducedItem> items = chosen_items(paper, chosen, options);
    const fs::path folder = options.folder.empty() ? fs::path("reproduce") / paper.name : options.folder;
    ReproduceResults results = open_results(folder, paper.name);
    std::vector<ItemRun> runs;  // all scenes are read before the first is run
    for (const ReproducedItem& item : items) runs.emplace_back(paper, item, folder, options);
    write_all(folder, results);
    if (items.size() > 1 && !options.resume) options.log.info("to go on after an interruption, say --resume as well");
    for (std::size_t k = 0; k < items.size(); ++k) {
        const bool is_done = options.resume && runs[k].is_done_in(results);
        options.log.info("{}/{} ({} of {}){}", paper.name, items[k].name, k + 1, items.size(),
                         is_done ? " is done" : "");
        if (is_done) continue;
        results.put(runs[k].go());
        write_all(folder, results);
    }
    return folder;
}

std::string reproduce_list() {
    std::string text;
    for (const ReproducedPaper& paper : reproduced_papers()) {
        text += fmt::format("{:<46} {}\n", paper.name, paper.title);
        for (const ReproducedItem& item : paper.items)
            text +=
                fmt::format("{:<46} {}{}\n", paper.name + "/" + item.name, item.title, item.row ? " (Table 1)" : "");
    }
    return text;
}

}  // namespace pliant
