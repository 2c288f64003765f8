import assert from 'node:assert/strict';
import { test } from 'node:test';
import { baseOf, kindOf } from './vcenter.ts';
import { lookAtMachine } from './vm-poweroff.ts';

test('a machine by its power', () => {
  const rows = { POWERED_ON: 'there', POWERED_OFF: 'taken', SUSPENDED: 'part' };
  for (const [power, state] of Object.entries(rows)) assert.equal(lookAtMachine(power).state, state);
  assert.equal(lookAtMachine(undefined).state, 'gone');
});

test('addresses', () => {
  assert.equal(baseOf('vcenter.example'), 'https://vcenter.example');
  assert.equal(baseOf('vcenter.example:8443/'), 'https://vcenter.example:8443');
  assert.equal(baseOf('https://vcenter.example/'), 'https://vcenter.example');
});

test('errors by what may be done about them', () => {
  const rows = [
    [401, '', 'denied'],
    [403, '', 'denied'],
    [404, '', 'gone'],
    [429, '', 'throttled'],
    [400, 'com.vmware.vapi.std.errors.already_in_desired_state', 'busy'],
    [503, 'com.vmware.vapi.std.errors.service_unavailable', 'unavailable'],
    [500, 'com.vmware.vapi.std.errors.unable_to_allocate_resource', 'refused'],
    [500, '', 'unavailable'],
    [400, 'com.vmware.vapi.std.errors.invalid_argument', 'refused'],
  ] as const;
  for (const [status, text, kind] of rows) assert.equal(kindOf({ status, text }), kind, `${status} ${text}`);
});
