/**
 * The contract in the bundle: its table of calls without its schemas, because to the console they are types, and each
 * file as two modules, words and numbers apart from the schemas that forms check with. A chunk takes whole modules: the
 * number of a state would otherwise bring the schema library to the dashboard.
 */
import { readFile } from 'node:fs/promises';
import type { Plugin } from 'vite';
import { partOf, parts } from './contract-parts.ts';
import { childrenOf, type Edit, edited, type Node } from './source-edit.ts';

/** Name of the schema library within the contract: calls through it have no effect, and unused ones are left out. */
export const schemaNamespace = 'contractSchemas';

const contract = /\/daemon\/contract\/[a-z-]+\.ts(\?(words|schemas))?$/;
const methods: Readonly<Record<string, string>> = { get: 'GET', post: 'POST', upload: 'POST' };

export function contractCalls(): Plugin {
  return {
    name: 'contract-calls',
    apply: 'build',
    resolveId: { filter: { id: /\?(words|schemas)$/ }, handler: (id) => (contract.test(id) ? id : null) },
    load: {
      filter: { id: contract },
      async handler(id) {
        const [file = '', part] = id.split('?');
        if (part !== undefined) return { code: await readFile(file, 'utf8'), moduleType: 'ts' };
        return parts.map((name) => `export * from ${JSON.stringify(`${file}?${name}`)};`).join('\n');
      },
    },
    transform: {
      filter: { id: contract },
      handler(code, id) {
        const [file = '', name] = id.split('?');
        const part = parts.find((one) => one === name);
        const parse = (text: string) => this.parse(text) as unknown as Node;
        const calls = edited(code, callsIn(parse(code)));
        const text =
          part === undefined ? code : partOf(part, { file, code: calls, program: parse(calls), schemaNamespace });
        return { code: text, map: null, moduleSideEffects: false };
      },
    },
  };
}

/** `get('/api/...', {...})` becomes the method and the path; `z` gets a name that nothing else in the bundle has. */
function callsIn(node: Node): Edit[] {
  if (node.type === 'Identifier' && node.name === 'z') return [{ ...placeOf(node), text: schemaNamespace }];
  if (node.type === 'CallExpression') {
    const callee = node.callee as Node;
    const first = (node.arguments as Node[])[0];
    const method = callee.type === 'Identifier' ? methods[String(callee.name)] : undefined;
    if (method !== undefined && typeof first?.value === 'string' && first.value.startsWith('/api/')) {
      return [{ ...placeOf(node), text: JSON.stringify({ method, path: first.value }) }];
    }
  }
  return childrenOf(node).flatMap(callsIn);
}

const placeOf = ({ start, end }: Node) => ({ start, end });
