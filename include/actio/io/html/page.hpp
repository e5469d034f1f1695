// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The part of to_html's page before its data and scripts: layout and style. It has no address: the policy in its head forbids requests.
#include <string_view>

namespace actio::detail {

inline constexpr std::string_view html_page_begin = R"html(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:">
<link rel="icon" href="data:,">
<title>Motion</title>
<style>
:root {
  color-scheme: light dark;
  --paper: #ffffff; --ink: #1c2330; --soft: #5b6575; --grid: #e6e9ee; --zero: #aab2be;
  --edge: #dfe3ea; --hover: #eef1f6; --accent: #0b6fb8;
  --sky: radial-gradient(120% 90% at 50% 20%, #ffffff 0%, #eef1f6 55%, #dde3ec 100%);
  --c0: #d1495b; --c1: #0b6fb8; --c2: #2a9d5c; --c3: #b8860b; --c4: #7b4fb5; --c5: #3b8e99;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #12161d; --ink: #e8ebf0; --soft: #9aa5b5; --grid: #272e39; --zero: #5a6575;
    --edge: #262d38; --hover: #1f2630; --accent: #5db7ff;
    --sky: radial-gradient(120% 90% at 50% 20%, #2a3341 0%, #1a202a 55%, #10141b 100%);
    --c0: #ff7b86; --c1: #5db7ff; --c2: #5fd38d; --c3: #e9bd4f; --c4: #b693f0; --c5: #6fd0dc;
  }
}
* { box-sizing: border-box; scrollbar-width: thin; scrollbar-color: var(--zero) transparent; }
html, body { height: 100%; margin: 0; }
body {
  display: flex; background: var(--paper); color: var(--ink); overflow: hidden;
  font: 14px/1.4 system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', 'DejaVu Sans', Arial, sans-serif;
}
p, h1, figure { margin: 0; }
[hidden] { display: none !important; }

#stage { flex: 1; min-width: 0; display: flex; flex-direction: column; }
#scene { position: relative; flex: 1; min-height: 0; background: var(--sky); overflow: hidden; }
#view { position: absolute; inset: 0; width: 100%; height: 100%; touch-action: none; cursor: grab; outline-offset: -3px; }
#view:active { cursor: grabbing; }
#scene header { position: absolute; left: 20px; right: 20px; top: 16px; pointer-events: none; overflow-wrap: anywhere; }
h1 { font-size: 19px; font-weight: 600; letter-spacing: -0.01em; max-height: 2.8em; overflow: hidden; }
#about, #scale, #hint { color: var(--soft); font-size: 12.5px; }
#scale, #hint { position: absolute; bottom: 12px; pointer-events: none; transition: opacity 0.6s; }
#scale { left: 20px; }
#hint { right: 20px; }
#name {
  position: absolute; left: 0; top: 0; max-width: 60%; padding: 3px 9px; border-radius: 6px; pointer-events: none; font-size: 12.5px;
  background: var(--ink); color: var(--paper); white-space: nowrap; overflow: hidden; text-overflow: ellipsis;
}
#trouble { position: absolute; inset: 0; display: grid; place-content: center; padding: 40px; text-align: center; color: var(--soft); }

#controls { display: flex; align-items: center; gap: 4px; padding: 8px 14px; border-top: 1px solid var(--edge); }
#controls button, #controls select {
  height: 34px; min-width: 34px; padding: 0 7px; border: 0; border-radius: 8px; background: none; color: inherit; font: inherit; cursor: pointer;
}
#controls button { display: inline-grid; place-content: center; }
#controls select { appearance: none; text-align: center; font-variant-numeric: tabular-nums; }
#controls option { background: var(--paper); }
#controls :is(button, select):hover { background: var(--hover); }
#controls button[aria-pressed=false] { color: var(--zero); }
#controls button[aria-pressed=true] { color: var(--accent); }
#controls svg { width: 18px; height: 18px; fill: none; stroke: currentColor; stroke-width: 1.8; stroke-linecap: round; stroke-linejoin: round; }
#play { color: var(--paper) !important; background: var(--accent) !important; border-radius: 50% !important; margin-right: 4px; }
#play svg { fill: currentColor; }
#play .pause, #play.playing .start { display: none; }
#play.playing .pause { display: inline; }
#slider { flex: 1; min-width: 60px; height: 34px; margin: 0 8px; accent-color: var(--accent); cursor: pointer; }
#time { white-space: nowrap; font-variant-numeric: tabular-nums; }
#time span { color: var(--soft); }

#plots { width: clamp(330px, 34vw, 520px); overflow-y: auto; border-left: 1px solid var(--edge); padding: 4px 0 14px; }
.plot { padding: 12px 18px 0 16px; }
.plot figcaption b { font-weight: 600; }
.plot figcaption span, .legend { color: var(--soft); font-size: 12.5px; }
.plot figcaption { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 8px; overflow-wrap: anywhere; }
.legend {
  display: grid; grid-template-columns: repeat(auto-fit, minmax(158px, 1fr)); gap: 1px 10px;
  margin: 2px 0; max-height: 5.8em; overflow-y: auto;
}
.legend > span { display: flex; align-items: center; white-space: nowrap; min-width: 0; }
.legend span span { overflow: hidden; text-overflow: ellipsis; }
.plot span:empty { display: none; }
.legend i { flex: none; width: 14px; margin-right: 6px; border-top: 2.5px solid; }
.legend i.dashed { border-top-style: dashed; }
.legend output { color: var(--ink); margin-left: 6px; font-variant-numeric: tabular-nums; }
.area { position: relative; height: 132px; cursor: crosshair; touch-action: pan-y; user-select: none; -webkit-user-select: none; }
.area canvas { position: absolute; inset: 0; width: 100%; height: 100%; }
.area .cursor, .area .range { position: absolute; left: 0; top: 0; pointer-events: none; }
.area .cursor { width: 1px; background: var(--ink); opacity: 0.55; }
.area .range { background: var(--accent); opacity: 0.18; }
.area .dot {
  position: absolute; left: -4px; top: -4px; width: 8px; height: 8px; border-radius: 50%; border: 1.5px solid var(--paper); pointer-events: none;
}

@media (max-width: 760px) {
  body { flex-direction: column; }
  #stage { flex: none; height: 58%; }
  #stage:last-of-type:has(+ #plots[hidden]) { flex: 1; }
  #plots { flex: 1; width: auto; min-height: 0; border-left: 0; border-top: 1px solid var(--edge); }
  #controls { padding: 5px 6px; gap: 0; }
  #hint, #controls #back, #controls #on { display: none; }
  #slider { margin: 0 4px; }
  #scene header { left: 14px; top: 10px; }
}
</style>
</head>
<body>
<main id="stage">
  <div id="scene">
    <canvas id="view" tabindex="0" aria-label="The motion in three dimensions"></canvas>
    <header><h1 id="title"></h1><p id="about"></p></header>
    <p id="scale"></p>
    <p id="hint">drag to orbit &middot; right-drag to pan &middot; wheel to zoom &middot; double-click to reset the view</p>
    <p id="name" hidden></p>
    <p id="trouble" hidden></p>
  </div>
  <div id="controls">
    <button id="play" title="Play or pause (space)" aria-label="Play or pause"><svg viewBox="0 0 18 18"><path class="start"
      d="M6 3.5v11l8.5-5.5z"/><path class="pause" d="M6 4v10M12 4v10" stroke-width="3"/></svg></button>
    <button id="back" title="One frame back (left arrow)" aria-label="One frame back"><svg viewBox="0 0 18 18"><path
      d="M11 4L6 9l5 5"/></svg></button>
    <button id="on" title="One frame forward (right arrow)" aria-label="One frame forward"><svg viewBox="0 0 18 18"><path
      d="M7 4l5 5-5 5"/></svg></button>
    <input id="slider" type="range" min="0" max="1" step="any" value="0" aria-label="Time">
    <span id="time"></span>
    <select id="speed" title="Speed" aria-label="Speed"></select>
    <button id="loop" title="Repeat from the beginning (l)" aria-label="Loop"><svg viewBox="0 0 18 18"><path
      d="M3 8V7a3 3 0 0 1 3-3h9M12.5 1.5L15 4l-2.5 2.5M15 10v1a3 3 0 0 1-3 3H3M5.5 16.5L3 14l2.5-2.5"/></svg></button>
    <button id="follow" title="Camera follows the bodies (f)" aria-label="Follow"><svg viewBox="0 0 18 18"><circle cx="9" cy="9" r="5"/><path
      d="M9 1v4M9 13v4M1 9h4M13 9h4"/></svg></button>
    <button id="reframe" title="Reset the view (r, double-click)" aria-label="Reset the view"><svg viewBox="0 0 18 18"><path
      d="M2 6V4a2 2 0 0 1 2-2H6M12 2h2a2 2 0 0 1 2 2V6M16 12v2a2 2 0 0 1-2 2H12M6 16H4a2 2 0 0 1-2-2V12"/></svg></button>
  </div>
</main>
<section id="plots"></section>
<noscript>This page needs JavaScript, which is disabled in this browser.</noscript>
)html";

}  // namespace actio::detail
