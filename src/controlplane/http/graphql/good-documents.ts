import type { DocumentNode, GraphQLSchema } from 'graphql';

/** As many as programs have: agents send one all the time, a page some dozens. */
const MOST_DOCUMENTS = 256;
/** Longer ones hold data of one request, which does not come again; what is kept of hostile clients stays below some megabytes. */
const MOST_CHARACTERS = 3_000;

/** Documents that were parsed and found good for a schema: who sends the same again does not have it checked again. */
export class GoodDocuments {
  readonly #bySchema = new WeakMap<GraphQLSchema, Map<string, DocumentNode>>();

  /** A document that was kept under the same rules; undefined where there is none. */
  find(schema: GraphQLSchema, text: string, rules: string): DocumentNode | undefined {
    const documents = this.#bySchema.get(schema);
    const key = keyOf(text, rules);
    const document = documents?.get(key);
    if (document === undefined) return undefined;
    // The one that was asked for last is the last that goes.
    documents?.delete(key);
    documents?.set(key, document);
    return document;
  }

  /** Keeps a document; that which nobody has asked for the longest goes when there are too many. */
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
