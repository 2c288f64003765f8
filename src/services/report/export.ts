import { badgeOf } from './badge.ts';
import { toJUnit } from './junit.ts';
import type { RunReport } from './model.ts';
import { reportOutcome } from './outcome/of-report.ts';
import { stateOfWord } from './outcome/run-states.ts';
import { toMarkdown } from './summary.ts';
import { timelineComponent } from './timeline-page/component.ts';
import type { TimelinePage } from './timeline-page/model.ts';
import { renderTimelinePage } from './timeline-page/render.ts';

/** Forms in which a run can be taken along. */
export const EXPORT_FORMATS = ['html', 'junit', 'json', 'markdown', 'badge'] as const;

/** One of {@link EXPORT_FORMATS}. */
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** A run as a file. */
interface ExportedRun {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const TYPES: Readonly<Record<ExportFormat, readonly [type: string, ending: string]>> = {
  html: ['text/html; charset=utf-8', 'html'],
  junit: ['application/xml; charset=utf-8', 'xml'],
  json: ['application/json; charset=utf-8', 'json'],
  markdown: ['text/markdown; charset=utf-8', 'md'],
  badge: ['image/svg+xml; charset=utf-8', 'svg'],
};

/**
 * A run as a file, by the same code as the command's reports: `html` is `turnsole timeline -o html`, `junit` and `json` are what
 * `turnsole run --junit` and `--json` write, `markdown` is the summary of a CI job, for the comment of a change, and `badge` one word. A browser saves it; should one show it, its policy lets nothing run but its own script, and
 * that without the cookies of the page's host. Pure.
 */
export function exportRun(
  format: ExportFormat,
  { name, page, report }: { readonly name: string; page(): TimelinePage; report(): RunReport },
): ExportedRun {
  const [type, ending] = TYPES[format];
  const policy =
    format === 'html'
      ? `${timelineComponent().policy}; sandbox allow-scripts`
      : "default-src 'none'; sandbox";
  return {
    headers: {
      'content-type': type,
      'content-disposition': `attachment; filename="${fileName(name)}.${ending}"`,
      'content-security-policy': policy,
      'x-content-type-options': 'nosniff',
    },
    body: bodyOf(format, page, report),
  };
}

function bodyOf(format: ExportFormat, page: () => TimelinePage, report: () => RunReport): string {
  if (format === 'html') return renderTimelinePage(page());
  if (format === 'junit') return toJUnit(report());
  if (format === 'json') return `${JSON.stringify(report(), null, 2)}\n`;
  const made = report();
  const outcome = made.outcome ?? reportOutcome(made);
  if (format === 'markdown') return toMarkdown({ ...made, outcome });
  return badgeOf(outcome.state ?? stateOfWord(outcome.word, outcome.by, outcome.isScored));
}

/** A name that every system takes for a file and every header for a value. */
function fileName(name: string): string {
  const plain = name.replaceAll(/[^\w.-]+/g, '-').replaceAll(/^[.-]+|-+$/g, '');
  return plain === '' ? 'run' : plain.slice(0, 100);
}
