import { faultRegistry } from '../../faults/index.ts';
import { CommandError } from '../../services/errors.ts';
import { findTopic, topicNames } from '../../services/language/explain.ts';
import { formatFault } from '../faults/format-text.ts';
import { explainText } from '../language/explain-text.ts';

/** Explains a kind, a field, a type of probe or a fault, without a cluster. */
export async function run(what: string | undefined): Promise<number> {
  if (what === undefined) {
    console.log(
      `turnsole explain NAME, where NAME is one of ${topicNames().join(', ')}; a path such as ChaosEngine.spec; or a fault`,
    );
    return 0;
  }
  const fault = await faultRegistry.get(what)?.();
  if (fault !== undefined) {
    console.log(formatFault(fault, { all: false }).join('\n'));
    return 0;
  }
  try {
    console.log(explainText(findTopic(what)).join('\n'));
    return 0;
  } catch (error) {
    if (error instanceof RangeError) throw new CommandError(error.message, 'NOT_FOUND');
    throw error;
  }
}
