/**
 * Makes the calls of the API on a real hub and checks that each answer is as the contract says. With RECORD_EXAMPLES
 * they become the examples of docs/openapi.json (`make openapi-examples`).
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { api } from '../../daemon/contract/api.ts';
import type { Endpoint } from '../../daemon/contract/endpoint.ts';
import { endpointsOf } from '../fixtures/endpoints.ts';
import type { Example } from '../openapi/describe-api.ts';
import { exampleOf, type Replacements } from '../openapi/recorded.ts';
import { faultsOf, nameOf, withoutExample } from '../openapi/whole-answers.ts';
import { invitationCode, secrets, type Written, writeEverything } from './every-write.ts';
import { stopFarEnds, webServer } from './fake-peers.ts';
import { type HubProcess, startHub } from './hub-process.ts';

setDefaultTimeout(120_000);

let hub: HubProcess;
let written: Written;
let webhookPort: number;
const recorded = new Map<string, Example>();
const endpoints = endpointsOf(api).filter((endpoint) => !withoutExample.includes(nameOf(endpoint)));

beforeAll(async () => {
  hub = await startHub({ env: { SIGNALBOX_VARIANT: 'hardware', SIGNALBOX_FEATURES: 'ndi-router,devices' } });
  webhookPort = webServer(() => new Response('taken')).port ?? 0;
  written = await writeEverything(hub, webhookPort);
  for (const { path, body, answer } of written.writes) {
    const name = `POST ${path}`;
    if (!recorded.has(name)) recorded.set(name, { body, answer });
  }
  for (const endpoint of endpoints.filter(({ method }) => method === 'GET')) {
    const query = queryOf(endpoint);
    const parameters = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
    recorded.set(nameOf(endpoint), { query, answer: await hub.answer(`${endpoint.path}?${parameters}`) });
  }
});
afterAll(async () => {
  await hub.stop();
  stopFarEnds();
});

const firstId = 1;

/** The parameters that a read cannot do without, and those that show more. */
function queryOf({ path, query }: Endpoint): Record<string, number | string> {
  const known = query?.def as { shape?: object } | undefined;
  const isFor = (name: string) => name in (known?.shape ?? {});
  return {
    ...(isFor('id') && path !== '/api/usr/list' && { id: path === '/api/schedule/query' ? firstId : written.channel }),
    ...(path === '/api/alarm/rules' && { channel: written.channel }),
    ...(isFor('sn') && { sn: 'B313220914001' }),
    ...(isFor('count') && { count: 2 }),
    ...(isFor('history') && { history: 1 }),
  };
}

test.each(endpoints.map((endpoint) => [nameOf(endpoint), endpoint] as const))(
  '%s answers as the contract says',
  (name, endpoint) => {
    const answer = recorded.get(name)?.answer;
    expect(answer).toMatchObject({ result: 0 });
    expect(faultsOf(endpoint, answer)).toEqual([]);
  },
);

test.if(process.env.RECORD_EXAMPLES !== undefined)('the examples are recorded', async () => {
  const entries = [...recorded].filter(([name]) => endpoints.some((endpoint) => nameOf(endpoint) === name));
  const examples = entries.toSorted(([a], [b]) => (a < b ? -1 : 1));
  const all = Object.fromEntries(examples.map(([name, call]) => [name, exampleOf(call, replacements())]));
  const text = JSON.stringify(all, null, 2);
  for (const secret of [...Object.values(secrets), ...Object.values(written.made)]) expect(text).not.toContain(secret);
  await Bun.write(join(import.meta.dir, '../openapi/examples.json'), `${text}\n`);
});

function replacements(): Replacements {
  const { made } = written;
  const { http, rtmp, srt, hls, link } = hub.ports;
  const token = 'YourAccessToken0123456789YourAccessToken0123456789YourAccessToken';
  const named: Partial<Record<string, string>> = {
    ...{ pushKey: 'push-key-of-yours', playKey: 'play-key-of-yours', givenToken: token.slice(0, 64) },
    ...{ inputId: 'stream-id-of-yours', outputId: 'stream-id-of-yours', outputKey: 'stream-key-of-yours' },
    ...{ serverMainKey: 'stream-key-of-yours', serverSubKey: 'sub-key-of-yours', webhookPath: 'path-of-yours' },
  };
  return new Map([
    ...Object.entries(secrets).map(([name, secret]) => [secret, named[name] ?? 'a-password-of-yours'] as const),
    [made.token, token.slice(1, 65)],
    [invitationCode, '1234'],
    [hub.dataDir, '/var/lib/signalbox'],
    [hostname(), 'hub'],
    ...Object.entries({
      [http]: 8880,
      [rtmp]: 1935,
      [srt]: 8000,
      [hls]: 8080,
      [link ?? 0]: 8070,
      [webhookPort]: 9000,
    }).map(([port, usual]) => [port, String(usual)] as const),
  ]);
}
