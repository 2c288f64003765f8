import { affectedCount } from '../../../src/experiment/targets/sample.ts';
import type { Step } from './draft.ts';

/** How many pods a round of a fault hits, of those with the label now; undefined if the settings do not say. Pure. */
export function podsHit(
  { settings }: Pick<Step, 'settings'>,
  matching: number,
): { readonly least: number; readonly most: number } | undefined {
  const named = (settings.TARGET_PODS ?? '').split(',').filter((name) => name.trim() !== '').length;
  if (named > 0) return { least: named, most: named };
  const share = (settings.PODS_AFFECTED_PERC ?? '').trim();
  const [, low = '', high = low] = /^(\d+)(?:-(\d+))?$/.exec(share === '' ? '0' : share) ?? [];
  if (low === '') return undefined;
  return { least: affectedCount(matching, Number(low)), most: affectedCount(matching, Number(high)) };
}

/** That as a sentence: "About 1 of 3 pods in each round." */
export function podsHitWords(hit: ReturnType<typeof podsHit>, matching: number): string {
  if (matching === 0) return 'No pod has this label now.';
  const pods = matching === 1 ? '1 pod has this label now' : `${matching} pods have this label now`;
  if (hit === undefined) return `${pods}.`;
  const { least, most } = hit;
  return `About ${least === most ? least : `${least} to ${most}`} of ${matching} would be hit in each round: ${pods}.`;
}
