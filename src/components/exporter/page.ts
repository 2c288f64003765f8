/** A page as Prometheus reads it. */
export interface Page {
  readonly contentType: string;
  /** In pieces where it is large. */
  readonly body: string | Iterable<string>;
}

/** A small page, as a whole. */
export interface TextPage extends Page {
  readonly body: string;
}
