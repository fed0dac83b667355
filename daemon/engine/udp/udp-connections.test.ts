/** Inputs and outputs as connections see them; the endpoint itself is tested in native/udp. */

import { expect, test } from 'bun:test';
import { privateRefused, toLoopback, withNames } from '../../../tests/support/outgoing.ts';
import { until } from '../../../tests/support/until.ts';
import { connectionStates } from '../../contract/streams.ts';
import { createLog } from '../../lib/log.ts';
import type { UdpStream } from '../../sources/stream-address.ts';
import { timing } from '../../timing.ts';
import type { Termination } from '../connection/connection.ts';
import type { UdpOperation } from './protocol.ts';
import { createUdpInputs } from './receiver.ts';
import { createUdpOutputs } from './sender.ts';

const address: UdpStream = {
  protocol: 'udp',
  host: '127.0.0.1',
  port: 5000,
  ttl: 3,
  interface: '',
  source: '',
};

const quiet = createLog('error', () => undefined);

function endpoint(isRunning = true) {
  const sent: UdpOperation[] = [];
  const heard: string[] = [];
  const ended = Promise.withResolvers<Termination>();
  const events = {
    connected: () => void heard.push('connected'),
    ended: ended.resolve,
    received: (bytes: Uint8Array) => void heard.push(`${bytes.length} bytes`),
    hasReaders: () => false,
    opened: () => void heard.push('opened'),
    over: () => void heard.push('over'),
  };
  const send = (operation: UdpOperation) => {
    if (isRunning) sent.push(operation);
    return isRunning;
  };
  return { sent, heard, ended: ended.promise, events, send };
}

test('an input is connected when its port is open, and counts received bytes', () => {
  const { sent, heard, events, send } = endpoint();
  const inputs = createUdpInputs(send, quiet);
  const input = inputs.open(address, events);
  expect(sent).toEqual([
    { op: 'receive', id: 1, host: '127.0.0.1', port: 5000, interface: '', source: '', rtp: false },
  ]);
  inputs.event({ ev: 'input-open', id: 1, buffer: 4 << 20 });
  inputs.event({ ev: 'sender', id: 1, peer: '10.0.0.7:4000' });
  inputs.receive(1, new Uint8Array(376));
  expect(heard).toEqual(['connected', '376 bytes']);
  expect([input.bytes, input.peer]).toEqual([376, '10.0.0.7:4000']);
  input.link(9);
  input.close('enough');
  inputs.receive(1, new Uint8Array(376));
  expect(sent.slice(1)).toEqual([
    { op: 'link', input: 1, feed: 9 },
    { op: 'stop-receive', id: 1 },
  ]);
  expect(input.bytes).toBe(376);
});

test('an input whose bus has no reader is passed on in larger pieces', () => {
  const { sent, events, send } = endpoint();
  let hasReaders = false;
  const inputs = createUdpInputs(send, quiet);
  inputs.open(address, { ...events, hasReaders: () => hasReaders });
  inputs.tick();
  inputs.tick();
  hasReaders = true;
  inputs.tick();
  expect(sent.slice(1)).toEqual([
    { op: 'batch', input: 1, ms: 100 },
    { op: 'batch', input: 1, ms: 5 },
  ]);
});

test.each([
  [{ ev: 'input-failed', id: 1, reason: 'busy', error: 'in use' } as const, 'creationFailed', 'addressInUse'],
  [{ ev: 'input-failed', id: 1, reason: 'no address', error: 'none' } as const, 'creationFailed', 'internal'],
  [{ ev: 'no-sync', id: 1 } as const, 'streamFailed', 'noSync'],
] as const)('an input ends with its cause: %o', async (event, conn, reason) => {
  const { ended, events, send } = endpoint();
  const inputs = createUdpInputs(send, quiet);
  inputs.open(address, events);
  inputs.event(event);
  expect(await ended).toMatchObject({ conn: connectionStates[conn], reason });
});

test('an output sends the resolved address of a name, and reports the endpoint’s counters', async () => {
  const { sent, heard, events, send } = endpoint();
  const outputs = createUdpOutputs(send, toLoopback, quiet);
  const asked = Promise.withResolvers<void>();
  const output = createUdpOutputs(
    (operation) => {
      asked.resolve();
      return send(operation);
    },
    toLoopback,
    quiet,
  ).open(4, { ...address, host: 'localhost' }, events);
  await asked.promise;
  expect(sent).toEqual([
    { op: 'send', id: 1, feed: 4, host: '127.0.0.1', port: 5000, ttl: 3, interface: '', rtp: false },
  ]);
  output.close('enough');
  expect(sent[1]).toEqual({ op: 'stop-send', id: 1 });
  const other = outputs.open(4, address, events);
  outputs.event({ ev: 'output-open', id: 1 });
  outputs.figures({ output: 1, bytes: 1316, lost: 2 });
  expect([other.bytes, other.skipped]).toEqual([1316, 2]);
  other.close('enough');
  expect(heard).toEqual(['opened', 'connected', 'over']);
});

test('a name without an address ends the output with its cause', async () => {
  const { sent, ended, events, send } = endpoint();
  createUdpOutputs(send, toLoopback, quiet).open(1, { ...address, host: 'no-such-host.invalid' }, events);
  expect(await ended).toMatchObject({ reason: 'dnsFailed', permanent: true });
  expect(sent).toEqual([]);
});

test('without the endpoint both fail, and those that were open end', async () => {
  const [absent, gone] = [endpoint(false), endpoint()];
  createUdpInputs(absent.send, quiet).open(address, absent.events);
  expect(await absent.ended).toMatchObject({ reason: 'partMissing', permanent: false });
  const outputs = createUdpOutputs(gone.send, toLoopback, quiet);
  outputs.open(1, address, gone.events);
  outputs.event({ ev: 'output-open', id: 1 });
  outputs.endAll();
  expect(await gone.ended).toMatchObject({ reason: 'partMissing' });
  expect(gone.heard).toEqual(['opened', 'connected', 'over']);
});

test('an output is not sent to an address that is not allowed, but multicast is always allowed', async () => {
  const [refused, group] = [endpoint(), endpoint()];
  createUdpOutputs(refused.send, withNames({}, privateRefused), quiet).open(1, address, refused.events);
  expect(await refused.ended).toMatchObject({ reason: 'addressNotAllowed', permanent: true });
  expect(refused.sent).toEqual([]);
  const outputs = createUdpOutputs(group.send, withNames({}, privateRefused), quiet);
  outputs.open(1, { ...address, host: '239.1.2.3' }, group.events);
  await until(() => group.sent.length === 1);
  expect(group.sent[0]).toMatchObject({ op: 'send', host: '239.1.2.3' });
});

test('an output follows its name to another address, and its totals continue', async () => {
  const { sent, heard, events, send } = endpoint();
  let now = 0;
  const names = withNames({ 'gate.example': ['192.0.2.1', '192.0.2.1', '192.0.2.2'] });
  const outputs = createUdpOutputs(send, names, quiet, () => now);
  const output = outputs.open(1, { ...address, host: 'gate.example' }, events);
  await until(() => sent.length === 1);
  outputs.event({ ev: 'output-open', id: 1 });
  outputs.figures({ output: 1, bytes: 1000, lost: 1 });
  const lookAgain = () => {
    now += timing.outgoing.lookupAgainMs;
    outputs.tick();
  };
  lookAgain();
  outputs.tick();
  await Bun.sleep(0);
  expect(sent).toHaveLength(1);
  lookAgain();
  await until(() => sent.length === 2);
  expect(sent[1]).toMatchObject({ op: 'send', id: 1, host: '192.0.2.2' });
  outputs.event({ ev: 'output-open', id: 1 });
  outputs.figures({ output: 1, bytes: 300, lost: 2 });
  expect([output.bytes, output.skipped]).toEqual([1300, 3]);
  expect(heard).toEqual(['opened', 'connected']);
});

test('small receive buffers are reported once, with the remedy, and so are lost datagrams', () => {
  const lines: string[] = [];
  const { events, send } = endpoint();
  const inputs = createUdpInputs(
    send,
    createLog('warn', (line) => lines.push(line)),
  );
  const input = inputs.open(address, events);
  for (const buffer of [212_992, 212_992]) inputs.event({ ev: 'input-open', id: 1, buffer });
  expect(lines.join('\n').match(/net\.core\.rmem_max/g)).toHaveLength(1);
  const figures = { input: 1, bytes: 0, datagrams: 100, dropped_bytes: 0, refused: 0, jitter: 0 };
  inputs.figures({ ...figures, overruns: 0 });
  inputs.figures({ ...figures, overruns: 7 });
  inputs.figures({ ...figures, overruns: 7, dropped_bytes: 1316 });
  inputs.figures({ ...figures, overruns: 7, dropped_bytes: 1316 });
  expect(lines.slice(1).map((line) => /by=(the \w+|"the \w+")/.exec(line)?.[1])).toHaveLength(2);
  expect(input.datagrams).toMatchObject({ received: 100, dropped: 8 });
});
