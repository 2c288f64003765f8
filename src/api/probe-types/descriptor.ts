/** What all programs know of a type of probes. */
export interface ProbeTypeDescriptor {
  /** The word in the field `type`; the inputs stand under `<name>/inputs`. */
  readonly name: string;
  /** Begin of its two codes, `<code>_PROBE_ERROR` and `<code>_PROBE_FAILURE`. */
  readonly code: string;
  /** Its name with its article in a sentence. */
  readonly named: string;
  /** What one measurement is, in a sentence about many. */
  readonly measures: 'request' | 'measurement';
  /**
   * Whether a server may have one measured outside of a run: `always` unless the agent's ALLOWED_PROBES leaves it out, by a server on the
   * user's machine as well; `when allowed` if ALLOWED_PROBES names it; `never`.
   */
  readonly trial: 'always' | 'when allowed' | 'never';
  /** Its words in the error catalogue, where those of all types do not fit. */
  readonly errors?: {
    readonly error?: { readonly means: string; readonly todo: string };
    readonly failure?: { readonly means: string };
  };
  /** For types that ChaosCenter's API has, which projects keep; others stay in the manifest of their experiment. */
  readonly project?: {
    /** The API's name of its properties. */
    readonly properties: string;
    /** The API's name of the type in errors. */
    readonly word: string;
    /** Properties that the API requires, with values for a manifest that omits them. */
    readonly required: Readonly<Record<string, unknown>>;
    /** What it checks, in the page's list of types. */
    readonly checks: string;
  };
}
