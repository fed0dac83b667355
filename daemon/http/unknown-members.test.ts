import { beforeEach, describe, expect, test } from 'bun:test';
import * as z from 'zod/mini';
import { createStreamingFeatures, type StreamingFeatures } from '../../tests/sim/streaming-features.ts';
import { unknownMembers } from './unknown-members.ts';

describe('the members of a body that its call does not know', () => {
  const schema = z.object({
    name: z.string(),
    config: z.optional(z.object({ port: z.number(), to: z.optional(z.array(z.object({ id: z.number() }))) })),
    kind: z.optional(z.union([z.object({ a: z.number() }), z.object({ b: z.number() })])),
  });
  const shown = z.object({ revision: z.number(), config: z.optional(z.object({ 'key-set': z.boolean() })) });
  const found = (body: object, back?: typeof shown) =>
    unknownMembers(body, schema.parse(body), back).flatMap(({ path, keys }) =>
      keys.map((key) => [...path, key].join('.')),
    );

  test('are found at every level', () => {
    expect(found({ name: 'a', config: { port: 1, to: [{ id: 1 }] }, kind: { b: 1 } })).toEqual([]);
    expect(found({ name: 'a', nmae: 'b', more: 1 })).toEqual(['nmae', 'more']);
    const body = { name: 'a', config: { prot: 1, port: 1, to: [{ id: 1 }, { id: 2, x: 0 }] }, kind: { a: 1, b: 1 } };
    expect(found(body)).toEqual(['config.prot', 'config.to.1.x', 'kind.b']);
    expect(found(JSON.parse('{"name":"a","__proto__":{"x":1},"constructor":1}'))).toEqual(['__proto__', 'constructor']);
  });

  test('of a response that is sent back are ignored', () => {
    const body = { name: 'a', revision: 3, config: { port: 1, 'key-set': true } };
    expect(found(body, shown)).toEqual([]);
    expect(found(body)).toEqual(['revision', 'config.key-set']);
    expect(found({ ...body, 'key-set': true }, shown)).toEqual(['key-set']);
  });
});

describe('a call', () => {
  let hub: StreamingFeatures;
  beforeEach(() => {
    hub = createStreamingFeatures();
  });
  const refused = (...paths: string[]) => ({
    result: 7,
    fields: paths.map((path) => expect.objectContaining({ path, rule: 'unsupported' })),
  });

  test('refuses a misspelt member by its name, and changes nothing', async () => {
    const { id } = await hub.post('channel/add', { name: 'A' });
    const before = await hub.get(`channel/query?id=${id}`);
    const config = { playkey: 'a-new-play-key', enable: false };
    expect(await hub.post('channel/set', { id, config })).toMatchObject(refused('config.playkey'));
    expect(await hub.post('channel/add', { name: 'B', confg: {} })).toMatchObject(refused('confg'));
    const address = { type: 1, url: 'udp://239.1.2.3:5000', buffer: 1 };
    expect(await hub.post('input/source/add', { name: 'C', config: address })).toMatchObject(refused('config.buffer'));
    expect(await hub.get(`channel/query?id=${id}`)).toEqual(before);
    expect((await hub.get('channel/dashboard')).total).toBe(1);
  });

  test('takes the whole object of a response, whose read-only members it ignores', async () => {
    const { id } = await hub.post('channel/add', { name: 'A' });
    const { result: _, ...channel } = await hub.get(`channel/query?id=${id}`);
    expect(await hub.post('channel/set', channel)).toMatchObject({ result: 0, revision: channel.revision });
    await hub.post('output/add', { name: 'B', channel: id, config: { url: 'rtmp://h.example/app', key: 'k' } });
    const [output] = (await hub.get('output/list')).list;
    expect(output).toMatchObject({ dir: 512, 'owner-o': 'A', 'owner-o-d': id });
    expect(await hub.post('output/set', output)).toMatchObject({ result: 0 });
    expect(await hub.post('output/add', { ...output, name: 'C' })).toMatchObject({ result: 0 });
  });
});
