import type { InjectionEffect } from '../../api/index.ts';
import { ASSAULT_FLAGS, type Members } from './assaults.ts';
import type { MonkeyConfiguration } from './chaos-monkey.ts';

/** Whether the application was ended: another container runs, or none. Pure. */
export function killEffect(before: string, now: string | undefined): InjectionEffect {
  return now === before
    ? {
        seen: false,
        message:
          'the application has not ended: the container that ran before still does; look at its Chaos Monkey',
      }
    : { seen: true, message: 'the application has ended' };
}

/**
 * The effect by the settings of a Chaos Monkey at the end of an assault: one that was switched off meanwhile had no effect from
 * then on. Undefined while it is in force: whether a call came is not known. Pure.
 */
export function assaultEffect(
  wanted: Members,
  { enabled, assaults = {} }: MonkeyConfiguration,
): InjectionEffect | undefined {
  const off = ASSAULT_FLAGS.filter((flag) => wanted[flag] === true && assaults[flag] === false);
  if (enabled !== false && off.length === 0) return undefined;
  const what =
    enabled === false
      ? 'its Chaos Monkey is'
      : `${off.join(', ')} of its Chaos Monkey ${off.length === 1 ? 'is' : 'are'}`;
  return {
    seen: false,
    message: `${what} switched off by another client; leave it alone while the fault lasts`,
  };
}
