import { formatOffset } from '../timeline.ts';
import { axisTicks } from './axis.ts';
import type { Bar, Lane, Mark, PageVerdict, TimelinePage } from './model.ts';
import { PAGE_STYLE } from './style.ts';

const LEGEND: readonly (readonly [kind: string, text: string])[] = [
  ['chaos', 'time of chaos'],
  ['injected', 'injected, until reverted'],
  ['ineffective', 'injected, without any effect'],
  ['open', 'not reverted'],
  ['recovered', 'recovered'],
  ['passed', 'probe passed'],
  ['failure', 'probe failed'],
  ['error', 'probe could not be evaluated'],
];

/** Hides the rows that do not have the text that is typed; without it all rows are shown. */
const FILTER = `
const field = document.querySelector('#filter');
field.closest('.filter').hidden = false;
field.addEventListener('input', () => {
  const wanted = field.value.toLowerCase();
  for (const row of document.querySelectorAll('tbody tr')) row.hidden = !row.textContent.toLowerCase().includes(wanted);
});
`;

/**
 * The page as one HTML document. Pure. It loads nothing: its policy forbids that, and style and script are in it. Without
 * scripts only the filter of the table is missing.
 */
export function renderTimelinePage(page: TimelinePage): string {
  const lengthMs = Math.max(1, page.endMs - page.startMs);
  const share = (ms: number): string => `${((100 * ms) / lengthMs).toFixed(3)}%`;
  const at = (ms: number): string => share(ms - page.startMs);
  const ticks = axisTicks(lengthMs);
  const rules = ticks.map(({ atMs }) => `<span class="rule" style="left:${share(atMs)}"></span>`).join('');
  const labels = ticks.map(
    ({ atMs, label }) => `<span class="tick" style="left:${share(atMs)}">${label}</span>`,
  );
  const drawn = page.lanes.map((lane, index) => {
    const isNew = page.lanes[index - 1]?.group !== lane.group;
    return `${isNew ? `<div class="group">${lane.group}</div>` : ''}${laneHtml(lane, rules, page.startMs, at)}`;
  });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<title>${escapeHtml(page.title)}: timeline</title>
<style>${PAGE_STYLE}</style>
</head>
<body>
<header>
<h1>${escapeHtml(page.title)}</h1>
<p class="facts">${facts(page)}</p>
<ul class="verdicts">${page.verdicts.map(verdictHtml).join('')}</ul>${warningsHtml(page.warnings)}
</header>
<main>
<h2 id="drawing">What happened when</h2>
<div class="chart" role="group" aria-labelledby="drawing">
<div></div><div class="track axis" aria-hidden="true">${labels.join('')}</div>
${drawn.join('\n')}
</div>
<ul class="legend">${LEGEND.map(([kind, text]) => `<li><i style="background:var(--${kind})"></i>${text}</li>`).join('')}</ul>
<h2>Every step</h2>
<p class="filter" hidden><label>Show only steps with <input id="filter" type="search" autocomplete="off"></label></p>
<table>
<thead><tr><th scope="col">after</th><th scope="col">time</th><th scope="col">actor</th><th scope="col">step</th><th scope="col">what</th><th scope="col">object</th></tr></thead>
<tbody>
${page.steps
  .map(({ time, actor, step, message, object = '' }) => {
    const after = formatOffset(Date.parse(time) - page.startMs).trim();
    const cells = [actor, step, message].map((text) => `<td>${escapeHtml(text)}</td>`).join('');
    return `<tr><td class="time">${after}</td><td class="time">${escapeHtml(time)}</td>${cells}<td class="object">${escapeHtml(object)}</td></tr>`;
  })
  .join('\n')}
</tbody>
</table>
</main>
<script>${FILTER}</script>
</body>
</html>
`;
}

function facts({ startMs, endMs, runId, steps }: TimelinePage): string {
  if (steps.length === 0) return 'No step is recorded.';
  const start = new Date(startMs).toISOString();
  const length = ((endMs - startMs) / 1000).toFixed(1);
  const run = runId === undefined ? 'all runs' : `run ${escapeHtml(runId)}`;
  return `${run}, began ${start}, ${length} s, ${steps.length} steps`;
}

function verdictHtml({ experiment, verdict, detail }: PageVerdict): string {
  return `<li><span class="word ${escapeHtml(verdict)}">${escapeHtml(verdict)}</span> ${escapeHtml(experiment)} <small>${escapeHtml(detail)}</small></li>`;
}

function warningsHtml(warnings: readonly string[]): string {
  if (warnings.length === 0) return '';
  return `\n<ul class="warnings">${warnings.map((text) => `<li>${escapeHtml(text)}</li>`).join('')}</ul>`;
}

function laneHtml(
  { name, bars, marks }: Lane,
  rules: string,
  startMs: number,
  at: (ms: number) => string,
): string {
  const drawn = [
    ...bars.map((bar) => barHtml(bar, startMs, at)),
    ...marks.map((mark) => markHtml(mark, startMs, at)),
  ];
  return `<div class="name">${escapeHtml(name)}</div><div class="track">${rules}${drawn.join('')}</div>`;
}

function barHtml({ kind, fromMs, toMs, label }: Bar, startMs: number, at: (ms: number) => string): string {
  const times = `${formatOffset(fromMs - startMs).trim()} to ${formatOffset(toMs - startMs).trim()}`;
  const right = `calc(100% - ${at(toMs)})`;
  return `<span class="bar ${kind}" style="left:${at(fromMs)};right:${right}" ${described(`${times}: ${label}`)}></span>`;
}

function markHtml({ kind, atMs, label }: Mark, startMs: number, at: (ms: number) => string): string {
  const time = formatOffset(atMs - startMs).trim();
  return `<span class="mark ${kind}" style="left:${at(atMs)}" ${described(`${time}: ${label}`)}></span>`;
}

/** Shown by the mouse, said by a screen reader, reached by the keyboard. */
function described(text: string): string {
  return `role="img" tabindex="0" aria-label="${escapeHtml(text)}" title="${escapeHtml(text)}"`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Names and messages come from the cluster: whatever they hold, it is text. */
function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
