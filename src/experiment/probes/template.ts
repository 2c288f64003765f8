import { replaceReferences } from '../../api/validation/probe-templates.ts';

/** A template names a probe that has no output (yet). */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';

  constructor(probe: string, known: readonly string[]) {
    const others =
      known.length === 0 ? 'no probe has passed with an output yet' : `known: ${known.join(', ')}`;
    super(
      `template {{ .${probe}.ProbeArtifacts.Register }}: there is no output of a passed cmdProbe '${probe}' (${others}); ` +
        'a template can use cmdProbes that ran and passed before it',
    );
  }
}

/**
 * Gives `text` with every reference to a cmdProbe replaced by its registered output, as it is: without HTML escaping. Pure.
 *
 * @throws TemplateError for a probe without output; nothing is ever replaced by an empty text silently
 */
export function renderTemplate(text: string, registered: ReadonlyMap<string, string>): string {
  return replaceReferences(text, (name) => {
    const output = registered.get(name);
    if (output === undefined) throw new TemplateError(name, [...registered.keys()]);
    return output;
  });
}
