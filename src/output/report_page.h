// The style and the script of the report's page.
#pragma once

#include <string_view>

namespace pliant {

inline constexpr std::string_view report_style = R"css(
:root { color-scheme: light dark; --paper: #f7f5f2; --card: #fff; --ink: #2b303a; --soft: #6b7280; --line: #e3e0db;
  --s0: #d92f4b; --s1: #2f6fd6; --s2: #d97a0a; --s3: #3f9142; --s4: #8146bd; --s5: #0e9488; --s6: #b8467e;
  --s7: #8a6d1a; --s8: #4a7fa5; --s9: #6b7280; --warn: #fff3d6; --warn-ink: #7a4a00; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #16181d; --card: #1f2229; --ink: #e6e8ec; --soft: #9aa2af; --line: #343943;
    --s0: #ff6b81; --s1: #74a9ff; --s2: #ffb45c; --s3: #7ed07f; --s4: #c197f0; --s5: #4fd1c2; --s6: #f19ac4;
    --s7: #dcc06a; --s8: #8fc4e8; --s9: #a8b0bc; --warn: #3a2f14; --warn-ink: #ffd68a; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem; max-width: 1280px; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; margin: .5rem 0 1rem; font-weight: 650; }
.warnings { background: var(--warn); color: var(--warn-ink); border-radius: 10px; padding: .6rem 1rem; margin: 0 0 1rem; }
.warnings ul { margin: 0; padding-left: 1.2rem; }
.top { display: grid; gap: 1rem; grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); align-items: start; margin-bottom: 1rem; }
.top.single { grid-template-columns: minmax(0, 1fr); }
.plots { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fill, minmax(min(100%, 400px), 1fr)); }
figure, .card { margin: 0; background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: .8rem; }
img { display: block; width: 100%; height: auto; border-radius: 12px; }
table { border-collapse: collapse; width: 100%; }
th { text-align: left; font-weight: 400; color: var(--soft); padding: .2rem 1rem .2rem 0; vertical-align: top; white-space: nowrap; width: 1%; }
td { padding: .2rem 0; font-variant-numeric: tabular-nums; }
figcaption { display: flex; justify-content: space-between; gap: 1rem; font-weight: 600; margin-bottom: .3rem; }
figcaption span { font-weight: 400; color: var(--soft); }
svg { display: block; width: 100%; height: auto; touch-action: pan-y; }
svg text { fill: var(--soft); font-size: 12px; }
.grid { stroke: var(--line); stroke-width: 1; } .axis { stroke: var(--soft); stroke-width: 1; }
.rule { stroke: var(--soft); stroke-dasharray: 3 3; }
.line { fill: none; stroke: currentColor; stroke-width: 1.6; stroke-linejoin: round; stroke-linecap: round; }
.dot { stroke-width: 6; }
.area { fill: currentColor; fill-opacity: .75; stroke: none; }
.s0 { color: var(--s0); } .s1 { color: var(--s1); } .s2 { color: var(--s2); } .s3 { color: var(--s3); }
.s4 { color: var(--s4); } .s5 { color: var(--s5); } .s6 { color: var(--s6); } .s7 { color: var(--s7); }
.s8 { color: var(--s8); } .s9 { color: var(--s9); }
.legend { list-style: none; display: flex; flex-wrap: wrap; gap: .1rem 1rem; margin: .4rem 0 0; padding: 0; font-size: 13px; }
.legend li::before { content: ""; display: inline-block; width: .8em; height: .8em; border-radius: 3px; margin-right: .4em;
  background: currentColor; vertical-align: -.05em; }
.empty { color: var(--soft); }
.tip { position: fixed; pointer-events: none; background: var(--card); border: 1px solid var(--line); border-radius: 8px;
  padding: .4rem .6rem; font-size: 13px; box-shadow: 0 4px 14px #0003; white-space: nowrap; display: none; z-index: 1; }
.tip div { display: flex; justify-content: space-between; gap: 1rem; font-variant-numeric: tabular-nums; }
details.card { margin-top: 1rem; } summary { cursor: pointer; font-weight: 600; }
pre { overflow: auto; font: 13px/1.45 ui-monospace, monospace; max-height: 40rem; margin: .6rem 0 0; overflow-wrap: normal; }
@media (max-width: 760px) { .top { grid-template-columns: minmax(0, 1fr); } }
)css";

// Shows the numbers nearest to the pointer. Text goes in as text, never as markup.
inline constexpr std::string_view report_script = R"js(
"use strict";
const tip = document.createElement("div");
tip.className = "tip";
document.body.append(tip);
const row = (name, value, style) => {
  const line = document.createElement("div"), left = document.createElement("span"), right = document.createElement("span");
  left.textContent = name; right.textContent = value; left.className = style;
  line.append(left, right);
  return line;
};
const nearest = (xs, x) => {
  let low = 0, high = xs.length - 1;
  while (high - low > 1) { const middle = (low + high) >> 1; if (xs[middle] <= x) low = middle; else high = middle; }
  return high >= 0 && Math.abs(xs[high] - x) < Math.abs(xs[low] - x) ? high : low;
};
for (const plot of document.querySelectorAll(".plot")) {
  const data = JSON.parse(plot.querySelector("script").textContent);
  const svg = plot.querySelector("svg"), rule = plot.querySelector(".rule");
  const hide = () => { tip.style.display = "none"; rule.setAttribute("d", ""); };
  const show = event => {
    const box = svg.getBoundingClientRect(), scale = svg.viewBox.baseVal.width / box.width;
    const place = Math.min(data.right, Math.max(data.left, (event.clientX - box.left) * scale));
    const x = data.x0 + (place - data.left) / (data.right - data.left) * (data.x1 - data.x0);
    rule.setAttribute("d", `M${place} ${data.top}V${data.bottom}`);
    tip.replaceChildren(row("", `${Number(x.toPrecision(4))} ${data.xUnit}`, ""));
    data.series.forEach((series, k) => {
      if (!series.x.length) return;
      const y = series.y[nearest(series.x, x)];
      tip.append(row(series.name, y === null ? "none" : `${Number(y.toPrecision(4))} ${data.yUnit}`, `s${k % 10}`));
    });
    tip.style.display = "block";
    tip.style.left = Math.max(4, Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8)) + "px";
    tip.style.top = Math.max(4, Math.min(event.clientY + 14, innerHeight - tip.offsetHeight - 8)) + "px";
  };
  svg.addEventListener("pointermove", show);
  svg.addEventListener("pointerdown", show);
  svg.addEventListener("pointerleave", hide);
}
)js";

}  // namespace pliant
