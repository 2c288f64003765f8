/** Turns objects into the bytes of an answer, in the view the client asked for. */
import type { Version } from '../../store/index.ts';
import { type Accepted, negotiate } from '../http/accept.ts';
import { badRequest } from '../http/status.ts';
import type { ApiObject } from '../object.ts';
import { bytesOf, objectOf, serve } from '../registry/encode.ts';
import type { ServedKind } from '../registry/registry.ts';
import type { Column } from '../tables/column.ts';
import { type IncludeObject, partialMetadata, tableHead, tableRow } from '../tables/table.ts';

export interface ListMeta {
  readonly resourceVersion: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

/** A way to show objects. Instances belong to one request. */
export class Renderer {
  readonly #kind: ServedKind;
  readonly #accepted: Accepted;
  readonly #include: IncludeObject;
  readonly #now: number;

  constructor(kind: ServedKind, accept: string | undefined, includeObject: string | null, now: number) {
    this.#kind = kind;
    this.#accepted = negotiate(accept);
    this.#include = readInclude(this.#accepted, includeObject);
    this.#now = now;
  }

  /** Whether stored bytes can be sent as they are. */
  get isPlain(): boolean {
    return this.#accepted.view === 'object';
  }

  get #columns(): readonly Column[] {
    return this.#kind.version.columns ?? this.#kind.definition.columns;
  }

  #conditions(object: ApiObject): readonly object[] | undefined {
    return this.#kind.definition.rowConditions?.(object);
  }

  /** A stored version. */
  version(version: Version): Buffer {
    return this.isPlain ? bytesOf(this.#kind, version) : this.object(serve(this.#kind, objectOf(version)));
  }

  /** An object in served form, e.g. of a dry run. `isFirst` is false for later events of one watch. */
  object(object: ApiObject, isFirst = true, now = this.#now): Buffer {
    const { view, version } = this.#accepted;
    switch (view) {
      case 'object':
        return json(object);
      case 'metadata':
        return json(partialMetadata(object, version));
      case 'table':
        return json({
          ...tableHead(version, isFirst ? this.#columns : undefined),
          metadata: { resourceVersion: object.metadata.resourceVersion ?? '' },
          rows: [tableRow(object, this.#columns, now, this.#include, version, this.#conditions(object))],
        });
    }
  }

  /** A list, as pieces that are sent one after the other. */
  list(versions: readonly Version[], metadata: ListMeta): Buffer[] {
    const { view, version } = this.#accepted;
    const { definition, apiVersion } = this.#kind;
    if (view === 'table') {
      const rows = versions.map((item) =>
        tableRow(
          serve(this.#kind, objectOf(item)),
          this.#columns,
          this.#now,
          this.#include,
          version,
          this.#conditions(objectOf(item)),
        ),
      );
      return [json({ ...tableHead(version, this.#columns), metadata, rows })];
    }
    if (view === 'metadata') {
      const items = versions.map((item) => partialMetadata(objectOf(item), version));
      return [
        json({ kind: 'PartialObjectMetadataList', apiVersion: `meta.k8s.io/${version}`, metadata, items }),
      ];
    }
    // Lists of custom resources always say where they go on.
    const meta =
      this.#kind.version.type === undefined ? { ...metadata, continue: metadata.continue ?? '' } : metadata;
    const head = JSON.stringify({ kind: definition.listKind, apiVersion, metadata: meta }).slice(0, -1);
    const pieces: Buffer[] = [Buffer.from(`${head},"items":[`)];
    for (const [index, item] of versions.entries()) {
      if (index > 0) pieces.push(COMMA);
      pieces.push(...itemBytes(this.#kind, bytesOf(this.#kind, item)));
    }
    pieces.push(LIST_END);
    return pieces;
  }
}

/**
 * An item as a list holds it: typed lists leave kind and apiVersion to the list itself. Those two always come first, so
 * the rest is a part of the bytes that everybody shares.
 */
function itemBytes({ definition, version, apiVersion }: ServedKind, bytes: Buffer): Buffer[] {
  if (version.type === undefined) return [bytes];
  const prefix = `{"kind":${JSON.stringify(definition.kind)},"apiVersion":${JSON.stringify(apiVersion)},`;
  const isPrefixed = bytes.subarray(0, prefix.length).toString('latin1') === prefix;
  return isPrefixed ? [OPEN, bytes.subarray(prefix.length)] : [bytes];
}

function readInclude({ view }: Accepted, text: string | null): IncludeObject {
  if (text === 'None' || text === 'Object' || text === 'Metadata') return text;
  if (view === 'table' && text !== null && text !== '') {
    const why = `includeObject: Invalid value: ${JSON.stringify(text)}: must be 'Metadata', 'Object', 'None', or empty`;
    throw badRequest(`Unable to convert to Table as requested: ${why}`);
  }
  return 'Metadata';
}

const OPEN = Buffer.from('{');
const COMMA = Buffer.from(',');
const LIST_END = Buffer.from(']}');

function json(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}
