/** A probe of the project, as far as a sentence needs it. */
export interface CheckedProbe {
  readonly name: string;
  readonly kubernetesHTTPProperties?: {
    readonly probeTimeout: string;
    readonly url: string;
    readonly method: { readonly get: { readonly criteria: string; readonly responseCode: string } | null };
  } | null;
}

/** A check as part of a sentence: `http://web:8080/ answers 200 within 1 s`, or `web-answers holds` where it asks something else. Pure. */
export function checkWords({ name, kubernetesHTTPProperties: http }: CheckedProbe): string {
  const asked = http?.method.get;
  if (http === null || http === undefined || asked === null || asked === undefined) return `${name} holds`;
  const code = asked.criteria === '==' ? asked.responseCode : `${asked.criteria} ${asked.responseCode}`;
  return `${http.url} answers ${code} within ${http.probeTimeout.replace(/^(\d+)(ms|s)$/, '$1 $2')}`;
}

/** A name for an experiment that has none: the workload that it hits, and how. Pure. */
export function nameFor(workload: string, fault: string): string {
  const name = `${workload}-${fault}`
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, '-')
    .replace(/^[^a-z]+/, '')
    .slice(0, LONGEST)
    .replace(/-+$/, '');
  return name === fault ? '' : name;
}

/** Longest name of an experiment. */
const LONGEST = 50;
