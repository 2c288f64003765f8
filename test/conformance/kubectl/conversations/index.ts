import type { Theme } from '../harness/conversation.ts';
import { ADMITTING } from './admitting.ts';
import { APPLYING } from './applying.ts';
import { CHANGING } from './changing.ts';
import { CREATING } from './creating.ts';
import { DEFINING } from './defining.ts';
import { DELETING } from './deleting.ts';
import { DESCRIBING } from './describing.ts';
import { DISCOVERING } from './discovering.ts';
import { NODES } from './nodes.ts';
import { PERMITTING } from './permitting.ts';
import { READING } from './reading.ts';
import { ROLLING } from './rolling.ts';
import { RUNNING } from './running.ts';
import { VALIDATING } from './validating.ts';

/** All conversations, by what they are about. */
export const THEMES: readonly Theme[] = [
  READING,
  DESCRIBING,
  DISCOVERING,
  CREATING,
  APPLYING,
  CHANGING,
  ROLLING,
  DELETING,
  VALIDATING,
  ADMITTING,
  DEFINING,
  PERMITTING,
  RUNNING,
  NODES,
];
