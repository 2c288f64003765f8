import { type Context, memberOf } from '../access/context.ts';
import { found, Refusal } from '../access/refusal.ts';
import type {
  ChaosHubStatus,
  ExperimentRequest,
  FaultDetails,
  ListChaosHubRequest,
} from '../schema/generated/types.ts';
import type { HubRow } from '../store/tables/hubs.ts';
import type { HubFolder } from './content/hub-folder.ts';
import { isHubName } from './content/names.ts';
import { type HubTotals, hubTotals, readFault } from './content/read-hub.ts';
import { libraryOf, openCopy } from './copies.ts';
import { DEFAULT_HUB_ID, defaultHubStatus, openDefaultHub } from './default-hub.ts';
import { asHubStatus, hubRow, hubRows, isListed } from './hubs.ts';

/** The hubs of a project, the default one first. */
export async function listHubs(
  request: ListChaosHubRequest | null | undefined,
  context: Context,
): Promise<ChaosHubStatus[]> {
  const rows = await hubRows(context.plane.store.read, memberOf(context).project);
  const own = await Promise.all(rows.map((row) => statusOf(row, context)));
  return [await defaultHubStatus(), ...own].filter((hub) => isListed(hub, request));
}

/** One hub of a project. @throws Refusal if there is none */
export async function getHub(id: string, context: Context): Promise<ChaosHubStatus> {
  if (id === DEFAULT_HUB_ID) return defaultHubStatus();
  return statusOf(await rowOf(id, context), context);
}

async function statusOf(row: HubRow, { plane }: Context): Promise<ChaosHubStatus> {
  const copy = await libraryOf(plane).open(row.id);
  return asHubStatus(row, copy && (await countedOf(copy)));
}

/** Totals by copy, cached because a list requests all of them every few seconds. */
const COUNTED = new Map<string, Promise<HubTotals>>();
const MOST_COUNTED = 1_000;

function countedOf(copy: HubFolder): Promise<HubTotals> {
  const known = COUNTED.get(copy.path);
  if (known !== undefined) return known;
  if (COUNTED.size >= MOST_COUNTED) COUNTED.clear();
  const counted = hubTotals(copy);
  COUNTED.set(copy.path, counted);
  counted.catch(() => COUNTED.delete(copy.path));
  return counted;
}

async function rowOf(id: string, context: Context): Promise<HubRow> {
  return found(
    await hubRow(context.plane.store.read, memberOf(context).project, id),
    `no hub ${id} in this project`,
  );
}

/** The files of a hub of the caller's project. @throws Refusal if there is none, or it cannot be fetched */
export async function openHub(id: string, context: Context): Promise<HubFolder> {
  return id === DEFAULT_HUB_ID ? openDefaultHub() : openCopy(context.plane, await rowOf(id, context));
}

/** The files of a fault. @throws Refusal for an invalid name, and for a missing fault */
export async function getFault(
  { category, experimentName, hubID }: ExperimentRequest,
  context: Context,
): Promise<FaultDetails> {
  for (const [field, name] of Object.entries({ category, experimentName })) {
    if (isHubName(name)) continue;
    const sentence = `${field} is no name: letters, digits, dots, dashes and underscores`;
    throw new Refusal('invalid', sentence, { fields: [`request.${field}`] });
  }
  const hub = await openHub(hubID, context);
  return found(
    await readFault(hub, category, experimentName),
    `the hub has no fault ${category}/${experimentName}`,
  );
}
