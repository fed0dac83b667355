import { expect, test } from 'bun:test';
import { checkRequest, fieldOfSubject, requestValues, toSubject } from './request-form.ts';

const values = requestValues('hub.example.org');

test('names are sent once each, the common name first, and empty fields are left out', () => {
  const further = ' relay.example.org\n192.0.2.7, hub.example.org;relay.example.org\n';
  expect(toSubject({ ...values, further, organization: ' Studio ', country: 'de' })).toEqual({
    names: ['hub.example.org', 'relay.example.org', '192.0.2.7'],
    organization: 'Studio',
    country: 'DE',
    key: 'ec',
  });
});

test.each([
  [{ host: '' }, { host: 'required' }],
  [{ host: 'not a host' }, { host: 'host' }],
  [{ further: 'good.example\n-bad-' }, { further: 'host' }],
  [{ country: 'Germany' }, { country: 'format' }],
  [{ organization: 'x'.repeat(65) }, { organization: 'tooLong?max=64' }],
  [{ host: '*.example.org' }, {}],
])('a fault is shown at its field: %p', (change, faults) => {
  expect(checkRequest({ ...values, ...change })).toEqual(faults);
});

test('faults of the hub belong to the same fields', () => {
  expect(['names.0', 'names.3', 'names', 'country'].map(fieldOfSubject)).toEqual([
    'host',
    'further',
    'further',
    'country',
  ]);
});
