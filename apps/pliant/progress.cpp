#include "progress.h"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace pliant::app {
namespace {

constexpr double redraw_every = 0.1;  // s

int terminal_width() {
    winsize size{};
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

std::string bar(double share, int width) {
    const int full = std::clamp(static_cast<int>(share * width + 0.5), 0, width);
    return std::string(std::size_t(full), '#') + std::string(std::size_t(width - full), '.');
}

// Nobody may be listening any more: that is no reason to end a run.
void write(const std::string& text) {
    std::fputs(text.c_str(), stderr);
}

}  // namespace

std::string duration_text(double seconds) {
    const auto s = static_cast<long long>(std::max(0.0, seconds) + 0.5);
    if (s < 60) return fmt::format("{} s", s);
    if (s < 3600) return fmt::format("{} min {} s", s / 60, s % 60);
    return fmt::format("{} h {} min", s / 3600, s % 3600 / 60);
}

ProgressBar::ProgressBar() : is_terminal_(isatty(STDERR_FILENO) != 0) {}

void ProgressBar::show(const Progress& p) {
    const bool last = p.frame == p.frames && p.frame_done;
    if (!is_terminal_) {
        if (!p.frame_done) return;
        write(fmt::format("frame {}/{}  time {:.4f} s  dt {:.3g} ms  step {}  left {}\n", p.frame, p.frames, p.time,
                          1e3 * p.dt, p.step, duration_text(p.left)));
        return;
    }
    if (!last && watch_.seconds() - last_shown_ < redraw_every) return;
    last_shown_ = watch_.seconds();
    std::string text = fmt::format(" {}/{}  {} left  {} particles  dt {:.3g} ms", p.frame, p.frames,
                                   duration_text(p.left), p.particles, 1e3 * p.dt);
    if (p.iterations > 0) text += fmt::format("  {} iterations", p.iterations);
    const int room = terminal_width() - 3;
    const double share = p.time > 0 && p.frames > 0 ? p.elapsed / std::max(1e-9, p.elapsed + p.left) : 0;
    const int width = std::clamp(room - static_cast<int>(text.size()), 10, 40);
    write(fmt::format("\r[{}]{}\033[K", bar(last ? 1 : share, width),
                      text.substr(0, std::size_t(std::max(0, room - width)))));
    is_drawn_ = true;
    if (last) clear();
}

void ProgressBar::clear() {
    if (is_drawn_) write("\n");
    is_drawn_ = false;
}

}  // namespace pliant::app
