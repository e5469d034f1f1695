// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The style of the page of all experiments, for light and dark screens and for paper. Without < > and &, which XML would escape.

inline constexpr const char* style = R"(
:root { color-scheme: light dark; --paper: #fff; --ink: #1c2128; --faint: #667080; --rule: #dfe3e8; --wash: #f5f7f9; }
:root { --link: #0b5cad; --bad: #b3261e; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #121212; --ink: #dcdfe4; --faint: #98a1ae; --rule: #30343a; --wash: #1b1d20; --link: #7ab7f5; --bad: #ff8a80; }
  figure img { filter: invert(0.93) hue-rotate(180deg); }
}
* { box-sizing: border-box; }
body { max-width: 72rem; margin: 0 auto; padding: 2.5rem 1.5rem 5rem; background: var(--paper); color: var(--ink); }
body { font: 1rem/1.55 system-ui, sans-serif; }
h1 { font-size: 2.1rem; line-height: 1.2; margin: 0 0 1rem; }
h2 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 0.8rem; }
p { max-width: 50rem; margin: 0.7rem 0; overflow-wrap: break-word; }
a { color: var(--link); text-decoration: none; }
a:hover { text-decoration: underline; }
code { font: 0.88em ui-monospace, monospace; background: var(--wash); border-radius: 3px; padding: 0.1em 0.3em; }
sup { line-height: 0; font-size: 0.75em; }
section { margin-top: 4rem; padding-top: 1.5rem; border-top: 1px solid var(--rule); }
.source { margin: 0 0 0.2rem; color: var(--faint); font-size: 0.9rem; }
.about { font-size: 1.06rem; }
.run, section p:not([class]) { color: var(--faint); font-size: 0.9rem; }
.verdict { border-left: 3px solid var(--link); padding-left: 0.8rem; }
.bad { color: var(--bad); font-weight: 600; }
.scroll { overflow-x: auto; margin: 1rem 0 1.4rem; }
table { border-collapse: collapse; font-size: 0.86rem; font-variant-numeric: tabular-nums; }
th, td { padding: 0.3rem 0.6rem; text-align: left; vertical-align: top; border-bottom: 1px solid var(--rule); }
th:first-child, td:first-child { padding-left: 0; }
th { color: var(--faint); font-weight: 600; vertical-align: bottom; }
th.n, td.n { text-align: right; }
td.n { white-space: nowrap; }
.claims, .contents { font-size: 0.95rem; }
.claims td { max-width: 26rem; padding-right: 1.6rem; }
.claims td:last-child { font-weight: 600; }
.contents th { padding-top: 1.4rem; color: var(--ink); }
.contents td { padding-right: 1.6rem; }
.contents td:last-child { color: var(--faint); white-space: nowrap; }
.contents td.bad { color: var(--bad); }
summary { cursor: pointer; color: var(--link); font-size: 0.9rem; margin: 0.8rem 0; }
figure { margin: 1.2rem 0; }
img { max-width: 100%; height: auto; display: block; }
@media print { section { break-before: page; } details { display: none; } }
)";
