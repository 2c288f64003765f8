import { isObject } from '@turnsole/kube/text/json';

/** A tag of a workflow, which its controller replaces at run time. */
const TAG = /\{\{[\s\S]*?\}\}/g;

/** Replaces tags by words without meaning in YAML, and restores the tags. */
export interface TagMarks {
  /** The text, with a word for each tag. */
  readonly marked: string;
  /** The word for a text in double quotes, in which its tags are escaped as in JSON. */
  mark(text: string): string;
  /** The text with its tags restored. */
  restore(marked: string): string;
  /** A value that was read from the marked text, with its tags restored. */
  restoreValue(value: unknown): unknown;
}

/** Marks the tags of a text, so that it can be read and changed as YAML. Pure but for the words it remembers. */
export function markTags(text: string): TagMarks {
  let seed = 'tag';
  while (text.includes(seed)) seed += 'x';
  const written: string[] = [];
  const meant: string[] = [];
  const wordFor = (tag: string, inText: string): string => {
    meant.push(tag);
    return `${seed}${written.push(inText) - 1}z`;
  };
  const WORD = new RegExp(`${seed}(\\d+)z`, 'g');
  const replace = (marked: string, tags: readonly string[]): string =>
    marked.replace(WORD, (word, index: string) => tags[Number(index)] ?? word);
  const restoreValue = (value: unknown): unknown => {
    if (typeof value === 'string') return replace(value, meant);
    if (Array.isArray(value)) return value.map(restoreValue);
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [replace(key, meant), restoreValue(member)]),
    );
  };
  return {
    marked: text.replace(TAG, (tag) => wordFor(tag, tag)),
    mark: (added) => added.replace(TAG, (tag) => wordFor(tag, JSON.stringify(tag).slice(1, -1))),
    restore: (marked) => replace(marked, written),
    restoreValue,
  };
}
