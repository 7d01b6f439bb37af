// The kinds of results that papers have: how an item is measured, and how the page tells of it.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>

#include "pliant/base/log.h"
#include "pliant/run/reproduce_papers.h"
#include "pliant/run/reproduce_results.h"
#include "pliant/run/simulate.h"
#include "pliant/scene/scene.h"

namespace pliant {

struct StudyTask {
    const ReproducedItem& item;
    Scene scene;
    int frames;
    int threads;
    bool is_quick;
    Log log;
    // Runs a scene with all its frames for the user, and with what else the options ask for. Returns why it ended
    // early; nothing if it did not.
    std::function<std::string(const Scene&, RunOptions)> run_with_frames;
};

class Study {
public:
    virtual ~Study() = default;

    // Fills in the numbers and the threads that it took. Returns the scene of which frames are to be written yet, or
    // nothing when a run that was measured has written them.
    virtual std::optional<Scene> measure(const StudyTask& task, ItemResult& result) const = 0;

    // When pictures are taken, over the length of a run.
    virtual std::array<Real, 4> moments() const = 0;

    // All items in one table, ours beside the paper's; and what else there is to say of one.
    virtual std::string table_html(const ReproducedPaper& paper, const ReproduceResults& results) const = 0;
    virtual std::string details_html(const ItemResult& item) const = 0;
};

const Study& integrator_comparison();  // rivals at their largest steps, [Zhou13]
const Study& real_time_study();        // the time of a step and of skinning, [Mueller11]
const Study& frame_times();            // iterations and the time of a frame, [Peer18]
const Study& material_point_times();   // the same of material points, [Fang19]

}  // namespace pliant
