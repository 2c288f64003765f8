import { join } from 'node:path';
import { build } from 'esbuild';

/** The time axis as an exported file carries it. */
export interface TimelineComponent {
  readonly script: string;
  readonly style: string;
}

/** Where the component is kept, from the root of the project: the command must have it without a build. */
export const COMPONENT_FILE = 'src/services/report/timeline-page/generated/timeline-component.json';

/**
 * Bundles the time axis of the page at `root` for files that stand alone. The same sources give the same text.
 *
 * @throws Error with esbuild's messages, when something cannot be bundled
 */
export async function timelineComponent(root: string): Promise<TimelineComponent> {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: { script: 'web/standalone/main.ts', style: 'web/standalone/standalone.css' },
    outdir: join(root, 'dist'),
    bundle: true,
    write: false,
    minify: true,
    // light-dark() is known to every browser since May 2024.
    target: 'es2024',
    format: 'iife',
    charset: 'utf8',
    legalComments: 'none',
    logLevel: 'warning',
  });
  const textOf = (ending: string): string =>
    outputFiles.find(({ path }) => path.endsWith(ending))?.text.trim() ?? '';
  // An end of the element inside of a script or style would be the end of it in HTML.
  return { script: textOf('.js').replaceAll('</', '<\\/'), style: textOf('.css') };
}

/** The text of {@link COMPONENT_FILE}. */
export function componentText(component: TimelineComponent): string {
  return `${JSON.stringify(component, null, 2)}\n`;
}
