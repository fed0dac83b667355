/**
 * The contract's table of calls without its schemas, for the bundle: to the console they are types. What a form checks,
 * it imports by name. Saves the sign-in page and the dashboard the schema library and the whole contract.
 */
import type { Plugin } from 'vite';

/** Name of the schema library within the contract: calls through it have no effect, and unused ones are left out. */
export const schemaNamespace = 'contractSchemas';

const contract = /\/daemon\/contract\/[a-z]+\.ts$/;
const methods: Readonly<Record<string, string>> = { get: 'GET', post: 'POST' };

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [member: string]: unknown;
}

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export function contractCalls(): Plugin {
  return {
    name: 'contract-calls',
    apply: 'build',
    transform: {
      filter: { id: contract },
      handler(code) {
        const edits: Edit[] = [];
        visit(this.parse(code) as unknown as Node, edits);
        const text = edits
          .toSorted((a, b) => b.start - a.start)
          .reduce((rest, edit) => rest.slice(0, edit.start) + edit.text + rest.slice(edit.end), code);
        return { code: text, map: null, moduleSideEffects: false };
      },
    },
  };
}

/** `get('/api/...', {...})` becomes the method and the path; `z` gets a name that nothing else in the bundle has. */
function visit(node: Node, edits: Edit[]): void {
  if (node.type === 'Identifier' && node.name === 'z') {
    edits.push({ start: node.start, end: node.end, text: schemaNamespace });
  }
  if (node.type === 'CallExpression') {
    const callee = node.callee as Node;
    const first = (node.arguments as Node[])[0];
    const method = callee.type === 'Identifier' ? methods[String(callee.name)] : undefined;
    if (method !== undefined && typeof first?.value === 'string' && first.value.startsWith('/api/')) {
      const text = JSON.stringify({ method, path: first.value });
      edits.push({ start: node.start, end: node.end, text });
      return;
    }
  }
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (typeof child === 'object' && child !== null && 'type' in child) visit(child as Node, edits);
    }
  }
}
