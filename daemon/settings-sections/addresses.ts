/** Inputs, outputs, presets and servers: named addresses. */
import { and, eq } from 'drizzle-orm';
import * as z from 'zod/mini';
import { limits } from '../contract/limits.ts';
import { SourceName } from '../contract/rules.ts';
import { directions } from '../contract/streams.ts';
import { fileServer, storedServer } from '../features/servers/file-server.ts';
import type { StreamRole } from '../sources/stream-options.ts';
import { channelRows, inputRows, outputRows, presetRows, serverRows } from '../store/rows.ts';
import { channels, inputs, outputs, presets, servers } from '../store/schema.ts';
import { deleteNamed, idOf, refer } from './rows-by-name.ts';
import { defineSection, type Item, type SectionContext } from './section.ts';
import { addressFromFile, addressToFile } from './stream-configs.ts';

const named = {
  name: SourceName,
  /** As in the calls that add one, without its secrets. */
  config: z.record(z.string(), z.unknown()),
};
const hidden = {
  /** The key came with a server, and is never shown. */
  'key-hidden': z.optional(z.boolean()),
};
const InputItem = z.strictObject({ ...named, ...hidden });
const OutputItem = z.strictObject({
  ...{ ...named, ...hidden },
  enabled: z.boolean(),
  /** Name of the channel. */
  channel: z.optional(z.string()),
});
const PresetItem = z.strictObject({ ...named, ...hidden, for: z.enum(['input', 'output'], 'choice') });
const ServerItem = z.strictObject(named);

type InputItem = z.infer<typeof InputItem>;
const nameOf = ({ name }: { readonly name: string }) => name;

export function addressSections({ secrets, now }: SectionContext) {
  const stored = ({ value, secret }: Item<InputItem>, role: StreamRole) =>
    addressFromFile(secrets, { config: value.config, secret, isKeyHidden: value['key-hidden'] === true }, role);
  const normal = <Value extends InputItem>(one: Item<Value>, role: StreamRole): Value => {
    const { config } = addressToFile(secrets, stored(one, role), role);
    return { ...one.value, config };
  };
  const item = <More extends object>(
    row: Parameters<typeof addressToFile>[1] & { readonly name: string },
    role: StreamRole,
    more: More,
  ) => {
    const { secret, ...shown } = addressToFile(secrets, row, role);
    return { value: { name: row.name, ...shown, ...more }, secret };
  };
  return [
    defineSection<InputItem>({
      ...{ name: 'inputs', limit: limits.inputs, schema: InputItem, keyOf: nameOf },
      read: (db) => inputRows.list(db).map((row) => item(row, 'input', {})),
      normal: (one) => normal(one, 'input'),
      check: (one) => void stored(one, 'input'),
      put(tx, one) {
        const { name } = one.value;
        const address = stored(one, 'input');
        const id = idOf(tx, inputs, name);
        if (id === undefined) inputRows.insert(tx, { ...address, name, createdAt: now() });
        else inputRows.update(tx, id, address);
      },
      remove: (tx, key) => deleteNamed(tx, inputs, key),
      edited: (db, key) => ({ noun: 'input', id: idOf(db, inputs, key) ?? 0 }),
    }),
    defineSection<z.infer<typeof OutputItem>>({
      ...{ name: 'outputs', limit: limits.outputs, schema: OutputItem, keyOf: nameOf },
      read(db) {
        const names = new Map(channelRows.list(db).map(({ id, name }) => [id, name]));
        return outputRows.list(db).map((row) => {
          const channel = row.channelId === null ? undefined : names.get(row.channelId);
          return item(row, 'output', { enabled: row.enabled, ...(channel !== undefined && { channel }) });
        });
      },
      normal: (one) => normal(one, 'output'),
      check: (one) => void stored(one, 'output'),
      put(tx, one) {
        const { name, enabled } = one.value;
        const row = { ...stored(one, 'output'), enabled };
        const id = idOf(tx, outputs, name);
        if (id === undefined) outputRows.insert(tx, { ...row, name, createdAt: now() });
        else outputRows.update(tx, id, row);
      },
      link(tx, { value: { name, channel } }) {
        const channelId = refer(tx, channels, 'channel', channel);
        tx.update(outputs).set({ channelId }).where(eq(outputs.name, name)).run();
      },
      remove: (tx, key) => deleteNamed(tx, outputs, key),
      edited: (db, key) => ({ noun: 'output', id: idOf(db, outputs, key) ?? 0 }),
    }),
    defineSection<z.infer<typeof PresetItem>>({
      ...{ name: 'presets', limit: limits.presets, schema: PresetItem },
      keyOf: (value) => `${value.for} ${value.name}`,
      read: (db) =>
        presetRows.list(db).map((row) => {
          const role = row.dir === directions.input ? 'input' : 'output';
          return item(row, role, { for: role } as const);
        }),
      normal: (one) => normal(one, one.value.for),
      check: (one) => void stored(one, one.value.for),
      put(tx, one) {
        const { name, for: role } = one.value;
        const row = { ...stored(one, role), dir: directions[role] };
        const known = presetRows.list(tx).find((preset) => preset.name === name && preset.dir === row.dir);
        if (known) presetRows.update(tx, known.id, row);
        else presetRows.insert(tx, { ...row, name, createdAt: now() });
      },
      remove(tx, key) {
        const [, role = '', name = ''] = /^(\w+) (.*)$/s.exec(key) ?? [];
        const dir = role === 'input' ? directions.input : directions.output;
        tx.delete(presets)
          .where(and(eq(presets.name, name), eq(presets.dir, dir)))
          .run();
      },
    }),
    defineSection<z.infer<typeof ServerItem>>({
      ...{ name: 'servers', limit: limits.servers, schema: ServerItem, keyOf: nameOf },
      read: (db) => serverRows.list(db).map((row) => fileServer(secrets, row)),
      normal: (one) => fileServer(secrets, { ...storedServer(secrets, one), name: one.value.name }).value,
      check: (one) => void storedServer(secrets, one),
      put(tx, one) {
        const { name } = one.value;
        const row = storedServer(secrets, one);
        const id = idOf(tx, servers, name);
        if (id === undefined) serverRows.insert(tx, { ...row, name, createdAt: now() });
        else serverRows.update(tx, id, row);
      },
      remove: (tx, key) => deleteNamed(tx, servers, key),
      edited: (db, key) => ({ noun: 'server', id: idOf(db, servers, key) ?? 0 }),
    }),
  ];
}
