// [Peer18] and [Fang19] have a table of scenes: steps, iterations and the time of a frame.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "pliant/base/error.h"
#include "pliant/base/parallel.h"
#include "pliant/base/processor_stopwatch.h"
#include "pliant/base/timer.h"
#include "pliant/methods/scheduled_material.h"
#include "pliant/output/markup.h"
#include "pliant/run/reproduce_convergence.h"
#include "pliant/run/reproduce_study.h"
#include "pliant/run/reproduce_table.h"
#include "pliant/scene/world.h"

namespace pliant {
namespace {

using Cells = std::vector<std::string>;

std::string seconds_text(double seconds) {
    return seconds < 1 ? milliseconds(seconds) : fmt::format("{:.3g} s", seconds);
}

std::string number_text(std::optional<double> number) {
    return number ? fmt::format("{:.3g}", *number) : no_number;
}

// How a paper's table of scenes is laid out.
struct TableForm {
    std::string title;
    Real frame;  // s, whose time is given
    std::string frame_text;
    Cells heads;
    std::string about;
    Cells (*ours)(const FrameTimesResult&);
    Cells (*published)(const PublishedFrame&);
};

std::string particles_text(const FrameTimesResult& run) {
    return run.liquid > 0 ? fmt::format("{} + {}", run.solid, run.liquid) : std::to_string(run.solid);
}

std::string metres_text(std::optional<double> length) {
    return length ? fmt::format("{:.3g} m", *length) : no_number;
}

std::string step_text(std::optional<double> step) {
    return step ? milliseconds(*step) : no_number;
}

std::string published_seconds(const PublishedFrame& line) {
    return line.seconds ? seconds_text(*line.seconds) : no_number;
}

const TableForm of_sph = {
    "Table 1",
    0.02,
    "20 ms",
    {"particles", "spacing", "G, K", "mean step", "elastic iterations", "pressure iterations", "20 ms in",
     "all threads"},
    "Particles are solid + liquid; one modulus stands for both where they are alike. Steps, iterations and times are "
    "means over the run. &ldquo;20 ms in&rdquo; is how long 20 ms take by the clock on the wall, &ldquo;all "
    "threads&rdquo; the same in seconds of the processor, so that what else the machine was doing counts "
    "little.<br>The "
    "machines differ: the paper's numbers are of 16 cores of a Xeon at 3.1 GHz. So do the models, and the large scenes "
    "are smaller here. The paper's rows of Figure 6 are three creatures each, and not one scene.",
    [](const FrameTimesResult& run) {
        return Cells{particles_text(run),
                     metres_text(run.spacing),
                     run.moduli,
                     milliseconds(run.step()),
                     fmt::format("{:.3g}", run.elastic),
                     fmt::format("{:.3g}", run.pressure),
                     seconds_text(run.of_frame(run.seconds)),
                     seconds_text(run.of_frame(run.processor_seconds))};
    },
    [](const PublishedFrame& line) {
        return Cells{line.particles,
                     metres_text(line.spacing),
                     line.moduli,
                     step_text(line.step),
                     number_text(line.elastic),
                     number_text(line.pressure),
                     published_seconds(line),
                     ""};
    }};

const TableForm of_material_points = {
    "Table 2",
    1.0 / 24,
    "1/24 s",
    {"particles", "cell", "G, K", "mean step", "iterations", "products", "a frame in", "all threads",
     "a million particles"},
    "G and K are of the equilibrated part, the paper's for a density of 1000 kg/m3 in place of 2. Iterations are "
    "Newton's or those of ADMM, products those of the linear solves within them; both, like steps and times, are means "
    "over the run. &ldquo;A frame in&rdquo; is how long 1/24 s takes by the clock on the wall, &ldquo;all "
    "threads&rdquo; the same in seconds of the processor, and &ldquo;a million particles&rdquo; that time of the clock "
    "over the millions of particles.<br>The machines differ: the paper's numbers are of 8 cores of a Core i9 at 3.6 "
    "GHz. The paper does not say how long a frame is; 1/24 s is our guess. Its numbers of iterations are not printed; "
    "its step for the pandas probably lacks a factor of 100.",
    [](const FrameTimesResult& run) {
        const double seconds = run.of_frame(run.seconds);
        return Cells{particles_text(run),
                     metres_text(run.spacing),
                     run.moduli,
                     milliseconds(run.step()),
                     fmt::format("{:.3g}", run.elastic),
                     fmt::format("{:.3g}", run.products),
                     seconds_text(seconds),
                     seconds_text(run.of_frame(run.processor_seconds)),
                     seconds_text(1e6 * seconds / double(std::max<std::size_t>(run.solid + run.liquid, 1)))};
    },
    [](const PublishedFrame& line) {
        const double millions = std::strtod(line.particles.c_str(), nullptr);  // "0.43M"
        return Cells{line.particles,
                     metres_text(line.spacing),
                     line.moduli,
                     step_text(line.step),
                     no_number,
                     no_number,
                     published_seconds(line),
                     "",
                     seconds_text(line.seconds.value_or(0) / millions)};
    }};

struct Range {
    Real lowest = 1e300, highest = 0;
    void take(Real value) {
        lowest = std::min(lowest, value);
        highest = std::max(highest, value);
    }
    std::string text() const {
        return lowest == highest ? fmt::format("{:.3g}", lowest) : fmt::format("{:.3g} to {:.3g}", lowest, highest);
    }
};

// From the lowest to the highest of all materials at all times.
std::string moduli_text(const Model& model, Real duration) {
    Range shear, bulk;
    constexpr int looks = 1000;
    for (int k = 0; k <= looks; ++k) {
        for (const BodyModel& body : model.bodies) {
            if (body.liquid) continue;
            const Moduli moduli = scheduled_moduli(model, body.material, duration * k / looks);
            shear.take(moduli.shear());
            bulk.take(moduli.bulk());
        }
    }
    const std::string g = shear.text(), b = bulk.text();
    return (g == b ? g : g + ", " + b) + " Pa";
}

// Looks at a run as it goes on. Only steps are timed.
class FrameTimesWatch {
public:
    FrameTimesWatch(const std::string& variant, int frames, Real frame) : frames_(frames) {
        result_.variant = variant;
        result_.frame = frame;
    }

    void start(const World& world) {
        const Model& model = world.model();
        result_.spacing = model.bodies.at(0).spacing;
        if (world.scene().simulation.method == "mpm") result_.spacing *= world.scene().mpm.cell;
        result_.moduli = moduli_text(model, frames_ * world.scene().frame_duration());
        spin_ = world.diagnostics().momentum.angular.norm();
        look_at(world);
    }

    void take(const World& world, const StepSummary& summary, const StepTime& time) {
        result_.seconds += time.seconds;
        result_.processor_seconds += time.processor_seconds;
        result_.simulated = summary.time;
        ++result_.steps;
        for (const SolverReport& solver : summary.report.solvers) {
            std::int64_t& sum = solver.name == "pressure"   ? pressure_
                                : solver.name == "products" ? products_
                                                            : elastic_;
            sum += solver.iterations;
        }
        if (summary.frame_done) look_at(world);
    }

    FrameTimesResult result(const std::string& trouble) const {
        FrameTimesResult result = result_;
        result.trouble = trouble;
        const double steps = double(std::max<std::int64_t>(result.steps, 1));
        result.elastic = double(elastic_) / steps;
        result.pressure = double(pressure_) / steps;
        result.products = double(products_) / steps;
        return result;
    }

private:
    void look_at(const World& world) {
        const Model& model = world.model();
        result_.solid = result_.liquid = 0;
        for (const std::uint32_t body : world.state().body)
            ++(model.bodies[body].liquid ? result_.liquid : result_.solid);
        const bool is_free = model.gravity.norm() == 0 && model.colliders.empty();
        if (is_free && spin_ > 0) result_.kept_spin = world.diagnostics().momentum.angular.norm() / spin_;
    }

    int frames_;
    FrameTimesResult result_;
    Real spin_ = 0;  // at the start
    std::int64_t elastic_ = 0, pressure_ = 0, products_ = 0;
};

// Without files. Returns why it ended early; nothing if it did not.
std::string step_through(Scene scene, int frames, int threads, FrameTimesWatch& watch) {
    World world(std::move(scene), {threads, Log()});
    watch.start(world);
    try {
        while (world.frame() < frames) {
            const Stopwatch clock;
            const ProcessorStopwatch processor;
            const StepSummary summary = world.step();
            watch.take(world, summary, {clock.seconds(), processor.seconds()});
        }
    } catch (const SimulationError& error) {
        return error.what();
    }
    return "";
}

std::string step_through_with_frames(const StudyTask& task, FrameTimesWatch& watch) {
    RunOptions options;
    options.threads = task.threads;
    options.on_start = [&](const World& world) { watch.start(world); };
    options.on_step = [&](const World& world, const StepSummary& summary, const StepTime& time) {
        watch.take(world, summary, time);
    };
    return task.run_with_frames(task.scene, options);
}

FrameTimesResult measured(const Variant& variant, const StudyTask& task, Real frame, bool with_frames) {
    const int frames = variant.most_frames > 0 ? std::min(variant.most_frames, task.frames) : task.frames;
    FrameTimesWatch watch(variant.name, frames, frame);
    if (with_frames) return watch.result(step_through_with_frames(task, watch));
    Scene scene = task.scene;
    if (variant.change) variant.change(scene);
    return watch.result(step_through(std::move(scene), frames, task.threads, watch));
}

// Whether only the beginning of the scene was run so.
bool is_part(const ItemResult& item, const FrameTimesResult& run) {
    return run.trouble.empty() && run.simulated < 0.99 * item.simulated;
}

std::string variant_sentence(const ItemResult& item, std::size_t k) {
    const FrameTimesResult& run = item.variants[k];
    std::string text = fmt::format("{}: {} steps in {}, {} of all threads.", run.variant, run.steps,
                                   seconds_text(run.seconds), seconds_text(run.processor_seconds));
    if (is_part(item, run)) text += fmt::format(" Only the first {:.3g} s of the scene were run so.", run.simulated);
    if (k > 0) {
        if (const auto slowdown = item.slowdown(k))
            text += fmt::format(" It takes {:.3g} times as long as {}.", *slowdown, item.variants[0].variant);
    }
    if (run.kept_spin) text += fmt::format(" Of its spin {:.2f} % are left.", 100 * *run.kept_spin);
    if (!run.trouble.empty()) text += " Not stable: " + run.trouble + ".";
    return text;
}

// How many times as long a variant takes as the first one, here and in the paper.
std::string ratios_html(const ReproducedItem& reproduced, const ItemResult& item) {
    std::string html;
    for (std::size_t k = 1; k < item.variants.size() && k < reproduced.variants.size(); ++k) {
        const auto &first = reproduced.variants[0].published, &other = reproduced.variants[k].published;
        const auto ours = item.slowdown(k);
        if (!ours || !first || !other || !first->seconds || !other->seconds) continue;
        const FrameTimesResult& run = item.variants[k];
        const std::string part = is_part(item, run) ? fmt::format(", by its first {:.3g} s,", run.simulated) : "";
        html += fmt::format("<p>{}: {}{} takes {:.3g} times as long as {}. In the paper: {:.3g} times.</p>\n",
                            escape_markup(item.name), escape_markup(run.variant), part, *ours,
                            escape_markup(item.variants[0].variant), *other->seconds / *first->seconds);
    }
    return html;
}

std::string item_rows(const TableForm& form, const ReproducedItem& reproduced, const ItemResult& item) {
    std::string rows;
    for (std::size_t k = 0; k < item.variants.size() && k < reproduced.variants.size(); ++k) {
        const FrameTimesResult& run = item.variants[k];
        std::string head = item.name + (item.variants.size() > 1 ? ", " + run.variant : "");
        if (!run.trouble.empty()) head += " (unstable)";
        if (is_part(item, run)) head += fmt::format(" (first {:.3g} s)", run.simulated);
        if (item.is_quick) head += " (quick: not a measurement)";
        rows += table_row("", escape_markup(head), form.ours(run));
        if (const auto& line = reproduced.variants[k].published)
            rows += table_row("published", "paper", form.published(*line));
    }
    return rows;
}

class FrameTimes : public Study {
public:
    explicit FrameTimes(const TableForm& form) : form_(form) {}

    // Frames are of the scene as it stands: of the variant that changes nothing, or if all do, of a run of its own.
    std::optional<Scene> measure(const StudyTask& task, ItemResult& result) const override {
        bool has_frames = false;
        for (const Variant& variant : task.item.variants) {
            task.log.info("  {}", variant.name);
            const bool with_frames = !has_frames && !variant.change;
            has_frames = has_frames || with_frames;
            result.variants.push_back(measured(variant, task, form_.frame, with_frames));
            const FrameTimesResult& run = result.variants.back();
            task.log.info("    {} steps; {} take {}, {} of all threads", run.steps, form_.frame_text,
                          seconds_text(run.of_frame(run.seconds)), seconds_text(run.of_frame(run.processor_seconds)));
            if (!run.trouble.empty()) task.log.warning("{}, {}: {}", task.item.name, variant.name, run.trouble);
        }
        if (task.item.convergence) result.courses = convergence_of(task);
        result.threads = Threads(task.threads).count();
        return has_frames ? std::nullopt : std::optional(task.scene);
    }

    std::array<Real, 4> moments() const override { return {0, 0.3, 0.6, 1}; }

    std::string table_html(const ReproducedPaper& paper, const ReproduceResults& results) const override {
        std::string rows, ratios, plots;
        for (const ItemResult& item : results.items) {
            const ReproducedItem& reproduced = find_item(paper, item.name);
            rows += item_rows(form_, reproduced, item);
            ratios += ratios_html(reproduced, item);
            if (reproduced.convergence && !item.courses.empty())
                plots += convergence_html(*reproduced.convergence, item.courses);
        }
        if (rows.empty()) return "";
        std::string html = "<section class=\"card wide\"><h2>" + form_.title + "</h2><table>\n<tr><th></th>";
        for (const std::string& text : form_.heads) html += "<th>" + text + "</th>";
        return html + "</tr>\n" + rows + "</table>" + ratios + "<p class=\"small\">" + form_.about +
               "</p></section>\n" + plots;
    }

    std::string details_html(const ItemResult& item) const override {
        std::string html = "<ul>";
        for (std::size_t k = 0; k < item.variants.size(); ++k)
            html += "<li>" + escape_markup(variant_sentence(item, k)) + "</li>\n";
        return html + "</ul>";
    }

private:
    const TableForm& form_;
};

}  // namespace

const Study& frame_times() {
    static const FrameTimes study(of_sph);
    return study;
}

const Study& material_point_times() {
    static const FrameTimes study(of_material_points);
    return study;
}

}  // namespace pliant
