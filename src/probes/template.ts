/**
 * Templates in probe inputs: `{{ .check-one.ProbeArtifacts.Register }}` stands for the output that the cmdProbe
 * `check-one` had when it passed last.
 *
 * Only this form (and `{{ (index . "check-one").ProbeArtifacts.Register }}`, which upstream needs for names with `-`) is
 * replaced. Any other `{{…}}` belongs to another tool, such as `docker ps --format '{{.ID}}'`, and stays as it is.
 * Values are inserted as they are, without HTML escaping.
 */

const REFERENCE =
  /(\s*\{\{-\s|\{\{)\s*(?:\.(?<name>[^\s{}"]+?)|\(?\s*index\s+\.\s+"(?<quoted>[^"{}]+)"\s*\)?)\.ProbeArtifacts\.Register\s*(\s-\}\}\s*|\}\})/gu;

/** A template names a probe that has no output (yet). */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';
  readonly probe: string;

  constructor(probe: string, known: readonly string[]) {
    const others =
      known.length === 0 ? 'no probe has passed with an output yet' : `known: ${known.join(', ')}`;
    super(
      `template {{ .${probe}.ProbeArtifacts.Register }}: there is no output of a passed cmdProbe '${probe}' (${others}); ` +
        'a template can use cmdProbes that ran and passed before it',
    );
    this.probe = probe;
  }
}

/** Names of the probes whose output `text` uses, in order of appearance. Pure. */
export function templateReferences(text: string): string[] {
  return [...text.matchAll(REFERENCE)].map((match) => referencedName(match.groups));
}

/**
 * Gives `text` with every reference replaced by the registered output. Pure.
 *
 * @throws TemplateError for a probe without output; nothing is ever replaced by an empty text silently
 */
export function renderTemplate(text: string, registered: ReadonlyMap<string, string>): string {
  return text.replace(REFERENCE, (...args) => {
    // The last argument of a replacer is the groups object when the pattern has named groups (ECMAScript).
    const groups: unknown = args.at(-1);
    const name = referencedName(isGroups(groups) ? groups : undefined);
    const output = registered.get(name);
    if (output === undefined) throw new TemplateError(name, [...registered.keys()]);
    return output;
  });
}

function isGroups(value: unknown): value is Record<string, string | undefined> {
  return typeof value === 'object' && value !== null;
}

function referencedName(groups: Record<string, string | undefined> | undefined): string {
  return groups?.name ?? groups?.quoted ?? '';
}
