import type { Tunable } from '../tunables.ts';
import { formatDuration } from './duration.ts';

/** What values a setting takes, as part of a sentence: `a whole number of seconds from 1`. Pure. */
export function describeForm(tunable: Tunable): string {
  switch (tunable.type) {
    case 'integer':
    case 'number':
      return describeNumber(tunable);
    case 'percentage': {
      const { minimum = 0, maximum = 100, range } = tunable;
      return `a percentage from ${minimum} to ${maximum}${range === true ? ' or a range low-high' : ''}`;
    }
    case 'duration': {
      const { unit, minimumMs = 0, maximumMs } = tunable;
      const example = unit === 'seconds' ? '10s' : '250ms';
      return `a time such as ${example}, or a number of ${unit}, from ${formatDuration(minimumMs)} to ${formatDuration(maximumMs)}`;
    }
    case 'boolean':
      return 'true or false';
    case 'choice':
      return `one of ${tunable.choices.join(', ')}`;
    case 'text':
      return (
        tunable.form ?? (tunable.pattern === undefined ? 'text' : `text that matches ${tunable.pattern}`)
      );
    case 'list':
      return `a list separated by commas${itemForm(tunable)}`;
    case 'map':
      return 'a JSON object of texts, or key:value separated by commas';
  }
}

function itemForm({ pattern, form }: { readonly pattern?: string; readonly form?: string }): string {
  if (form !== undefined) return `, each ${form}`;
  return pattern === undefined ? '' : `, each matching ${pattern}`;
}

function describeNumber(tunable: Extract<Tunable, { type: 'integer' | 'number' }>): string {
  const words = [tunable.type === 'integer' ? 'a whole number' : 'a number'];
  if (tunable.unit !== undefined) words.push(`of ${tunable.unit}`);
  words.push(`from ${tunable.minimum} to ${tunable.maximum}`);
  if (tunable.range === true) words.push('or a range low-high');
  return words.join(' ');
}
