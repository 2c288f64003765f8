/** `node build/image-root.ts DIR`: everything of ours that the image has, laid out as below its root. */
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { UPSTREAM_PROGRAMS } from '../src/chaos/upstream-programs.ts';
import { bundle } from './bundle.ts';
import { buildPage } from './page.ts';
import { writeSbom } from './sbom.ts';

const root = join(import.meta.dirname, '..');
const [target] = process.argv.slice(2);
if (target === undefined) throw new Error('usage: node build/image-root.ts DIR');
const image = resolve(target);
const home = join(image, 'opt', 'turnsole');
await mkdir(home, { recursive: true });
const { packages } = await bundle(root, join(home, 'dist'), { withClouds: true });
// The page that a control plane serves.
const page = await buildPage(root, join(home, 'dist', 'web'));
await writeSbom(root, join(home, 'dist'), [...packages, ...page.packages]);
for (const name of ['bin', 'LICENSE', 'package.json']) {
  await cp(join(root, name), join(home, name), { recursive: true });
}
// What a control plane offers without a network.
await cp(join(root, 'deploy', 'hub'), join(home, 'deploy', 'hub'), { recursive: true });
await cp(join(root, 'deploy', 'image', 'rootfs'), image, { recursive: true });
// Manifests and charts of upstream name these as commands. In the image's Debian `/bin` is a link, which no folder may replace.
for (const { path, component } of UPSTREAM_PROGRAMS) {
  const file = join(image, path.replace(/^\/bin\//, '/usr/bin/'));
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `#!/bin/sh\nexec /usr/local/bin/turnsole ${component} "$@"\n`, { mode: 0o755 });
}
