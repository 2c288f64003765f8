/** `nodetool status` of a ring whose members (RING, separated by blanks) are really asked whether they are there. */
import { ping } from '../ping.mjs';

if (process.argv[2] !== 'status') throw new Error('only status');
const members = process.env.RING.split(' ');
const rows = await Promise.all(
  members.map(async (host) => {
    const status = (await ping(host, Number(process.env.PORT))) ? 'U' : 'D';
    return `${status}N  ${host}  103.2 KiB  16  ${(100 / members.length).toFixed(1)}%  3f0c7a52-0000-4000-8000-000000000000  rack1`;
  }),
);
console.log(
  [
    'Datacenter: dc1',
    '===============',
    'Status=Up/Down',
    '|/ State=Normal/Leaving/Joining/Moving',
    '--  Address  Load  Tokens  Owns (effective)  Host ID  Rack',
    ...rows,
    '',
  ].join('\n'),
);
