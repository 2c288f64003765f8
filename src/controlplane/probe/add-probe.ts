import { audit } from '../access/audit.ts';
import { type Context, memberOf, userOf } from '../access/context.ts';
import { Refusal } from '../access/refusal.ts';
import type { Probe, ProbeRequest } from '../schema/generated/types.ts';
import { projectScope } from '../store/store.ts';
import { asProbe } from './probe-answers.ts';
import { bodyOfRequest } from './probe-request.ts';
import { insertProbe } from './write-probes.ts';

/** Adds a probe to a project. @throws Refusal */
export async function addProbe(request: ProbeRequest, context: Context): Promise<Probe> {
  const { project } = memberOf(context);
  const { username } = userOf(context);
  const { name, type, description, tags } = request;
  if (name.trim() === '') throw new Refusal('invalid', 'name is empty', { fields: ['request.name'] });
  const body = bodyOfRequest(request);
  return context.transaction(projectScope(project), async (tx) => {
    const texts = { description: description ?? '', tags: tags ?? [] };
    const row = await insertProbe(tx, { project, username }, { name, type, body }, texts);
    if (row === undefined)
      throw new Refusal('conflict', 'probe already exists', { fields: ['request.name'] });
    const probe = asProbe(row);
    await audit(tx, context, { project, kind: 'probe', id: name, after: probe });
    return probe;
  });
}
