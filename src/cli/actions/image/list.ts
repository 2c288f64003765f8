import type { StoredImage } from '@turnsole/cluster/images/types';
import { builtInEntries } from '@turnsole/cluster/node/images/built-in';
import type { ImageEntry } from '@turnsole/cluster/node/images/image-entry';
import { commandLine } from '@turnsole/kube/text/shell';
import { ownImages } from '../../../embedded/images.ts';
import { EXIT } from '../../../process/exit-codes.ts';
import { humanBytes } from '../../image/human-bytes.ts';
import { withStore } from '../../image/with-store.ts';
import { formatColumns } from '../../print/columns.ts';
import { openProject, withProject } from '../../project.ts';

export interface ListOptions {
  readonly image?: ReadonlyMap<string, ImageEntry>;
  readonly config?: string | false;
  readonly output: 'text' | 'json';
}

/** A name that pods can have as their image. */
type ListedImage =
  | { readonly kind: 'stored'; readonly image: StoredImage }
  /** A command of this machine stands for it, and wins over a stored image of that name. */
  | { readonly kind: 'stand-in'; readonly name: string; readonly command: string };

/** `turnsole image list`. */
export async function run(options: ListOptions): Promise<number> {
  const project = await openProject(options);
  const { image: given = new Map() } = withProject(options, project, () => true);
  const own = ownImages(given.keys());
  const standIns = new Map([...builtInEntries({ commands: own.commands }), ...own.images, ...given]);
  const stored = await withStore((store) => store.list());
  const listed: ListedImage[] = [
    ...stored.map((image) => ({ kind: 'stored', image }) as const),
    ...[...standIns]
      .toSorted(([a], [b]) => a.localeCompare(b))
      .map(([name, entry]) => ({
        kind: 'stand-in' as const,
        name,
        command: commandLine([...entry.entrypoint, ...(entry.args ?? [])]),
      })),
  ];
  if (options.output === 'json') console.log(JSON.stringify(listed, null, 2));
  else console.log(formatImages(listed).join('\n'));
  return EXIT.pass;
}

/** A line for each; pure. */
function formatImages(listed: readonly ListedImage[]): string[] {
  const rows = listed.map((one) => {
    if (one.kind === 'stand-in') return [one.name, 'stand-in', one.command];
    const { reference, platform, size, digest, usedAt } = one.image;
    const used = new Date(usedAt).toISOString().slice(0, 16).replace('T', ' ');
    const details = [
      `${platform.os}/${platform.architecture}`,
      humanBytes(size),
      digest.slice(0, 19),
      `used ${used}Z`,
    ];
    return [reference, 'image', details.join(', ')];
  });
  return formatColumns([['IMAGE', 'IS', 'WHAT'], ...rows]);
}
