import type { Probe } from '../schema/probe.ts';

/**
 * Templates in probe inputs: `{{ .check-one.ProbeArtifacts.Register }}` stands for the output that the cmdProbe
 * `check-one` had when it passed last.
 *
 * Only this form (and `{{ (index . "check-one").ProbeArtifacts.Register }}`, which upstream needs for names with `-`) is
 * replaced. Any other `{{…}}` belongs to another tool, such as `docker ps --format '{{.ID}}'`, and stays as it is.
 */
const REFERENCE =
  /(\s*\{\{-\s|\{\{)\s*(?:\.(?<name>[^\s{}"]+?)|\(?\s*index\s+\.\s+"(?<quoted>[^"{}]+)"\s*\)?)\.ProbeArtifacts\.Register\s*(\s-\}\}\s*|\}\})/gu;

/** Names of the probes whose output `text` uses, in order of appearance. Pure. */
export function templateReferences(text: string): string[] {
  return [...text.matchAll(REFERENCE)].map((match) => referencedName(match.groups));
}

/** The text with each reference replaced by the value of `outputOf` for its probe. */
export function replaceReferences(text: string, outputOf: (probe: string) => string): string {
  return text.replace(REFERENCE, (...args) => {
    // The last argument of a replacer is the groups object when the pattern has named groups (ECMAScript).
    const groups: unknown = args.at(-1);
    return outputOf(referencedName(isGroups(groups) ? groups : undefined));
  });
}

function isGroups(value: unknown): value is Record<string, string | undefined> {
  return typeof value === 'object' && value !== null;
}

function referencedName(groups: Record<string, string | undefined> | undefined): string {
  return groups?.name ?? groups?.quoted ?? '';
}

/** Inputs of a probe that may hold templates, as upstream has it. Pure. */
export function templatedInputs(
  probe: Probe,
): readonly { readonly path: (string | number)[]; readonly text: string }[] {
  const { type, 'httpProbe/inputs': http, 'cmdProbe/inputs': cmd, 'k8sProbe/inputs': k8s } = probe;
  if (type === 'loadProbe') {
    return (probe['loadProbe/inputs']?.requests ?? []).flatMap((request, index) =>
      typeof request?.url === 'string'
        ? [{ path: ['loadProbe/inputs', 'requests', index, 'url'], text: request.url }]
        : [],
    );
  }
  const fields: Readonly<Record<string, unknown>> =
    type === 'httpProbe'
      ? { url: http?.url }
      : type === 'cmdProbe'
        ? { command: cmd?.command }
        : type === 'k8sProbe'
          ? {
              resourceNames: k8s?.resourceNames,
              labelSelector: k8s?.labelSelector,
              fieldSelector: k8s?.fieldSelector,
            }
          : {};
  return Object.entries(fields).flatMap(([field, text]) =>
    typeof text === 'string' ? [{ path: [`${type}/inputs`, field], text }] : [],
  );
}
