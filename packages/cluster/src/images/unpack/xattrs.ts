/** Extended attributes, set by `setfattr` in one call per layer: Node has none of its own. */
import { findProgram } from '@turnsole/kube/base/machine';
import type { UnpackNotes } from './notes.ts';
import { runProgram } from './run-program.ts';

/** Would change what an overlay sees in the layer. */
const OF_OVERLAYS = /^(?:trusted|user)\.overlay\./;
/** Where the library found bytes that are no text. */
const NO_TEXT = '\ufffd';

export class XattrList {
  readonly #notes: UnpackNotes;
  /** By path. */
  readonly #values = new Map<string, Readonly<Record<string, string>>>();

  constructor(notes: UnpackNotes) {
    this.#notes = notes;
  }

  /** Keeps those of a file for {@link apply}; those of an earlier entry with that path are forgotten. */
  add(path: string, xattrs: Readonly<Record<string, string>>): void {
    const kept = Object.entries(xattrs).filter(([name, value]) => {
      if (OF_OVERLAYS.test(name))
        this.#notes.add(`attributes ${name} are left out: they would change what is seen of layers below`);
      else if (value.includes(NO_TEXT))
        this.#notes.add(`an attribute ${name} is left out: its value is no text`);
      else return true;
      return false;
    });
    if (kept.length > 0) this.#values.set(path, Object.fromEntries(kept));
    else this.#values.delete(path);
  }

  /** @param root the layer's folder, in which no folder is a link */
  async apply(root: string): Promise<void> {
    if (this.#values.size === 0) return;
    const names = new Set([...this.#values.values()].flatMap((xattrs) => Object.keys(xattrs)));
    const what = `${[...names].toSorted().join(', ')} of ${this.#values.size} files`;
    if (findProgram('setfattr') === undefined) {
      this.#notes.add(`attributes ${what} are left out: setfattr is not installed (package attr)`);
      return;
    }
    const input = [...this.#values].map(([path, xattrs]) => restoreBlock(path, xattrs)).join('\n');
    const { code, errors } = await runProgram(['setfattr', '-h', '--restore=-'], { cwd: root, input });
    if (code !== 0) {
      this.#notes.add(`some of the attributes ${what} could not be set: ${errors.split('\n')[0] ?? ''}`);
    }
  }
}

/** A block of the form that `getfattr --dump` writes (attr(5), setfattr(1)). Pure. */
function restoreBlock(path: string, xattrs: Readonly<Record<string, string>>): string {
  const escaped = path.replaceAll(
    /[\\\n\r]/g,
    (one) => `\\${one.charCodeAt(0).toString(8).padStart(3, '0')}`,
  );
  const lines = Object.entries(xattrs).map(
    ([name, value]) =>
      `${name.replaceAll(/[\\\n\r=]/g, (one) => `\\${one.charCodeAt(0).toString(8).padStart(3, '0')}`)}=0s${Buffer.from(value).toString('base64')}`,
  );
  return `# file: ${escaped}\n${lines.join('\n')}\n`;
}
