/** The style of the report's page. Its colours are those of the review page. */
export const REPORT_STYLE = `
:root { color-scheme: light dark; --line: light-dark(#dfe3e8, #2b303a); --quiet: light-dark(#5b6472, #9aa3b2);
  --allowed: light-dark(#9aa8bd, #5d6b82); --staged: light-dark(#2f7d53, #4caf7a); --asked: light-dark(#c98a12, #e0ae4a);
  --refused: light-dark(#b3261e, #ff7f74); --bar: light-dark(#3451c7, #93a7ff);
  --mono: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 64rem; padding: 1.5rem; background: light-dark(#fff, #14161b); color: light-dark(#1b1f27, #e3e6ec);
  font: 14px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
h1 { font-size: 1.4rem; margin: 0; } h2 { font-size: 1rem; margin: 1.6rem 0 .5rem; } p { margin: .3rem 0; }
summary { cursor: pointer; } summary h2 { display: inline-block; }
.quiet, footer { color: var(--quiet); } footer { margin-top: 2rem; border-top: 1px solid var(--line); padding-top: .6rem; }
code { font: 12.5px/1.5 var(--mono); overflow-wrap: anywhere; }
.stack { display: flex; height: 1.6rem; gap: 2px; border-radius: 4px; overflow: hidden; } .stack span { min-width: 3px; flex-basis: 0; }
.allowed { background: var(--allowed); } .staged { background: var(--staged); } .asked { background: var(--asked); } .refused { background: var(--refused); }
.key { display: inline-block; width: .7rem; height: .7rem; border-radius: 2px; margin-right: .4rem; }
.legend, .plain { list-style: none; padding: 0; margin: .5rem 0; } .plain { margin: 0; }
.legend { display: grid; grid-template-columns: repeat(auto-fit, minmax(15rem, 1fr)); gap: .2rem 1rem; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(13rem, 1fr)); gap: .8rem; margin-top: 1.2rem; }
.figures div { border: 1px solid var(--line); border-radius: 7px; padding: .7rem .9rem; display: flex; flex-direction: column; }
.figures b { font-size: 1.5rem; line-height: 1.3; }
table { border-collapse: collapse; width: 100%; } td, th { padding: .25rem .6rem; text-align: left; vertical-align: top; font-weight: 400; }
thead th { color: var(--quiet); border-bottom: 1px solid var(--line); } tbody tr + tr { border-top: 1px solid var(--line); }
td.n, th.n { text-align: right; width: 1%; white-space: nowrap; font-variant-numeric: tabular-nums; }
.bars tbody tr + tr { border: 0; } .bars th { width: 8rem; white-space: nowrap; color: var(--quiet); }
.bar span { display: block; height: .9rem; margin-top: .25rem; background: var(--bar); border-radius: 2px; }
.wide { overflow-x: auto; } .wide table { min-width: 34rem; } .wide td:first-child { white-space: nowrap; }
@media (max-width: 40rem) { body { padding: .8rem; } td, th { padding: .25rem .35rem; } .bars th { width: 6rem; } }
@media print { details { display: block; } }
`
