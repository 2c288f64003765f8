import { apiFault, apiTest } from './scaffold-api.ts';
import { containerFault, containerTest } from './scaffold-container.ts';
import type { ScaffoldFile, ScaffoldOptions } from './scaffold-options.ts';

/** Why a name cannot be that of a fault; undefined when it can. Pure. */
export function nameProblem(name: string, known: readonly string[]): string | undefined {
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)+$/.test(name) || name.length > 50) {
    return `${JSON.stringify(name)} is no name for a fault: lower-case words with dashes between them, such as pod-freeze`;
  }
  return known.includes(name) ? `there is a fault named ${name} already` : undefined;
}

/** The fault and its test. Pure. */
export function scaffoldFiles(name: string, options: ScaffoldOptions): ScaffoldFile[] {
  const words = name.split('-');
  const variable = words
    .map((word, index) => (index === 0 ? word : `${word[0]?.toUpperCase()}${word.slice(1)}`))
    .join('');
  const names = { name, variable };
  const folder = `src/faults/${folderOf(name)}`;
  const [fault, test] =
    options.targets === 'containers'
      ? [containerFault(names), containerTest(names)]
      : [apiFault(names, options.targets, options.shape), apiTest(names, options.targets, options.shape)];
  return [
    { path: `${folder}/${name}.ts`, content: fault },
    { path: `${folder}/${name}.test.ts`, content: test },
  ];
}

/** The registry with a line for the fault at its end. Pure. @throws Error when the text is not the registry */
export function registerFault(registry: string, name: string): string {
  const start = registry.indexOf('const LOADERS');
  const end = registry.indexOf('\n};', start);
  if (start < 0 || end < 0) throw new Error('src/faults/index.ts has no table LOADERS');
  const line = `\n  '${name}': () => import('./${folderOf(name)}/${name}.ts'),`;
  return `${registry.slice(0, end)}${line}${registry.slice(end)}`;
}

function folderOf(name: string): string {
  if (name.startsWith('node-')) return 'node';
  return /^(pod|container|disk)-/.test(name) ? 'pod' : 'application';
}
