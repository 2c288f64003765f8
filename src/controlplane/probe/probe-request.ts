import { projectTermsOf } from '../../api/probe-types/index.ts';
import { Refusal } from '../access/refusal.ts';
import type { ProbeRequest } from '../schema/generated/types.ts';
import { entryOf, type ProbeEntry } from './manifest-probe.ts';
import { bodyOfProperties, ProbeSourceError } from './properties.ts';
import { withUnits } from './units.ts';

/**
 * The manifest's form of a request's properties.
 *
 * @param before the stored probe, if there is one
 * @throws Refusal for missing or unreadable properties
 */
export function bodyOfRequest(request: ProbeRequest, before?: ProbeEntry): ProbeEntry {
  const { properties: field, word } = projectTermsOf(request.type);
  const properties = request[field];
  if (properties === null || properties === undefined) {
    throw new Refusal('invalid', `${word} probe type's properties are empty`, {
      fields: [`request.${field}`],
    });
  }
  try {
    return bodyOfProperties(request, { ...properties }, before);
  } catch (error) {
    if (!(error instanceof ProbeSourceError)) throw error;
    throw new Refusal('invalid', error.message, { fields: [`request.${field}.source`] });
  }
}

/** The entry of an engine for a request, without a mode. @throws Refusal */
export function entryOfRequest(request: ProbeRequest): ProbeEntry {
  const { name, type } = request;
  return withUnits(entryOf({ name: name || 'probe', type, body: bodyOfRequest(request) }, 'SOT'));
}
