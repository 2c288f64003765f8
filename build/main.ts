/** `npm run build`: makes dist/. */
import { join } from 'node:path';
import { bundle } from './bundle.ts';
import { buildDeclarations } from './declarations.ts';
import { buildPage } from './page.ts';
import { writeSbom } from './sbom.ts';

const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');
const { directory, codeBytes, chunks, packages } = await bundle(root, dist);
console.log(`${directory}: ${chunks} files, ${Math.round(codeBytes / 1024)} KiB of code`);
const declarations = await buildDeclarations(root, join(dist, 'types'));
console.log(`${join(dist, 'types')}: ${declarations.length} declarations`);
const page = await buildPage(root, join(dist, 'web'));
const costs = Object.values(page.firstViews);
const most = (of: 'files' | 'bytes'): number => Math.max(...costs.map((cost) => cost[of]));
console.log(
  `${join(dist, 'web')}: at most ${most('files')} files and ${Math.round(most('bytes') / 1000)} kB, compressed, for the first view of an address`,
);
const others = [...packages, ...page.packages];
await writeSbom(root, dist, others);
console.log(
  `${others.length} packages of others are in them; sbom.cdx.json and THIRD-PARTY-LICENSES.txt list them`,
);
