import type { DocumentNode, GraphQLSchema } from 'graphql';

/** Enough for programs: an agent repeats one document, a page some dozens. */
const MOST_DOCUMENTS = 256;
/** Longer documents contain data of one request and are not repeated; this also limits what hostile clients can store to some megabytes. */
const MOST_CHARACTERS = 3_000;

/** A cache of validated documents by schema, so that a repeated document is not validated again. */
export class DocumentCache {
  readonly #bySchema = new WeakMap<GraphQLSchema, Map<string, DocumentNode>>();

  /** A document cached under the same rules; undefined if there is none. */
  find(schema: GraphQLSchema, text: string, rules: string): DocumentNode | undefined {
    const documents = this.#bySchema.get(schema);
    const key = keyOf(text, rules);
    const document = documents?.get(key);
    if (document === undefined) return undefined;
    // Moves it to the end: the least recently used is dropped first.
    documents?.delete(key);
    documents?.set(key, document);
    return document;
  }

  /** Caches a document, and drops the least recently used one if there are too many. */
  keep(schema: GraphQLSchema, text: string, rules: string, document: DocumentNode): void {
    if (text.length > MOST_CHARACTERS) return;
    const documents = this.#bySchema.get(schema) ?? new Map<string, DocumentNode>();
    this.#bySchema.set(schema, documents);
    documents.set(keyOf(text, rules), document);
    const [oldest] = documents.keys();
    if (documents.size > MOST_DOCUMENTS && oldest !== undefined) documents.delete(oldest);
  }
}

function keyOf(text: string, rules: string): string {
  return `${rules} ${text}`;
}
