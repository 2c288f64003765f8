import type { Version } from '../../store/index.ts';
import { carryOut } from '../admission/webhooks/carry-out.ts';
import type { ApiReply } from '../http/exchange.ts';
import { TurnBudget } from '../http/turn-budget.ts';
import { deleting } from '../registry/delete.ts';
import { type ResourceRequest, writeContext } from '../request/request.ts';
import { isSelected, parseSelection } from '../selectors/selection.ts';
import { readDeleteOptions } from './delete-options.ts';
import { listReply } from './list-reply.ts';
import { Renderer } from './render.ts';

export async function handleDeleteCollection(request: ResourceRequest): Promise<ApiReply> {
  const { env, kind, info, query, http } = request;
  const { definition } = kind;
  const { options, dryRuns } = await readDeleteOptions(request);
  const context = writeContext(request, dryRuns);
  const selection = parseSelection(definition, query);
  const { versions } = env.store.list(definition.table, definition.namespaced ? info.namespace : undefined);
  const items: Version[] = [];
  const turn = new TurnBudget();
  for (const version of versions) {
    if (turn.isSpent) await turn.next();
    if (!isSelected(definition, selection, version)) continue;
    // Meanwhile the object may have been deleted, and a new object of that name created.
    const present = env.store.get(definition.table, version.namespace, version.name);
    if (present?.object.metadata.uid !== version.object.metadata.uid) continue;
    await carryOut(request, () =>
      deleting(env, definition, version.namespace, version.name, options, context),
    );
    // The answer shows what was there before.
    items.push(version);
  }
  const renderer = new Renderer(kind, http.headers.accept, query.get('includeObject'), env.clock.now());
  return listReply(renderer, items, { resourceVersion: String(env.store.revision) }, env.clock);
}
