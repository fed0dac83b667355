import { expect, test } from 'bun:test';
import { connectionFaults, connectionField, connectionOf, connectionValues } from './connection-form.ts';

const usual = { input: { protocol: 2, latency: 200, 'stream-index': 1 } } as const;

test('without settings of its own, a device begins with those of all devices and sends none', () => {
  const values = connectionValues(null, usual);
  expect(values).toMatchObject({ ownInput: false, inputProtocol: '2', inputLatency: '200', stream: '1' });
  expect(values).toMatchObject({ ownOutput: false, outputProtocol: '0', outputLatency: '120', buffer: '0' });
  expect(connectionOf(values)).toEqual({});
});

test('a side with settings of its own is sent, the other is cleared', () => {
  const own = { output: { protocol: 1, 'buffer-ms': 80 } } as const;
  const values = connectionValues(own, usual);
  expect(connectionOf(values)).toEqual(own);
  const both = { ...values, ownInput: true };
  expect(connectionOf(both)).toEqual({ ...own, input: { protocol: 2, latency: 200, 'stream-index': 1 } });
  // The latency belongs to SRT.
  expect(connectionOf({ ...both, inputProtocol: '1' }).input).toEqual({ protocol: 1, 'stream-index': 1 });
});

test('numbers out of range are faults of their fields', () => {
  const values = { ...connectionValues(null, usual), ownInput: true, ownOutput: true };
  expect(connectionFaults(values)).toEqual({});
  expect(connectionFaults({ ...values, inputLatency: '10', buffer: '3000' })).toEqual({
    inputLatency: 'atLeast:20',
    buffer: expect.any(String),
  });
  // What is not sent is not checked.
  expect(connectionFaults({ ...values, inputProtocol: '1', inputLatency: 'x' })).toEqual({});
  expect(connectionField('config.output.buffer-ms')).toBe('buffer');
});
