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
<meta http-equiv="Content-Security-Policy"
  content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:">
<link rel="icon" href="data:,">
<title>Motion</title>
<style>
:root {
  color-scheme: light dark;
  --paper: #ffffff; --ink: #1c2330; --soft: #566070; --grid: #e6e9ee; --zero: #aab2be;
  --edge: #dfe3ea; --hover: #eef1f6; --accent: #0b6fb8; --alarm: #a8200d;
  --sky: radial-gradient(120% 90% at 50% 20%, #ffffff 0%, #eef1f6 55%, #dde3ec 100%);
  --c0: #d1495b; --c1: #0b6fb8; --c2: #2a9d5c; --c3: #b8860b; --c4: #7b4fb5; --c5: #3b8e99;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #12161d; --ink: #e8ebf0; --soft: #9aa5b5; --grid: #272e39; --zero: #5a6575;
    --edge: #262d38; --hover: #1f2630; --accent: #5db7ff; --alarm: #ff9a8a;
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
p, h1, h2, ul, figure { margin: 0; padding: 0; }
[hidden] { display: none !important; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }

#stage { flex: 1; min-width: 0; min-height: 0; display: flex; flex-direction: column; }
#scene { flex: 1; min-height: 0; display: flex; flex-direction: column; background: var(--sky); }
#scene header, #foot { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 14px; padding: 12px 20px 2px; }
#scene header, #failure { overflow-wrap: anywhere; }
h1 { font-size: 18px; font-weight: 600; letter-spacing: -0.01em; max-height: 2.8em; overflow: hidden; }
#about, #foot { color: var(--soft); font-size: 12.5px; }
#foot { padding: 0 20px 8px; }
#hint, #keys { margin-left: auto; }
#scene:has(#view:focus-visible) #hint, #scene:not(:has(#view:focus-visible)) #keys { display: none; }
#hint span:last-child { display: none; }
#failure { margin: 4px 20px 2px; padding: 4px 10px; background: var(--paper); border-left: 4px solid var(--alarm); }
#failure b { color: var(--alarm); }
#space { position: relative; flex: 1; min-height: 0; overflow: hidden; }
#space:has(#view:focus-visible) { outline: 2px solid var(--accent); outline-offset: -3px; }
#view {
  position: absolute; inset: 0; width: 100%; height: 100%; touch-action: none; cursor: grab; outline: none;
  mask-image: linear-gradient(transparent, #000 5% 94%, transparent);
}
#view:active { cursor: grabbing; }
#name {
  position: absolute; left: 0; top: 0; max-width: 60%; padding: 3px 9px; border-radius: 6px; pointer-events: none; font-size: 12.5px;
  background: var(--ink); color: var(--paper); white-space: nowrap; overflow: hidden; text-overflow: ellipsis;
}
#trouble { position: absolute; inset: 0; display: grid; place-content: center; padding: 20px 40px; text-align: center; color: var(--soft); }
#marks i {
  display: inline-block; width: 22px; height: 10px; margin-right: 5px; border: 1px solid var(--soft);
  background: repeating-linear-gradient(135deg, var(--soft) 0 2px, transparent 2px 5px);
}

#controls { display: flex; flex-wrap: wrap; gap: 2px 12px; padding: 7px 14px; border-top: 1px solid var(--edge); }
#controls > div { display: flex; align-items: center; gap: 4px; }
#playback { flex: 1 1 390px; }
#controls button, #controls select {
  height: 34px; min-width: 34px; padding: 0 7px; border: 0; border-radius: 8px; background: none; color: var(--soft);
  font: inherit; cursor: pointer;
}
#controls button { display: inline-grid; place-content: center; }
#controls select { appearance: none; text-align: center; font-variant-numeric: tabular-nums; color: inherit; }
#controls option { background: var(--paper); }
#controls :is(button, select):hover { background: var(--hover); }
#controls button[aria-pressed=true] { color: var(--accent); background: var(--hover); box-shadow: inset 0 -2px var(--accent); }
#controls :disabled { opacity: 0.4; cursor: default; }
#controls svg {
  width: 18px; height: 18px; fill: none; stroke: currentColor; stroke-width: 1.8; stroke-linecap: round; stroke-linejoin: round;
}
#controls #play { color: var(--paper); background: var(--accent); border-radius: 50%; margin-right: 4px; }
#play svg { fill: currentColor; }
#play .pause, #play.playing .start { display: none; }
#play.playing .pause { display: inline; }
#video.recording circle { fill: var(--alarm); stroke: var(--alarm); }
#slider { flex: 1; min-width: 60px; height: 34px; margin: 0 8px; accent-color: var(--accent); cursor: pointer; }
#time { white-space: nowrap; font-variant-numeric: tabular-nums; }
#time span { color: var(--soft); }

#plots { width: clamp(330px, 34vw, 520px); overflow-y: auto; border-left: 1px solid var(--edge); padding: 4px 0 14px; }
#plots:focus-visible { outline-offset: -2px; }
.plot { padding: 12px 18px 0 16px; }
.plot h2 { font: inherit; font-weight: 600; }
.plot figcaption span, .legend { color: var(--soft); font-size: 12.5px; }
.plot figcaption { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 8px; overflow-wrap: anywhere; }
.legend {
  display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, var(--entry)), 1fr)); gap: 1px 10px;
  margin: 2px 0; list-style: none;
}
.legend li { display: flex; align-items: center; white-space: nowrap; min-width: 0; }
.legend span { overflow: hidden; text-overflow: ellipsis; }
.plot span:empty { display: none; }
.legend i { flex: none; width: 14px; margin-right: 6px; border-top: 2.5px solid; }
.legend i.dashed { border-top-style: dashed; }
.legend .value { flex: none; color: var(--ink); margin-left: 6px; font-variant-numeric: tabular-nums; }
.area { position: relative; height: 132px; cursor: crosshair; touch-action: pan-y; user-select: none; -webkit-user-select: none; }
.area canvas { position: absolute; inset: 0; width: 100%; height: 100%; }
.area .cursor, .area .range { position: absolute; left: 0; top: 0; pointer-events: none; }
.area .cursor { width: 1px; background: var(--ink); opacity: 0.55; }
.area .range { background: var(--accent); opacity: 0.18; }
.area .dot {
  position: absolute; left: -4px; top: -4px; width: 8px; height: 8px; border-radius: 50%; border: 1.5px solid var(--paper);
  pointer-events: none;
}

@media (max-width: 760px) {
  body { flex-direction: column; }
  #stage { flex: none; min-height: 64%; }
  #space { flex: 1 0 150px; }
  #stage:has(+ #plots[hidden]) { flex: 1; }
  #plots { flex: 1; width: auto; min-height: 0; border-left: 0; border-top: 1px solid var(--edge); }
}
@media (max-width: 760px), (max-height: 480px) {
  #scene header { padding: 6px 14px 0; }
  h1 { font-size: 15px; }
  #foot { padding: 0 14px 4px; }
  #failure { margin: 2px 14px; font-size: 12.5px; line-height: 1.3; }
  #controls { padding: 3px 8px; gap: 0 8px; }
  #controls > div { gap: 0; }
  #controls button, #controls select { height: 30px; min-width: 30px; padding: 0 6px; }
  #slider { height: 30px; }
}
@media (pointer: coarse) {
  #hint span { display: none; }
  #hint span:last-child { display: inline; }
}
@media (max-width: 480px) {
  #playback { flex-wrap: wrap; }
  #slider { order: -1; flex: 1 1 100%; margin: 0 4px; height: 24px; }
  #time { margin: 0 auto; }
}
</style>
</head>
<body>
<main id="stage">
  <div id="scene">
    <header><h1 id="title"></h1><p id="about"></p></header>
    <p id="failure" hidden><b>The run failed.</b> <span></span></p>
    <div id="space">
      <canvas id="view" tabindex="0" role="application" aria-roledescription="3D view" aria-describedby="keys"></canvas>
      <p id="name" hidden></p>
      <p id="trouble" hidden></p>
    </div>
    <div id="foot">
      <p id="scale"></p>
      <p id="marks" hidden><i></i>does not touch the ground</p>
      <p id="colours" hidden>axes: x red, y green, z blue</p>
      <p id="newtons" hidden></p>
      <p id="message" role="status"></p>
      <p id="hint"><span>drag: orbit &middot; right-drag: pan &middot; wheel: zoom</span>
        <span>one finger: orbit &middot; two: pan and zoom</span></p>
      <p id="keys">arrows: orbit &middot; shift + arrows: pan &middot; + &minus;: zoom &middot; R: reset</p>
    </div>
  </div>
  <div id="controls">
    <div id="playback" role="group" aria-label="Playback">
      <button id="play"><svg viewBox="0 0 18 18">
        <path class="start" d="M6 3.5v11l8.5-5.5z"/><path class="pause" d="M6 4v10M12 4v10" stroke-width="3"/></svg></button>
      <button id="back" title="One frame back (left arrow)" aria-label="One frame back"><svg viewBox="0 0 18 18">
        <path d="M11 4L6 9l5 5"/></svg></button>
      <button id="on" title="One frame forward (right arrow)" aria-label="One frame forward"><svg viewBox="0 0 18 18">
        <path d="M7 4l5 5-5 5"/></svg></button>
      <input id="slider" type="range" min="0" max="1" step="any" value="0" aria-label="Time"
        title="Time (Home: first frame, End: last frame)">
      <span id="time"></span>
      <select id="speed" title="Speed" aria-label="Speed"></select>
      <button id="loop" title="Repeat from the beginning (L)" aria-label="Repeat"><svg viewBox="0 0 18 18">
        <path d="M3 8V7a3 3 0 0 1 3-3h9M12.5 1.5L15 4l-2.5 2.5M15 10v1a3 3 0 0 1-3 3H3M5.5 16.5L3 14l2.5-2.5"/></svg></button>
    </div>
    <div id="camera" role="group" aria-label="View">
      <select id="side" title="Camera (keys 0 to 3)" aria-label="Camera"><option value="oblique">Oblique<option value="front">Front<option
        value="side">Side<option value="top">Top<option value="free" hidden>Free</select>
      <button id="follow" title="Camera follows the bodies (F)" aria-label="Follow the bodies"><svg viewBox="0 0 18 18">
        <circle cx="9" cy="9" r="5"/><path d="M9 1v4M9 13v4M1 9h4M13 9h4"/></svg></button>
      <button id="axes" title="Axes of the bodies (A)" aria-label="Axes of the bodies"><svg viewBox="0 0 18 18">
        <path d="M7 11V2M4.5 4.5L7 2l2.5 2.5M7 11h9M13.5 8.5L16 11l-2.5 2.5M7 11l-5 5"/></svg></button>
      <button id="forces" title="Forces of contacts (C)" aria-label="Forces of contacts"><svg viewBox="0 0 18 18">
        <path d="M2 15.5h14M9 12V3M5.5 6.5L9 3l3.5 3.5"/></svg></button>
      <button id="reframe" title="Reset the view (R, double-click)" aria-label="Reset the view"><svg viewBox="0 0 18 18">
        <path d="M2 6V4a2 2 0 0 1 2-2H6M12 2h2a2 2 0 0 1 2 2V6M16 12v2a2 2 0 0 1-2 2H12M6 16H4a2 2 0 0 1-2-2V12"/></svg></button>
      <button id="picture" title="Save a picture (PNG)" aria-label="Save a picture"><svg viewBox="0 0 18 18">
        <path d="M2 5.5h3L6.5 3.5h5L13 5.5h3v9H2z"/><circle cx="9" cy="9.8" r="2.6"/></svg></button>
      <button id="video"><svg viewBox="0 0 18 18">
        <path d="M1.5 4.5h10v9h-10zM11.5 8l5-3v8l-5-3"/><circle cx="6.5" cy="9" r="1.8"/></svg></button>
    </div>
  </div>
</main>
<section id="plots" tabindex="0" aria-label="Plots"></section>
<noscript>This page needs JavaScript, which is disabled in this browser.</noscript>
)html";

}  // namespace actio::detail
