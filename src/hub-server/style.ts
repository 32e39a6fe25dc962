/** The style of the hub's pages. Its colours are those of the review page. */
export const STYLE = `
:root { color-scheme: light dark; --line: light-dark(#dfe3e8, #2b303a); --quiet: light-dark(#5b6472, #9aa3b2);
  --good: light-dark(#17703c, #6fd397); --bad: light-dark(#b3261e, #ff938a); --warn: light-dark(#7d4e00, #f2bf6a); }
* { box-sizing: border-box; }
body { margin: 0; background: light-dark(#fff, #14161b); color: light-dark(#1b1f27, #e3e6ec);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
main { max-width: 72rem; margin: 0 auto; padding: 1.5rem 1.5rem 7rem; }
p, h1, td, summary { overflow-wrap: anywhere; }
h1 { font-size: 1.4rem; margin: 0 0 .5rem; } table + h1, p + h1 { margin-top: 2.5rem; } p:first-child + h1 { margin-top: 0; } h2 { font-size: 1rem; margin: 0; padding: .5rem .8rem; overflow-wrap: anywhere; font-weight: 600;
  background: light-dark(#f7f8fa, #1a1d24); display: flex; flex-wrap: wrap; gap: .2rem .6rem; align-items: baseline; }
a { color: light-dark(#3451c7, #93a7ff); } .quiet { color: var(--quiet); font-weight: 400; } .bad { color: var(--bad); }
table { border-collapse: collapse; width: 100%; } th, td { text-align: left; padding: .4rem .8rem .4rem 0; border-bottom: 1px solid var(--line); }
.file, .intent { border: 1px solid var(--line); border-radius: 7px; margin: .8rem 0; overflow: hidden; } .file > p, .intent > p { margin: 0; padding: .5rem .8rem; }
h3 { font-size: .9rem; font-weight: 400; margin: 0; padding: .3rem .8rem; } h3 input { margin-right: .4rem; }
ul { margin: 0; padding: 0 1.8rem .5rem; overflow-wrap: anywhere; }
pre { margin: 0; overflow: auto; font: 13px/1.5 ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
pre span { display: block; padding: 0 .8rem; min-width: max-content; }
.plus { background: light-dark(#e3f6ea, #12301f); } .minus { background: light-dark(#fdebe9, #3a1a1b); }
.at { background: light-dark(#e9edfc, #232a45); color: var(--quiet); }
.state { font-weight: 400; } .landing-landed, .approved { color: var(--good); } .landing-evicted, .rejected, .risk-stop { color: var(--bad); } .risk-look { color: var(--warn); }
input:not([type="checkbox"]), button { font: inherit; padding: .4rem .7rem; border: 1px solid var(--quiet); border-radius: 7px;
  background: light-dark(#fff, #1a1d24); color: inherit; }
button { cursor: pointer; } button[value="approved"] { color: var(--good); border-color: var(--good); background: light-dark(#e3f6ea, #12301f); }
button[value="rejected"] { color: var(--bad); } button[value="approved"]:hover { border-width: 2px; padding: calc(.4rem - 1px) calc(.7rem - 1px); } label[for="token"] { display: block; }
.bar { position: fixed; inset: auto 0 0; padding: .8rem 1.5rem; border-top: 1px solid var(--line); background: light-dark(#fff, #14161b);
  display: flex; flex-wrap: wrap; gap: .6rem; align-items: center; justify-content: center; } .bar input { flex: 1 1 8rem; min-width: 0; max-width: 24rem; }
.verdicts { display: flex; gap: clamp(.6rem, 3vw, 1.5rem); white-space: nowrap; }
@media (max-width: 45rem) { main { padding-bottom: 11rem; } }
`
