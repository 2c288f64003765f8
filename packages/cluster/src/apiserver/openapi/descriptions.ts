/**
 * What Kubernetes says of its own kinds and their fields. It is large and rarely asked for: it is read when a document is made, and forgotten when
 * memory is wanted. Made by `build/generate-kubernetes-descriptions.ts` from what Kubernetes 1.36 publishes; the texts are those of The Kubernetes
 * Authors, under the Apache License 2.0.
 */
import { readFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';

/** A field: what it is for, or that with the values it may have, its default and the values that items of a list may have. */
export type DescribedField =
  | string
  | readonly [
      description: string,
      values?: readonly string[] | null,
      preset?: unknown,
      itemValues?: readonly string[] | null,
    ];

export type DescribedType = readonly [
  description: string,
  required: readonly string[],
  fields: Readonly<Record<string, DescribedField>>,
];

/** By names of types as in `types.json` (`core.v1.Pod`), and of scalars (`resource.Quantity`). */
type Descriptions = Readonly<Record<string, DescribedType>>;

let read: WeakRef<Descriptions> | undefined;

/** The descriptions of all types. Takes about 10 ms when they are not in memory. */
export function descriptions(): Descriptions {
  const known = read?.deref();
  if (known !== undefined) return known;
  const file = new URL('./generated/descriptions.br', import.meta.url);
  const all: Descriptions = JSON.parse(brotliDecompressSync(readFileSync(file)).toString());
  read = new WeakRef(all);
  return all;
}
