import { aws } from './aws.ts';
import { azure } from './azure.ts';
import { gcp } from './gcp.ts';
import type { Vendor } from './scene.ts';
import { vmware } from './vmware.ts';

/** The vendors by their names. */
export const VENDORS: Readonly<Record<string, Vendor>> = { aws, azure, gcp, vmware };
