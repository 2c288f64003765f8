/** Part of `npm run generate`: writes the time axis that exported timelines carry. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { COMPONENT_FILE, componentText, timelineComponent } from './timeline-component.ts';

const root = join(import.meta.dirname, '..');
await writeFile(join(root, COMPONENT_FILE), componentText(await timelineComponent(root)));
