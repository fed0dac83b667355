/** Calls as connections see them; the endpoint itself is tested in native/srt. */
import { expect, test } from 'bun:test';
import { privateRefused, withNames } from '../../../tests/support/outgoing.ts';
import { until } from '../../../tests/support/until.ts';
import { connectionStates } from '../../contract/streams.ts';
import type { SrtStream } from '../../sources/stream-address.ts';
import type { Termination } from '../connection/connection.ts';
import type { EngineOutgoing } from '../net/outgoing.ts';
import { createSrtCalls } from './caller.ts';
import type { EndpointOperation } from './protocol.ts';

const address: SrtStream = {
  ...{ protocol: 'srt', mode: 'caller', host: 'peer.example', port: 9000, latencyMs: 120, overheadPercent: 25 },
  ...{ streamId: '', passphrase: '', keyLength: 0, maxConnections: 1 },
};

function call(outgoing: EngineOutgoing) {
  const sent: EndpointOperation[] = [];
  const ended = Promise.withResolvers<Termination>();
  const calls = createSrtCalls((operation) => sent.push(operation) > 0, outgoing);
  const events = { connected: () => {}, ended: ended.resolve };
  const attempt = calls.open({ channelId: 4, direction: 'send', address, events });
  return { sent, attempt, ended: ended.promise };
}

test('the endpoint gets the address that was checked, without another lookup', async () => {
  const { sent } = call(withNames({ 'peer.example': ['127.0.0.1', '169.254.169.254'] }));
  await until(() => sent.length === 1);
  expect(sent[0]).toMatchObject({ op: 'call', id: 1, feed: 4, hosts: ['127.0.0.1'], port: 9000 });
});

test('no call is made to an address that is not allowed, or by a name that is unknown', async () => {
  const refused = call(withNames({ 'peer.example': ['127.0.0.1'] }, privateRefused));
  expect(await refused.ended).toMatchObject({
    ...{ conn: connectionStates.creationFailed, reason: 'addressNotAllowed', permanent: true },
  });
  const unknown = call(withNames({}));
  expect(await unknown.ended).toMatchObject({ conn: connectionStates.dnsFailed, reason: 'dnsFailed', permanent: true });
  expect([refused.sent, unknown.sent]).toEqual([[], []]);
});

test('an output that is closed during the name lookup makes no call', async () => {
  const answer = Promise.withResolvers<readonly [string]>();
  const asked = withNames({});
  const { sent, attempt } = call({ ...asked, resolve: () => answer.promise });
  attempt.close('enough');
  answer.resolve(['127.0.0.1']);
  await answer.promise;
  await Promise.resolve();
  expect(sent).toEqual([{ op: 'hangup', id: 1 }]);
});
