import {
  type Document,
  isMap,
  isPair,
  isScalar,
  isSeq,
  type Node,
  parseDocument,
  Scalar,
  stringify,
  visit,
  YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { markTags, type TagMarks } from '../../../src/controlplane/experiment/manifest/tags.ts';
import { isJson } from '../../models/json/json.ts';
import type { YamlForm } from '../../models/studio/workflow-parts.ts';
import { readYaml, valueIn } from './read-yaml.ts';

/** Keeps texts of many lines as literal blocks, so that engines inside a manifest are readable. */
const STYLE = { blockQuote: 'literal', lineWidth: 0 } as const;

/** The page's YAML reader and writer; workflow tags are texts, in which YAML would otherwise see mappings. */
export const YAML_FORM: YamlForm = {
  read: (text) => readYaml(text).value,
  write: (value) => stringify(value, STYLE),
  change: (text, after) => {
    const marks = markTags(text);
    const document = parseDocument(marks.marked, { merge: true });
    if (document.errors.length > 0) return stringify(after, STYLE);
    moveSpec(document, isJson(after) ? after.kind : undefined);
    const changes = new Changes(document, marks);
    const contents = changes.changed(document.contents, after);
    if (contents === document.contents && changes.count === 0) return text;
    document.contents = contents as typeof document.contents;
    const changed = marks.restore(document.toString(STYLE));
    // An alias may have changed wrongly with its original.
    return isSame(YAML_FORM.read(changed), after) ? changed : stringify(after, STYLE);
  },
};

/** Moves the workflow's spec with its comments: into a CronWorkflow's own spec with a schedule, and back without one. */
function moveSpec(document: Document, kindAfter: unknown): void {
  const kindBefore = document.get('kind');
  const spec = document.get('spec', true);
  if (kindBefore === kindAfter || !isMap(spec)) return;
  if (kindAfter === 'CronWorkflow') {
    const outer = new YAMLMap(document.schema);
    outer.set('workflowSpec', spec);
    document.set('spec', outer);
  } else if (kindBefore === 'CronWorkflow' && spec.has('workflowSpec')) {
    document.set('spec', spec.get('workflowSpec', true));
  }
}

/** Updates the nodes of a document to a value: unchanged nodes stay, with their comments. */
class Changes {
  readonly #document: Document;
  readonly #marks: TagMarks;
  /** Number of changed nodes. */
  count = 0;

  constructor(document: Document, marks: TagMarks) {
    this.#document = document;
    this.#marks = marks;
  }

  changed(node: unknown, after: unknown): unknown {
    const before = isNode(node) ? valueIn(node, this.#document, this.#marks) : node;
    if (isSame(before, after)) return node;
    this.count += 1;
    if (isMap(node) && isJson(after)) return this.#map(node, after);
    if (isSeq(node) && Array.isArray(after)) return this.#list(node, after);
    const made = this.#made(after);
    if (isScalar(node) && isScalar(made)) {
      // Keeps its comments.
      const { comment, commentBefore, spaceBefore } = node;
      Object.assign(made, { comment, commentBefore, spaceBefore });
    }
    return made;
  }

  #map(map: YAMLMap, after: Readonly<Record<string, unknown>>): YAMLMap {
    const wanted = Object.entries(after).filter(([, value]) => value !== undefined);
    const names = new Set(wanted.map(([name]) => name));
    const nameOf = (key: unknown): string => {
      const name = this.#marks.restoreValue(isScalar(key) ? String(key.value) : String(key));
      return String(name);
    };
    // An empty map is `{}`; new entries go on lines of their own.
    if (map.items.length === 0) map.flow = false;
    map.items = map.items.filter((pair) => names.has(nameOf(pair.key)));
    for (const [name, value] of wanted) {
      const pair = map.items.find(({ key }) => nameOf(key) === name);
      if (pair === undefined) map.items.push(this.#document.createPair(name, this.#made(value)));
      else pair.value = this.changed(pair.value, value);
    }
    return map;
  }

  /** Items match if they are equal or have the same name. */
  #list(list: YAMLSeq, after: readonly unknown[]): YAMLSeq {
    if (list.items.length === 0) list.flow = false;
    const open = list.items.map((item) => ({
      item,
      value: isNode(item) ? valueIn(item, this.#document, this.#marks) : item,
    }));
    const take = (fits: (value: unknown) => boolean): unknown => {
      const place = open.findIndex(({ value }) => fits(value));
      return place < 0 ? undefined : open.splice(place, 1)[0]?.item;
    };
    const equal = after.map((value) => take((one) => isSame(one, value)));
    list.items = after.map((value, place) => {
      if (equal[place] !== undefined) return equal[place];
      const name = nameIn(value);
      const found = name === undefined ? undefined : take((one) => nameIn(one) === name);
      return found === undefined ? this.#made(value) : this.changed(found, value);
    });
    return list;
  }

  /** Quotes new texts with tags, in which YAML would otherwise see mappings. */
  #made(value: unknown): Node {
    const node = this.#document.createNode(value) as Node;
    visit(node, {
      Scalar: (_key, scalar) => {
        if (typeof scalar.value !== 'string' || !scalar.value.includes('{{') || scalar.value.includes('\n'))
          return;
        scalar.value = this.#marks.mark(scalar.value);
        scalar.type = Scalar.QUOTE_DOUBLE;
      },
    });
    return node;
  }
}

function nameIn(value: unknown): unknown {
  return isJson(value) ? value.name : Array.isArray(value) && value.length > 0 ? nameIn(value[0]) : undefined;
}

function isNode(value: unknown): value is Node {
  return value !== null && typeof value === 'object' && !isPair(value);
}

/** Whether two values are equal, ignoring the order of fields. */
function isSame(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, place) => isSame(item, other[place]));
  }
  if (!isJson(one) || !isJson(other)) return Object.is(one, other);
  const names = Object.keys(one).filter((name) => one[name] !== undefined);
  return (
    names.length === Object.keys(other).filter((name) => other[name] !== undefined).length &&
    names.every((name) => isSame(one[name], other[name]))
  );
}
