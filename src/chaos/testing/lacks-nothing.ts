import type { MachineLacks } from '../machine-lacks.ts';

/** What a machine that has everything lacks. */
export const LACKS_NOTHING: MachineLacks = { capabilities: [], tools: [] };
