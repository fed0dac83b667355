import { expect, test } from 'bun:test';
import { parseAst } from 'vite';
import { type Part, partOf } from './contract-parts.ts';
import type { Node } from './source-edit.ts';

const code = `import * as schemas from 'library';
import { Port } from './rules.ts';
import { limits } from './limits.ts';
const most = limits.most;
export const bits = { one: 1, two: 2 };
const Small = schemas.number();
export const Size = schemas.object({ small: Small, most });
export const Address = schemas.object({ port: Port });
export function nameOf(bit) { return Object.keys(bits)[bit]; }
export const api = { list: { method: 'GET', path: '/api/list' } };
`;
const part = (name: Part) =>
  partOf(name, { file: 'x.ts', code, program: parseAst(code) as unknown as Node, schemaNamespace: 'schemas' });
const has = (text: string, names: readonly string[]) =>
  names.filter((name) => new RegExp(`(const|function) ${name}\\b`).test(text));

test('constants are separate from schemas, which may use them', () => {
  const names = ['most', 'bits', 'Small', 'Size', 'Address', 'nameOf', 'api'];
  expect(has(part('words'), names)).toEqual(['most', 'bits', 'nameOf', 'api']);
  expect(has(part('schemas'), names)).toEqual(['Small', 'Size', 'Address']);
  expect(part('words')).toContain('export { most };');
  expect(part('schemas')).toContain('import { most, bits, nameOf, api } from "x.ts?words";');
});
