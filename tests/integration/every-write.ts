/**
 * Every write of the API once with success, with a secret wherever one can be given. What a hub keeps to itself of them,
 * and what it writes down of each call, is for the tests that use this.
 */
import { md5Of } from '../../daemon/lib/password.ts';
import { pngOf } from '../fixtures/pictures.ts';
import { leasePort } from '../support/ports.ts';
import { adminPassword, type HubProcess } from './hub-process.ts';

/** Each found nowhere by chance. */
export const secrets = {
  adminPassword,
  nextAdminPassword: 'Zq7hunterBoss',
  annPassword: 'Zq7hunterFirst',
  nextAnnPassword: 'Zq7hunterNext',
  guess: 'Zq7hunterGuess',
  givenToken: 'Zq7TokenWzR4mY8cJ2vKd6HsXq9LbE3tGnP5fUa7iToVkQ1xhB0yMrNjSgDlCeZw',
  srtPassphrase: 'Zq7phraseListener',
  callerPassphrase: 'Zq7phraseCaller',
  inputPassphrase: 'Zq7phraseInput',
  serverPassphrase: 'Zq7phraseServer',
  serverMainKey: 'Zq7serverMain',
  serverSubKey: 'Zq7serverSub',
  serverPassword: 'Zq7serverLogin',
  rtmpPassword: 'Zq7rtmpLogin',
  rtspPassword: 'Zq7rtspLogin',
  pullPassword: 'Zq7pullLogin',
  webhookSecret: 'Zq7webhookSign',
  pushKey: 'Zq7pushKey',
  playKey: 'Zq7playKey',
  outputKey: 'Zq7outputKey',
  inputId: 'Zq7inputId',
  outputId: 'Zq7outputId',
  urlToken: 'Zq7urlToken',
  webhookPath: 'Zq7webhookPath',
} as const;
export type SecretName = keyof typeof secrets;

/** A code of four digits that no time or port of a test has beside it. */
export const invitationCode = '0739';

export interface Write {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

interface Ids {
  readonly channel: number;
  readonly output: number;
  readonly input: number;
}
export interface Written extends Ids {
  /** In order; the setup of the first start is not among them. */
  readonly writes: readonly Write[];
  /** Made by the hub. */
  readonly made: { readonly token: string; readonly session: string };
}

/** Signs in as Admin, and is so when it is done; what was made stays, but for what was deleted to see it deleted. */
export async function writeEverything(hub: HubProcess, webhookPort: number): Promise<Written> {
  const writes: Write[] = [];
  const write = async <T = { id: number }>(path: string, body: Write['body']): Promise<T> => {
    const answer = await hub.api<T>(path, body);
    writes.push({ path, body });
    return answer;
  };
  await hub.login();
  await writePeople(write);
  const made = await writeTokens(write);
  await writeSettings(write, `http://127.0.0.1:${webhookPort}/${secrets.webhookPath}`);
  const ids = await writeStreams(hub, write);
  await write('/api/login/challenge', { id: 'ann' });
  await write('/api/login', { id: 'ann', password: secrets.nextAnnPassword });
  await write('/api/session/end', { others: true });
  await write('/api/logout', {});
  const { token: session } = await hub.api<{ token: string }>('/api/login', { id: 'Admin', password: adminPassword });
  await hub.login();
  return { ...ids, writes, made: { ...made, session } };
}

type Writer = <T = { id: number }>(path: string, body: Write['body']) => Promise<T>;

async function writePeople(write: Writer): Promise<void> {
  await write('/api/usr/add', { name: 'ann', nick: 'Ann', password: secrets.annPassword, 'group-id': 2 });
  await write('/api/usr/add', { name: 'bob', passwd: md5Of(secrets.annPassword) });
  await write('/api/usr/set', { name: 'ann', nick: 'Anne' });
  await write('/api/usr/update', { name: 'ann', password: secrets.nextAnnPassword });
  await write('/api/usr/update', { name: 'bob', passwd: md5Of(secrets.nextAnnPassword) });
  await write('/api/usr/del', { name: 'bob' });
  const { id } = await write('/api/usr-group/add', { name: 'Trial', permissions: 4, users: ['ann'] });
  await write('/api/usr-group/set', { id, permissions: 0x4404, desc: 'of the test' });
  await write('/api/usr-group/del', { id });
}

async function writeTokens(write: Writer): Promise<{ token: string }> {
  await write('/api/token/add', {
    ...{ name: 'given', token: secrets.givenToken, permission: 4 },
    password: adminPassword,
  });
  const { token } = await write<{ token: string }>('/api/token/add', { name: 'made', password: adminPassword });
  const { id } = await write('/api/token/add', { name: 'short', permission: 4, password: adminPassword });
  await write('/api/token/del', { id });
  return { token };
}

async function writeSettings(write: Writer, webhookUrl: string): Promise<void> {
  await write('/api/settings/set', { srt: { 'pb-key-len': 16, passphrase: secrets.srtPassphrase } });
  await write('/api/settings/set', { security: { 'enable-code': true, 'code-value': invitationCode } });
  await write('/api/settings/set', { outgoing: { 'private-webhook': true } });
  await write('/api/alarm/webhook/set', { enabled: true, url: webhookUrl, secret: secrets.webhookSecret });
  await write('/api/alarm/webhook/test', {});
  await write('/api/alarm/webhook/reveal', {});
  await write('/api/settings/reveal-code', {});
}

async function writeStreams(hub: HubProcess, write: Writer): Promise<Ids> {
  const keys = { 'push-key': secrets.pushKey, 'play-key': secrets.playKey };
  const { id: channel } = await write('/api/channel/add', { name: 'Studio', config: keys });
  await write('/api/channel/set', { id: channel, name: 'Arena', config: keys });
  await write('/api/channel/reveal-key', { id: channel });
  for (const enable of [false, true]) await write('/api/channel/enable', { id: channel, enable });
  await write('/api/alarm/rules/set', { channel, rules: { 'no-input': { enable: true, seconds: 1 } } });
  await write('/api/alarm/clear-history', { channel });
  const input = await writeInputs(write, channel);
  const output = await writeOutputs(write, channel);
  await writeServers(write);
  await writeSlate(hub, write, channel);
  await write('/api/channel/client/disconnect', { id: channel, client: 1 }).catch(refused);
  await write('/api/channel/input/switch', { id: channel, to: 'main' }).catch(refused);
  await write('/api/preview/setup', { id: 'nothing', add: [channel] }).catch(refused);
  const { id: gone } = await write('/api/channel/add', { name: 'Gone' });
  await write('/api/channel/del', { id: gone });
  return { channel, input, output };
}

/** Needs a stream that runs to succeed; the streams' own tests see to that. */
function refused(): void {}

async function writeInputs(write: Writer, channel: number): Promise<number> {
  const [port] = [leasePort()];
  const srt = `srt://127.0.0.1:${port}?mode=caller&streamid=${secrets.inputId}&passphrase=${secrets.inputPassphrase}`;
  const { id } = await write('/api/input/source/add', { name: 'Far', config: { url: srt } });
  const login = { 'enable-auth': true, username: 'me', password: secrets.pullPassword };
  const pulled = [
    { url: `rtsp://me:${secrets.pullPassword}@127.0.0.1:${port}/stage?token=${secrets.urlToken}` },
    { url: `http://me:${secrets.pullPassword}@127.0.0.1:${port}/live.ts?token=${secrets.urlToken}` },
    { url: `rtmp://127.0.0.1:${port}/live`, key: secrets.outputKey, ...login },
  ];
  for (const [i, config] of pulled.entries()) {
    await write('/api/input/source/test', { config });
    const { id: one } = await write('/api/input/source/add', { name: `Pulled ${i}`, config });
    await write('/api/channel/input/set', { id: channel, input: one });
  }
  await write('/api/input/source/set', { id, name: 'Farther', config: { url: srt } });
  await write('/api/input/source/reveal', { id });
  await write('/api/channel/input/set', { id: channel, input: 0 });
  const { id: gone } = await write('/api/input/source/add', { name: 'Gone', config: { url: srt } });
  await write('/api/preset/save', { name: 'Kept', input: gone });
  await write('/api/input/source/del', { id: gone });
  return id;
}

async function writeOutputs(write: Writer, channel: number): Promise<number> {
  const [port, own] = [leasePort(), leasePort()];
  const auth = { 'enable-auth': true, username: 'me' };
  const rtmp = { url: `rtmp://127.0.0.1:${port}/app`, key: secrets.outputKey, ...auth, password: secrets.rtmpPassword };
  const { id } = await write('/api/output/add', { name: 'Net', config: rtmp, channel });
  const srt = `srt://127.0.0.1:${port}?mode=caller&streamid=${secrets.outputId}&passphrase=${secrets.callerPassphrase}`;
  const served = { port: own, key: 'stage', ...auth, password: secrets.rtspPassword };
  const ids = [id];
  for (const [name, config] of [['Far end', { url: srt }] as const, ['Served', served] as const]) {
    const { id: one } = await write('/api/output/add', { name, config });
    await write('/api/channel/output/add', { id: channel, output: one });
    ids.push(one);
  }
  for (const output of ids) {
    for (const enable of [false, true]) await write('/api/channel/output/enable', { id: channel, output, enable });
  }
  await write('/api/output/set', { id, name: 'Network', config: rtmp });
  await write('/api/output/reveal', { id });
  const { id: preset } = await write('/api/preset/save', { name: 'Kept', output: id });
  const { id: used } = await write('/api/preset/use', { id: preset, name: 'Again', channel });
  await write('/api/preset/del', { id: preset });
  await write('/api/channel/output/del', { id: channel, output: used });
  await write('/api/output/del', { id: used });
  return id;
}

async function writeServers(write: Writer): Promise<void> {
  const streams = { 'main-stream': true, 'main-key': secrets.serverMainKey };
  const login = { 'enable-auth': true, username: 'me', password: secrets.serverPassword };
  const url = 'rtmp://192.0.2.1/app';
  const both = { ...streams, 'sub-stream': true, 'sub-key': secrets.serverSubKey };
  const { id } = await write('/api/server/add', { name: 'CDN', config: { type: 1, url, ...login, ...both } });
  const srt = { type: 2, url: '192.0.2.1', port: 9000, 'pb-key-len': 16, passphrase: secrets.serverPassphrase };
  const { id: gone } = await write('/api/server/add', { name: 'Relay', config: { ...srt, ...streams } });
  await write('/api/server/set', { id, name: 'Network', config: { type: 1, url, ...login, ...both } });
  await write('/api/server/output/add', { id, stream: 'sub', name: 'Made' });
  await write('/api/server/del', { id: gone });
}

async function writeSlate(hub: HubProcess, write: Writer, channel: number): Promise<void> {
  const response = await fetch(`${hub.url}/api/channel/slate/set?id=${channel}`, {
    ...{ method: 'POST', body: pngOf(64, 36) },
    headers: { ...hub.headers(), 'content-type': 'image/png' },
  });
  const answer = (await response.json()) as { result: number };
  if (answer.result !== 0) throw new Error(`the slate was answered ${JSON.stringify(answer)}`);
  await write('/api/channel/slate/del', { id: channel });
}
