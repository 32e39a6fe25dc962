/** The style of the exported review. Its colours are those of the review page. */
export const STATIC_STYLE = `
:root { color-scheme: light dark; --line: light-dark(#dfe3e8, #2b303a); --quiet: light-dark(#5b6472, #9aa3b2);
  --good: light-dark(#17703c, #6fd397); --bad: light-dark(#b3261e, #ff938a); --warn: light-dark(#7d4e00, #f2bf6a);
  --mono: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 72rem; padding: 1.5rem; background: light-dark(#fff, #14161b); color: light-dark(#1b1f27, #e3e6ec);
  font: 14px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
h1 { font-size: 1.4rem; margin: 0; } h2 { font-size: 1rem; margin: 1.5rem 0 .4rem; } p { margin: .3rem 0; }
ul { margin: .2rem 0; padding-left: 1.2rem; } a { color: light-dark(#3451c7, #93a7ff); }
code, pre, .path, .diff { font-family: var(--mono); font-size: 12.5px; } pre { overflow: auto; max-height: 24rem; margin: .4rem 0; }
.quiet, .kind, footer { color: var(--quiet); } footer { margin-top: 2rem; overflow-wrap: anywhere; }
.added { color: var(--good); } .removed { color: var(--bad); }
.state { border: 1px solid currentcolor; border-radius: 7px; padding: 0 .4em; font-size: 12px; color: var(--quiet); }
.state.approved, .state.passed { color: var(--good); } .state.rejected, .state.failed { color: var(--bad); } .state.stale { color: var(--warn); }
.file { border: 1px solid var(--line); border-radius: 7px; margin: .8rem 0; overflow: hidden; }
.file > summary { padding: .5rem .8rem; background: light-dark(#f7f8fa, #1a1d24); cursor: pointer; overflow-wrap: anywhere; }
.file > p { padding: .2rem .8rem; } .path { font-weight: 600; }
.facts { padding: .3rem .8rem; background: light-dark(#fdf3df, #352a14); color: var(--warn); }
.diff { border-collapse: collapse; width: 100%; } .diff td { padding: 0 .5rem; vertical-align: top; }
.number { width: 1%; min-width: 3rem; text-align: right; color: var(--quiet); user-select: none; }
.code { white-space: pre-wrap; overflow-wrap: anywhere; } .sign { user-select: none; padding-right: .4rem; }
.at { background: light-dark(#e9edfc, #232a45); color: var(--quiet); } .note { color: var(--quiet); }
.plus { background: light-dark(#e3f6ea, #12301f); } .minus { background: light-dark(#fdebe9, #3a1a1b); }
.plus .word { background: light-dark(#b5e6c6, #1f5637); } .minus .word { background: light-dark(#f9c9c4, #6a2a2b); }
.t-hidden { outline: 1px solid var(--bad); color: var(--bad); font-weight: 700; }
.t-keyword, .t-literal, .t-meta { color: light-dark(#8427a8, #d2a0f5); } .t-string, .t-regexp { color: light-dark(#0f5d3f, #8fdcb0); }
.t-comment, .t-quote { color: light-dark(#535c69, #a3abb8); font-style: italic; } .t-number, .t-symbol { color: light-dark(#8a3d00, #f3b077); }
.t-title, .t-section, .t-name { color: light-dark(#1d4ea8, #9fc0ff); } .t-built_in, .t-type { color: light-dark(#0b5f6b, #7fd3df); }
@media (max-width: 40rem) { body { padding: .6rem; } .number { min-width: 1.6rem; padding: 0 .2rem; } }
@media print { .file { break-inside: auto; } nav { display: none; } }
`
