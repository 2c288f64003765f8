import { isObject } from '@turnsole/kube/text/json';
import { parse } from 'yaml';
import type { Chart, FaultList } from '../../schema/generated/types.ts';
import { isHubName } from './names.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Files of a category, and the faults with a folder in it. */
interface CategoryFiles {
  readonly category: string;
  /** Text of the category's catalogue, and of its package; undefined if missing. */
  readonly catalogue: string | undefined;
  readonly packaged: string | undefined;
  readonly faults: readonly string[];
}

/**
 * A category with the description from its catalogue. Missing fields are empty, and a catalogue that is no YAML counts as missing; the faults
 * are listed anyway. Faults without a folder are left out, faults without a description get their name. Pure.
 */
export function readChart({ category, catalogue, packaged, faults }: CategoryFiles): Chart {
  const { apiVersion, kind, metadata, spec } = fieldsOf(catalogue);
  const [head, body] = [fields(metadata), fields(spec)];
  const annotations = fields(head.annotations);
  return {
    apiVersion: text(apiVersion),
    kind: text(kind, 'ChartServiceVersion'),
    metadata: {
      name: category,
      version: text(head.version),
      annotations: {
        categories: text(annotations.categories, category),
        vendor: text(annotations.vendor),
        createdAt: text(annotations.createdAt),
        repository: text(annotations.repository),
        support: text(annotations.support),
        chartDescription: text(annotations.chartDescription),
      },
    },
    spec: {
      displayName: text(body.displayName, category),
      categoryDescription: text(body.categoryDescription),
      keywords: texts(body.keywords),
      maturity: text(body.maturity),
      maintainers: list(body.maintainers).map(({ name, email }) => ({
        name: text(name),
        email: text(email),
      })),
      minKubeVersion: text(body.minKubeVersion),
      provider: { name: text(fields(body.provider).name) },
      links: list(body.links).map(({ name, url }) => ({ name: text(name), url: webLink(text(url)) })),
      faults: faultsOf(body.faults, faults),
      experiments: [...faults],
      chaosExpCRDLink: text(body.chaosExpCRDLink),
      platforms: texts(body.platforms),
      chaosType: typeof body.chaosType === 'string' ? body.chaosType : null,
    },
    packageInfo: packageOf(category, packaged, faults),
  };
}

function faultsOf(listed: unknown, faults: readonly string[]): FaultList[] {
  const there = new Set(faults);
  const known = list(listed).flatMap((entry): FaultList[] => {
    const name = text(entry.name);
    if (!there.delete(name)) return [];
    const plan = texts(entry.plan);
    return [
      {
        name,
        displayName: text(entry.displayName, name),
        description: text(entry.description),
        plan: plan.length === 0 ? null : plan,
      },
    ];
  });
  const others = [...there].map((name) => ({ name, displayName: name, description: '', plan: null }));
  return [...known, ...others];
}

function packageOf(
  category: string,
  packaged: string | undefined,
  faults: readonly string[],
): Chart['packageInfo'] {
  const { packageName, faults: listed, experiments } = fieldsOf(packaged);
  const known = list(listed ?? experiments).filter(({ name }) => isHubName(text(name)));
  const entries = known.map(({ name, CSV, desc }) => ({
    name: text(name),
    CSV: text(CSV),
    desc: text(desc),
  }));
  const others = faults.map((name) => ({ name, CSV: `${name}.chartserviceversion.yaml`, desc: name }));
  return { packageName: text(packageName, category), experiments: entries.length === 0 ? others : entries };
}

/** Accepts web addresses only: the page links to them, and a `javascript:` link would run in it. */
function webLink(url: string): string {
  return /^(?:https?:\/\/|[A-Za-z0-9][\w./#-]*$)/.test(url) ? url : '';
}

function fieldsOf(yaml: string | undefined): Fields {
  if (yaml === undefined) return {};
  try {
    return fields(parse(yaml, { logLevel: 'silent' }));
  } catch {
    return {};
  }
}

function fields(value: unknown): Fields {
  return isObject(value) ? value : {};
}

function list(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function text(value: unknown, otherwise = ''): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : otherwise;
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}
