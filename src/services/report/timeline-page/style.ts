/** Style of the page; follows the reader's light or dark, and prints. */
export const PAGE_STYLE = `
:root { color-scheme: light dark; --ink: light-dark(#1c2330, #e6e9ef); --soft: light-dark(#5b6472, #9aa4b2);
  --line: light-dark(#dfe3e8, #333b47); --paper: light-dark(#ffffff, #14181f); --card: light-dark(#f6f8fa, #1b212b);
  --life: light-dark(#c3cbd6, #465060); --chaos: light-dark(#f0a03c, #d98a26); --injected: light-dark(#d9480f, #ff7a45);
  --open: light-dark(#9c1c1c, #ff5c5c); --passed: light-dark(#2b8a3e, #51b86a); --failure: light-dark(#c92a2a, #ff6b6b);
  --error: light-dark(#862e9c, #da77f2); --recovered: light-dark(#1971c2, #4dabf7);
  --ineffective: light-dark(#e8b7a3, #7d4a36); }
* { box-sizing: border-box }
body { margin: 0 auto; max-width: 84rem; padding: 1.5rem; font: 15px/1.45 system-ui, sans-serif; color: var(--ink);
  background: var(--paper) }
h1 { font-size: 1.4rem; margin: 0 } h2 { font-size: 1.05rem; margin: 2rem 0 .6rem }
.facts { color: var(--soft); margin: .2rem 0 1rem }
.verdicts { display: flex; flex-wrap: wrap; gap: .6rem; padding: 0; margin: 0; list-style: none }
.verdicts li { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: .5rem .8rem }
.word { font-weight: 650 } .word.Pass { color: var(--passed) } .word.Fail, .word.Error { color: var(--failure) }
.word.Stopped, .word.N\\/A, .word.Awaited { color: var(--chaos) }
.warnings { margin: 1rem 0 0; padding-left: 1.2rem; color: var(--chaos) }
.chart { position: relative; display: grid; grid-template-columns: minmax(8rem, 19rem) 1fr; column-gap: 1rem }
.group { grid-column: 1 / -1; color: var(--soft); font-size: .8rem; letter-spacing: .04em; text-transform: uppercase;
  padding: .7rem 0 .2rem; border-bottom: 1px solid var(--line) }
.name { padding: .35rem 0; overflow-wrap: anywhere; font-size: .88rem }
.track { position: relative; min-height: 2rem; border-bottom: 1px solid var(--line) }
.axis { min-height: 1.4rem; border: 0; color: var(--soft); font-size: .78rem }
.tick { position: absolute; top: 0; transform: translateX(-50%); white-space: nowrap }
.tick:first-child { transform: none }
.rule { position: absolute; top: 0; bottom: 0; width: 1px; background: var(--line) }
.bar, .mark { position: absolute; cursor: default }
.bar { top: .6rem; height: .8rem; min-width: 2px; border-radius: .2rem }
.bar.life { top: .85rem; height: .3rem; background: var(--life) }
.bar.chaos { background: var(--chaos); opacity: .55 } .bar.injected { background: var(--injected) }
.bar.ineffective { background: var(--ineffective) }
.bar.open { background: repeating-linear-gradient(45deg, var(--open) 0 6px, transparent 6px 9px) }
.bar.passed { background: var(--passed) } .bar.failure { background: var(--failure) } .bar.error { background: var(--error) }
.mark { top: .68rem; width: .65rem; height: .65rem; margin-left: -.32rem; border-radius: 50%; background: var(--soft) }
.mark.injected { background: var(--injected); border-radius: 1px; transform: rotate(45deg) }
.mark.recovered { background: var(--recovered) } .mark.passed { background: var(--passed) }
.mark.failure { background: var(--failure) } .mark.error { background: var(--error) }
:is(.bar, .mark):focus-visible { outline: 2px solid var(--recovered); outline-offset: 2px }
.legend { display: flex; flex-wrap: wrap; gap: .3rem 1.2rem; color: var(--soft); font-size: .82rem; padding: 0; list-style: none }
.legend i { display: inline-block; width: .7rem; height: .7rem; border-radius: .15rem; margin-right: .4rem; vertical-align: -1px }
label { color: var(--soft) } input { font: inherit; padding: .25rem .5rem; width: min(24rem, 100%) }
table { border-collapse: collapse; width: 100%; font-size: .88rem } th { text-align: left; color: var(--soft); font-weight: 500 }
td, th { padding: .25rem .7rem .25rem 0; vertical-align: top; border-bottom: 1px solid var(--line) }
td.time { white-space: nowrap; font-variant-numeric: tabular-nums } td.object { overflow-wrap: anywhere; color: var(--soft) }
@media print { .filter { display: none } body { max-width: none; padding: 0 }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact } }
`;
