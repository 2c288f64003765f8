import type { Metafile } from 'esbuild';

/**
 * Files that a file loads when it starts, directly or not, each with the file that imports it; the file itself among them. What code asks for
 * later (`import()`) is left out, and so is what is not bundled. Pure.
 *
 * @throws Error when the file is not in the bundle
 */
export function loadedAtStart(inputs: Metafile['inputs'], start: string): ReadonlyMap<string, string> {
  if (inputs[start] === undefined) throw new Error(`${start} is not in the bundle`);
  const loaded = new Map([[start, start]]);
  for (const [file] of loaded) {
    for (const { path, kind, external } of inputs[file]?.imports ?? []) {
      if (kind === 'import-statement' && external !== true && !loaded.has(path)) loaded.set(path, file);
    }
  }
  return loaded;
}
