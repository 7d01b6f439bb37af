#include "pliant/output/stroke_font.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <vector>

#include "pliant/output/stroke_glyphs.h"

namespace pliant {

namespace {

constexpr float capital_height = 14;  // of the glyphs' grid
constexpr float baseline = 6;
constexpr float pen_width = 2;  // on the same grid
constexpr int curve_steps = 6;

using Point = Eigen::Vector2f;
struct Segment {
    Point a, b;
};

constexpr Glyph missing = {"", 12, "-06868K0K06"};

// Takes the first character off the text.
const Glyph& next_glyph(std::string_view& text) {
    for (const Glyph& glyph : glyphs) {
        if (!text.starts_with(glyph.character)) continue;
        text.remove_prefix(glyph.character.size());
        return glyph;
    }
    text.remove_prefix(1);
    while (!text.empty() && (static_cast<unsigned char>(text.front()) & 0xC0) == 0x80) text.remove_prefix(1);
    return missing;
}

float digit(char c) {
    return float(c <= '9' ? c - '0' : c - 'A' + 10);
}

// From the middle of one control line to the middle of the next, bent towards the control point between them.
void add_bend(const Point& from, const Point& control, const Point& to, std::vector<Segment>& segments) {
    Point last = from;
    for (int i = 1; i <= curve_steps; ++i) {
        const float t = float(i) / curve_steps, s = 1 - t;
        const Point next = s * s * from + 2 * s * t * control + t * t * to;
        segments.push_back({last, next});
        last = next;
    }
}

void add_stroke(char kind, const std::vector<Point>& points, std::vector<Segment>& segments) {
    const std::size_t n = points.size();
    if (kind == '-') {
        for (std::size_t i = 0; i + 1 < n; ++i) segments.push_back({points[i], points[i + 1]});
    } else if (kind == 'o') {
        for (std::size_t i = 0; i < n; ++i) {
            const Point &before = points[(i + n - 1) % n], &after = points[(i + 1) % n];
            add_bend((before + points[i]) / 2, points[i], (points[i] + after) / 2, segments);
        }
    } else {
        for (std::size_t i = 1; i + 1 < n; ++i) {
            const Point from = i == 1 ? points[0] : Point((points[i - 1] + points[i]) / 2);
            const Point to = i + 2 == n ? points[n - 1] : Point((points[i] + points[i + 1]) / 2);
            add_bend(from, points[i], to, segments);
        }
    }
}

std::vector<Segment> segments_of(const Glyph& glyph) {
    std::vector<Segment> segments;
    std::string_view rest = glyph.strokes;
    while (!rest.empty()) {
        const std::string_view stroke = rest.substr(0, rest.find(' '));
        std::vector<Point> points;
        for (std::size_t i = 1; i + 1 < stroke.size(); i += 2)
            points.emplace_back(digit(stroke[i]), digit(stroke[i + 1]));
        add_stroke(stroke[0], points, segments);
        rest.remove_prefix(std::min(rest.size(), stroke.size() + 1));
    }
    return segments;
}

float distance(const Point& p, const Segment& s) {
    const Point d = s.b - s.a;
    const float length = d.squaredNorm();
    const float t = length > 0 ? std::clamp((p - s.a).dot(d) / length, 0.0f, 1.0f) : 0.0f;
    return (p - s.a - t * d).norm();
}

// `cover` 0..1 of the colour over what is there.
void blend_pixel(Image& image, int x, int y, std::uint32_t colour, float cover) {
    std::uint8_t* pixel = image.pixel(x, y);
    for (int k = 0; k < 3; ++k) {
        const float target = float(colour >> (16 - 8 * k) & 255);
        pixel[k] = static_cast<std::uint8_t>(std::lround(float(pixel[k]) + cover * (target - float(pixel[k]))));
    }
}

void draw_segments(Image& image, const std::vector<Segment>& segments, const TextStyle& style, float pen) {
    Eigen::AlignedBox2f box;
    for (const Segment& s : segments) box.extend(s.a).extend(s.b);
    if (box.isEmpty()) return;
    const int x0 = std::max(0, int(box.min().x() - pen - 1)),
              x1 = std::min(image.width - 1, int(box.max().x() + pen + 1));
    const int y0 = std::max(0, int(box.min().y() - pen - 1)),
              y1 = std::min(image.height - 1, int(box.max().y() + pen + 1));
    for (int y = y0; y <= y1; ++y) {
        for (int x = x0; x <= x1; ++x) {
            float nearest = 1e9f;
            for (const Segment& s : segments)
                nearest = std::min(nearest, distance({float(x) + 0.5f, float(y) + 0.5f}, s));
            const float cover = std::clamp(pen / 2 + 0.5f - nearest, 0.0f, 1.0f);
            if (cover > 0) blend_pixel(image, x, y, style.colour, cover * style.opacity);
        }
    }
}

}  // namespace

float text_width(std::string_view text, const TextStyle& style) {
    float width = 0;
    while (!text.empty()) width += float(next_glyph(text).advance);
    return width * style.size / capital_height;
}

void draw_text(Image& image, float x, float y, std::string_view text, const TextStyle& style) {
    const float scale = style.size / capital_height;
    const float pen = std::max(1.0f, pen_width * scale);
    while (!text.empty()) {
        const Glyph& glyph = next_glyph(text);
        std::vector<Segment> segments = segments_of(glyph);
        for (Segment& s : segments) {
            for (Point* p : {&s.a, &s.b})
                *p = Point(x + scale * (p->x() + pen_width / 2), y - scale * (p->y() - baseline));
        }
        draw_segments(image, segments, style, pen);
        x += float(glyph.advance) * scale;
    }
}

}  // namespace pliant
