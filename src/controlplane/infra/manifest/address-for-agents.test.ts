import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressForAgents } from './address-for-agents.ts';

const SERVICE = 'http://turnsole-control-plane.litmus:9002';

test('agents are not sent to the loopback of who has forwarded a port', () => {
  const rows: readonly (readonly [string, string | undefined, string | undefined, string])[] = [
    ['http://localhost:9002', undefined, SERVICE, SERVICE],
    ['http://127.0.0.1:40123', undefined, SERVICE, SERVICE],
    ['https://[::1]:9002', undefined, SERVICE, SERVICE],
    ['https://chaos.example.com', undefined, SERVICE, 'https://chaos.example.com'],
    ['http://localhost.example.com', undefined, SERVICE, 'http://localhost.example.com'],
    // A server outside of clusters, and one whose operator has said an address.
    ['http://localhost:9002', undefined, undefined, 'http://localhost:9002'],
    ['http://localhost:9002', 'http://localhost:9002', SERVICE, 'http://localhost:9002'],
  ];
  for (const [reached, publicUrl, serviceUrl, expected] of rows) {
    const settings = { publicUrl, ...(serviceUrl !== undefined && { serviceUrl }) };
    assert.equal(addressForAgents(reached, settings), expected, reached);
  }
});
