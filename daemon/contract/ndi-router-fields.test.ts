import { expect, test } from 'bun:test';
import { NdiAddress } from './ndi.ts';
import { NdiBaseName, NdiGroups, NdiLabel, NdiOutputName, NdiSourceName, SalvoName } from './ndi-router-fields.ts';
import { HubName } from './rules.ts';
import { settingsFields } from './settings-fields.ts';

const { groups, 'discovery-server': servers, 'extra-ips': extraIps } = NdiAddress.shape;
const fields = {
  ...{ NdiBaseName, NdiGroups, NdiLabel, NdiOutputName, NdiSourceName, SalvoName, HubName, groups },
  model: settingsFields.videohub.shape.model,
};

test.each([
  ['NUL', '\0'],
  ['a line break', '\n'],
  ['a carriage return', '\r'],
  ['the next-line character', '\u0085'],
  ['a line separator', '\u2028'],
])('no name, group or label of NDI, and nothing else that panels show, has %s', (_, sign) => {
  for (const [name, schema] of Object.entries(fields)) {
    const rules = schema.safeParse(`a${sign}b`).error?.issues.map(({ message }) => message);
    expect([name, rules?.includes('characters')]).toEqual([name, true]);
  }
  for (const [schema, good] of [
    [servers, 'a.example'],
    [extraIps, '192.0.2.1'],
    [groups, 'a'],
  ] as const) {
    expect(schema.safeParse(`${good},${good}`).success).toBe(true);
    expect(schema.safeParse(`${good},${sign}${good}`).success).toBe(false);
  }
});
