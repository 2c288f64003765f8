import { isBuiltin } from 'node:module';
import type { Plugin } from 'esbuild';

const NAMESPACE = 'named-exports';

/**
 * Lets `const { parse } = await import('yaml')` work in the bundle as in Node. Of a CommonJS package a chunk would export
 * `default` alone; Node finds the names by reading its code, so Node is asked for them here.
 */
export function namedExports(root: string): Plugin {
  return {
    name: 'named-exports',
    setup(build) {
      build.onResolve({ filter: /^[^./]/ }, ({ path, kind, namespace, importer }) =>
        kind === 'dynamic-import' &&
        namespace !== NAMESPACE &&
        !isBuiltin(path) &&
        !isOwn(path) &&
        !isOfPackages(importer)
          ? { path, namespace: NAMESPACE }
          : undefined,
      );
      build.onLoad({ filter: /.*/, namespace: NAMESPACE }, async ({ path }) => {
        // Any module's namespace is an object of its exports.
        const names = Object.keys((await import(path)) as object);
        return { contents: reexport(path, names), loader: 'js', resolveDir: root };
      });
    },
  };
}

/** Whether a module is one of the project's own packages: ES modules, bundled from their sources. */
function isOwn(path: string): boolean {
  return path.startsWith('@turnsole/');
}

/** Whether a file is of another project's package, which is published for bundlers. */
function isOfPackages(file: string): boolean {
  return file.includes('/node_modules/');
}

/** A module that has these names of another one. Pure. */
export function reexport(path: string, names: readonly string[]): string {
  const valid = names.filter((name) => /^[A-Za-z_$][\w$]*$/.test(name) && name !== '__esModule');
  return `export { ${valid.join(', ')} } from ${JSON.stringify(path)};\n`;
}
