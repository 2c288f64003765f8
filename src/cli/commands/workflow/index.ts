import type { Command } from 'commander';
import type { Done } from '../../common-options.ts';
import { addControl } from './control.ts';
import { addCron } from './cron.ts';
import { addLint } from './lint.ts';
import { addLook } from './look.ts';
import { addSubmit } from './submit.ts';
import { addTemplates } from './template.ts';

/** `turnsole workflow …`, with the words of `argo`. */
export function addWorkflow(program: Command, done: Done): void {
  const workflow = program
    .command('workflow')
    .alias('wf')
    .description('workflows of Argo: submit, list, get, watch, logs, lint, stop, retry and more');
  for (const add of [addSubmit, addLook, addLint, addControl, addTemplates, addCron]) add(workflow, done);
}
