import { basename, dirname } from 'node:path';

const byHelm = (folder: string): string =>
  `${folder} is a Helm chart; render it: helm template ${folder} > k8s/app.yaml`;
const byKustomize = (folder: string): string =>
  `${folder} is for kustomize; render it: kubectl kustomize ${folder} > k8s/app.yaml`;

/** Files of tools that make manifests, by their names: what makes them of the files of a folder. */
const MADE_BY: ReadonlyMap<string, (folder: string) => string> = new Map([
  ['Chart.yaml', byHelm],
  ['kustomization.yaml', byKustomize],
  ['kustomization.yml', byKustomize],
  ['Kustomization', byKustomize],
]);

/** What a file is that another tool makes manifests of, and how, by its name; undefined for other names. Pure. */
export function madeBy(file: string): string | undefined {
  return MADE_BY.get(basename(file))?.(dirname(file));
}

/** What a document is that is no Kubernetes object, and what to do; undefined where that is not known. Pure. */
export function otherForm(file: string, value: Readonly<Record<string, unknown>>): string | undefined {
  const { services, apiVersion } = value;
  if (apiVersion === undefined && typeof services === 'object' && services !== null)
    return `${file} is a compose file; make manifests of it: kompose convert -f ${file} -o k8s/`;
  if (/^turnsole\.ya?ml$/.test(basename(file)))
    return `${file} has settings, which are read by themselves where it lies; name the manifests alone`;
  return madeBy(file);
}
