import { afterEach, beforeEach, expect, test } from 'bun:test';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { jpegOf, pngOf } from '../../../tests/fixtures/pictures.ts';
import { createStreamingFeatures, type StreamingFeatures } from '../../../tests/sim/streaming-features.ts';
import { defaultFailover } from '../../contract/failover.ts';

let hub: StreamingFeatures;
let channel = 0;
let camera = 0;
let spare = 0;
beforeEach(async () => {
  hub = createStreamingFeatures();
  const config = (port: number) => ({ type: 1, url: `udp://239.9.9.9:${port}` });
  camera = (await hub.post('input/source/add', { name: 'Camera', config: config(6000) })).id;
  spare = (await hub.post('input/source/add', { name: 'Spare', config: config(6002) })).id;
  channel = (await hub.post('channel/add', { name: 'Studio' })).id;
});
afterEach(() => rmSync(hub.slatesDir, { recursive: true, force: true }));

const choose = (choice: object) => hub.post('channel/input/set', { id: channel, input: camera, ...choice });
const view = () => hub.get(`channel/query?id=${channel}`);
const desired = () => hub.media.applied.at(-1)?.channels[0];

test('a backup is chosen with a rule, and omitted members keep their values', async () => {
  expect(await choose({ backup: spare, failover: { standby: 'cold', back: 'hand' } })).toMatchObject({ result: 0 });
  const rule = { ...defaultFailover, standby: 'cold', back: 'hand' };
  expect((await view()).failover).toMatchObject({
    ...{ active: 'main', 'switched-at': 0, reason: 'none', switches: 0, rule },
    main: { id: camera, name: 'Camera' },
    backup: { id: spare, name: 'Spare', role: 'backup' },
  });
  expect(desired()?.backup).toMatchObject({ inputId: spare, input: { protocol: 'udp', port: 6002 } });
  await choose({ failover: { 'no-audio-ms': 2000 } });
  expect((await view()).failover).toMatchObject({ rule: { ...rule, 'no-audio-ms': 2000 }, backup: { id: spare } });
  await choose({ input: 0 });
  expect((await view()).failover).toMatchObject({ main: { id: 0 }, backup: { id: spare } });
  await choose({ backup: 0 });
  expect((await view()).failover).toBeUndefined();
  expect(desired()?.backup).toBeUndefined();
  await choose({ backup: spare });
  expect((await view()).failover.rule).toEqual({ ...rule, 'no-audio-ms': 2000 });
  expect(hub.operations().slice(3)).toEqual([
    'channel.setInput: Studio: Camera, backup Spare, cold standby, back hand',
    'channel.setInput: Studio: lost after 2000 ms without audio',
    'channel.setInput: Studio: push key',
    'channel.setInput: Studio: Camera, without backup',
    'channel.setInput: Studio: backup Spare',
  ]);
});

test('the same choice again changes nothing and is not logged', async () => {
  await choose({ backup: spare, failover: defaultFailover });
  const before = hub.operations().length;
  await choose({ backup: spare, failover: defaultFailover });
  expect(hub.operations()).toHaveLength(before);
});

test('a backup that is the main input, unknown or out of range is refused with its field', async () => {
  const refusals = [
    [{ backup: camera }, 7, 'backup', 'unique'],
    [{ failover: { 'no-data-ms': 99 } }, 7, 'failover.no-data-ms', 'range'],
    [{ failover: { 'no-video-ms': 199 } }, 7, 'failover.no-video-ms', 'range'],
    [{ failover: { 'no-audio-ms': 60_001 } }, 7, 'failover.no-audio-ms', 'range'],
    [{ failover: { 'stable-s': 0 } }, 7, 'failover.stable-s', 'range'],
    [{ failover: { back: 'soon' } }, 7, 'failover.back', 'choice'],
    [{ failover: { slate: 'picture' } }, 7, 'failover.slate', 'required'],
  ] as const;
  for (const [choice, result, path, rule] of refusals) {
    expect([choice, await choose(choice)]).toMatchObject([choice, { result, fields: [{ path, rule }] }]);
  }
  expect(await choose({ backup: 9 })).toMatchObject({ result: 16 });
  await choose({ backup: spare });
  expect(await choose({ input: spare })).toMatchObject({ result: 7, fields: [{ path: 'input', rule: 'unique' }] });
  expect(await choose({ input: spare, backup: camera })).toMatchObject({ result: 0 });
});

test('an input that is a backup names its channel and is not deleted without force', async () => {
  await choose({ backup: spare });
  const list = async () => (await hub.get('input/source/list')).list;
  expect((await list())[1]).toMatchObject({ id: spare, 'owner-i': ['Studio'], 'owner-i-d': [channel] });
  const refused = await hub.post('input/source/del', { id: spare });
  expect(refused).toMatchObject({ result: 1005, params: { what: 'Spare', by: 'Studio' } });
  expect(await hub.post('input/source/del', { id: spare, force: true })).toEqual({ result: 0 });
  expect((await view()).failover).toBeUndefined();
  expect(desired()?.backup).toBeUndefined();
});

test('an operator can switch, which is logged; a refusal of the engine is returned and not logged', async () => {
  const to = (input: string) => hub.post('channel/input/switch', { id: channel, to: input });
  expect(await to('backup')).toMatchObject({ result: 16, params: { what: 'backup' } });
  expect(hub.media.asked).toEqual([]);
  await choose({ backup: spare });
  const before = hub.operations().length;
  expect(await to('backup')).toMatchObject({ result: 47 });
  hub.media.reply = { what: 'error', text: 'notReady' };
  expect(await to('backup')).toMatchObject({ result: 38, params: { what: 'input' } });
  hub.media.reply = { what: 'error', text: 'noBackup' };
  expect(await to('backup')).toMatchObject({ result: 16 });
  expect(hub.operations()).toHaveLength(before);
  hub.media.reply = { what: 'done' };
  expect(await to('backup')).toEqual({ result: 0 });
  expect(hub.media.asked.at(-1)).toEqual({ what: 'switch', channelId: channel, to: 'backup' });
  expect(hub.operations().at(-1)).toBe('channel.switchInput: Studio: to backup');
  expect(await to('slate')).toMatchObject({ result: 7, fields: [{ path: 'to', rule: 'choice' }] });
});

const upload = (file: Uint8Array<ArrayBuffer>, type = 'image/png', id = channel) =>
  hub.upload(`channel/slate/set?id=${id}`, type, file);
const files = () => (existsSync(hub.slatesDir) ? readdirSync(hub.slatesDir) : []);

test('a picture gets a file name of its own, and another picture a different one', async () => {
  await choose({ backup: spare });
  expect(await upload(pngOf(64, 36))).toMatchObject({ result: 0 });
  const [first = ''] = files();
  expect(first).toMatch(new RegExp(`^${channel}-[0-9a-f]{16}\\.png$`));
  expect((await view()).config['slate-picture']).toBe(first);
  await choose({ failover: { slate: 'picture' } });
  expect(desired()?.backup?.failover.slate).toEqual({ kind: 'picture', path: join(hub.slatesDir, first) });
  // The content decides the format, not the declared type.
  expect(await upload(jpegOf(64, 36), 'image/png')).toMatchObject({ result: 0 });
  const [second = ''] = files();
  expect(files()).toEqual([second]);
  expect(second).toEndWith('.jpg');
  expect(desired()?.backup?.failover.slate).toEqual({ kind: 'picture', path: join(hub.slatesDir, second) });
});

test('the picture is deleted on request, and with its channel', async () => {
  await choose({ backup: spare });
  await upload(pngOf(64, 36));
  await choose({ failover: { slate: 'picture' } });
  expect(await hub.post('channel/slate/del', { id: channel })).toMatchObject({ result: 0 });
  expect(files()).toEqual([]);
  expect((await view()).failover.rule.slate).toBe('bars');
  expect(hub.operations().slice(-1)).toEqual(['channel.delSlate: Studio']);
  await upload(pngOf(64, 36));
  await hub.post('channel/del', { id: channel });
  expect(files()).toEqual([]);
});

test('an invalid or oversized picture leaves no file behind', async () => {
  const svg = new TextEncoder().encode('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>');
  expect(await upload(svg)).toMatchObject({ result: 23 });
  expect(await upload(svg, 'image/svg+xml')).toMatchObject({ result: 23 });
  expect(await upload(pngOf(4097, 1))).toMatchObject({ result: 18 });
  expect(await upload(new Uint8Array(4 * 1024 * 1024 + 1))).toMatchObject({ result: 18 });
  expect(await upload(pngOf(8, 8), 'image/png', 9)).toMatchObject({ result: 16 });
  expect(files()).toEqual([]);
});

test('the picture is served with its own content type', async () => {
  expect((await hub.raw(`channel/slate/get?id=${channel}`)).status).toBe(404);
  await upload(jpegOf(64, 36));
  const response = await hub.raw(`channel/slate/get?id=${channel}`);
  expect(response.headers.get('content-type')).toBe('image/jpeg');
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  expect(new Uint8Array(await response.arrayBuffer())).toEqual(jpegOf(64, 36));
});
