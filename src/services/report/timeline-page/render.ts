import { asOneLine } from '@turnsole/kube/text/visible';
import { actorText, type WorkflowTimelineEntry } from '../../workflows/timeline.ts';
import { questionOf } from '../course/sentences.ts';
import { stripOf } from '../course/strip.ts';
import { messageWords } from '../error-words.ts';
import { readLogLine } from '../log-line.ts';
import { outcomeSentence } from '../outcome/run-outcome.ts';
import { formatOffset } from '../timeline.ts';
import { timelineComponent } from './component.ts';
import type { PageLog, PageVerdict, TimelinePage } from './model.ts';

/**
 * The page as one HTML document. It loads nothing: its policy forbids that, and style, script and data are in it. What the cluster says is
 * text, in the page and in the data. Without scripts the drawing is missing; verdicts, warnings and every step are there.
 */
export function renderTimelinePage(page: TimelinePage): string {
  const { script, style, policy } = timelineComponent();
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${escapeHtml(policy)}">
<title>${escapeHtml(page.title)}: timeline</title>
<style>${style}</style>
</head>
<body>
<header>
<h1>${escapeHtml(page.title)}</h1>
<p class="facts">${facts(page)}</p>
${headHtml(page)}<p class="why" id="why">${escapeHtml(whyOf(page))}</p>
<ul class="verdicts">${page.verdicts.map(verdictHtml).join('')}</ul>${warningsHtml(page.warnings)}
</header>
<main>
<h2>What happened when</h2>
<div id="replay"></div>
<div id="axis"><noscript>The drawing needs scripts; every step stands below.</noscript></div>
<h2>Every step</h2>
<p class="filter" hidden><label>Show only steps with <input id="filter" type="search" autocomplete="off"></label></p>
<div class="steps" role="region" aria-label="Every step" tabindex="0">
<table>
<thead><tr><th scope="col">after</th><th scope="col">time</th><th scope="col">actor</th><th scope="col">step</th><th scope="col">what</th><th scope="col">object</th></tr></thead>
<tbody>
${page.steps.map((step) => stepHtml(step, page.startMs)).join('\n')}
</tbody>
</table>
</div>${logsHtml(page.logs ?? [], page.startMs)}
</main>
<script type="application/json" id="run">${dataText(page)}</script>
<script>${script}</script>
</body>
</html>
`;
}

/** What it asked, and the answers: as the page shows them. */
function headHtml({ course, verdicts, endMs }: TimelinePage): string {
  if (course === undefined || course.experiments.length === 0) return '';
  const isRunning = verdicts.some(({ verdict }) => UNDER_WAY.includes(verdict));
  const question = questionOf(course);
  const cells = stripOf(course, isRunning, endMs).map(
    ({ name, tone, answer, more }) =>
      `<div data-tone="${tone}"><dt>${name}</dt><dd><strong>${escapeHtml(answer)}</strong> <span>${escapeHtml(more)}</span></dd></div>`,
  );
  const asked = question === undefined ? '' : `<p class="question">${escapeHtml(question)}</p>\n`;
  return `${asked}<dl class="now-strip">${cells.join('')}</dl>\n`;
}

/** How it ended, until the script says more. */
function whyOf({ outcome }: TimelinePage): string {
  return outcome === undefined ? '' : `${outcomeSentence(outcome)}.`;
}

/** Verdicts and phases before the end. */
const UNDER_WAY = ['Awaited', 'Running', 'Pending'];

/** What the script draws, as JSON that cannot end its element. */
function dataText({ startMs, endMs, lanes, verdicts, outcome, account, course }: TimelinePage): string {
  const isRunning = verdicts.some(({ verdict }) => UNDER_WAY.includes(verdict));
  const data = { startMs, endMs, lanes, verdicts, isRunning, outcome, account };
  return JSON.stringify(isRunning ? { ...data, course } : data).replaceAll('<', '\\u003c');
}

function stepHtml(entry: WorkflowTimelineEntry, startMs: number): string {
  const { time, step, message, object = '' } = entry;
  const after = formatOffset(Date.parse(time) - startMs).trim();
  const cells = [actorText(entry), step, messageWords(message)]
    .map((text) => `<td>${escapeHtml(text)}</td>`)
    .join('');
  return `<tr><td class="time">${after}</td><td class="time">${escapeHtml(time)}</td>${cells}<td class="object">${escapeHtml(object)}</td></tr>`;
}

function logsHtml(logs: readonly PageLog[], startMs: number): string {
  if (logs.length === 0) return '';
  return `\n<h2>Logs</h2>\n${logs.map((log) => logHtml(log, startMs)).join('\n')}`;
}

/** One pod, closed: its lines with their times after the begin, and their levels as words. */
function logHtml({ namespace, name, container, text, leftOutBytes }: PageLog, startMs: number): string {
  const lines = text.replace(/\n$/, '').split('\n').map(readLogLine);
  const before =
    leftOutBytes === 0 ? '' : `<p class="facts">${leftOutBytes} bytes before this are not kept.</p>`;
  const rows = lines.map(({ atMs, level = '', text: said }) => {
    const after = atMs === undefined ? '' : formatOffset(atMs - startMs).trim();
    return `<tr data-level="${level}"><td class="time">${after}</td><td class="level">${level}</td><td>${escapeHtml(asOneLine(said))}</td></tr>`;
  });
  const title = `${escapeHtml(namespace)}/${escapeHtml(name)} <small>${escapeHtml(container)}, ${lines.length} lines</small>`;
  return `<details class="log"><summary>${title}</summary>${before}<table><tbody>${rows.join('')}</tbody></table></details>`;
}

/** As the page in the browser says times: `24 Nov 2026, 18:45:11 UTC`. */
const START = new Intl.DateTimeFormat('en-GB', {
  ...{ day: 'numeric', month: 'short', year: 'numeric' },
  ...{ hour: '2-digit', minute: '2-digit', second: '2-digit', timeZoneName: 'short', timeZone: 'UTC' },
});

function facts({ startMs, endMs, runId, steps }: TimelinePage): string {
  if (steps.length === 0) return 'No step is recorded.';
  const start = START.format(startMs);
  const length = ((endMs - startMs) / 1000).toFixed(1);
  const run = runId === undefined ? '' : `, run ${escapeHtml(runId)}`;
  return `Began ${start}${run}, ${length} s, ${steps.length} steps`;
}

function verdictHtml({ experiment, verdict, detail }: PageVerdict): string {
  return `<li><span class="word ${escapeHtml(verdict)}">${escapeHtml(verdict)}</span> ${escapeHtml(experiment)} <small>${escapeHtml(detail)}</small></li>`;
}

function warningsHtml(warnings: readonly string[]): string {
  if (warnings.length === 0) return '';
  return `\n<ul class="warnings">${warnings.map((text) => `<li>${escapeHtml(text)}</li>`).join('')}</ul>`;
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
