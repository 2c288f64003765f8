/** A page as Prometheus reads it. */
export interface Page {
  readonly contentType: string;
  /** In pieces of UTF-8 where it is large. Each lies where the one before did. */
  readonly body: string | Iterable<Uint8Array>;
}

/** A small page, as a whole. */
export interface TextPage extends Page {
  readonly body: string;
}
