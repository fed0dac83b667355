/** Calls as legs see them; the endpoint itself is tested in native/srt. */
import { expect, test } from 'bun:test';
import { privateRefused, withNames } from '../../../tests/support/outgoing.ts';
import { until } from '../../../tests/support/until.ts';
import { connectionStates } from '../../contract/streams.ts';
import type { SrtEndpointAddress } from '../addresses.ts';
import type { LegEnd } from '../leg.ts';
import type { EngineOutgoing } from '../outgoing.ts';
import { createSrtCalls } from './calls.ts';
import type { EndpointOperation } from './protocol.ts';

const address: SrtEndpointAddress = {
  ...{ protocol: 'srt', mode: 'caller', host: 'peer.example', port: 9000, latencyMs: 120, overheadPercent: 25 },
  ...{ streamId: '', passphrase: '', keyLength: 0, maxConnections: 1 },
};

function call(outgoing: EngineOutgoing) {
  const said: EndpointOperation[] = [];
  const ended = Promise.withResolvers<LegEnd>();
  const calls = createSrtCalls((operation) => said.push(operation) > 0, outgoing);
  const events = { connected: () => {}, ended: ended.resolve };
  const attempt = calls.open({ channelId: 4, direction: 'send', address, events });
  return { said, attempt, ended: ended.promise };
}

test('the endpoint gets the address that the name had when it was judged', async () => {
  const { said } = call(withNames({ 'peer.example': ['127.0.0.1', '169.254.169.254'] }));
  await until(() => said.length === 1);
  expect(said[0]).toMatchObject({ op: 'call', id: 1, feed: 4, hosts: ['127.0.0.1'], port: 9000 });
});

test('no peer is called at an address that is not allowed, or by a name that is not known', async () => {
  const refused = call(withNames({ 'peer.example': ['127.0.0.1'] }, privateRefused));
  expect(await refused.ended).toMatchObject({
    ...{ conn: connectionStates.creationFailed, reason: 'addressNotAllowed', hopeless: true },
  });
  const unknown = call(withNames({}));
  expect(await unknown.ended).toMatchObject({ conn: connectionStates.dnsFailed, reason: 'dnsFailed', hopeless: true });
  expect([refused.said, unknown.said]).toEqual([[], []]);
});

test('an output that is closed while its name is looked up calls nobody', async () => {
  const answer = Promise.withResolvers<readonly [string]>();
  const asked = withNames({});
  const { said, attempt } = call({ ...asked, resolve: () => answer.promise });
  attempt.close('enough');
  answer.resolve(['127.0.0.1']);
  await answer.promise;
  await Promise.resolve();
  expect(said).toEqual([{ op: 'hangup', id: 1 }]);
});
