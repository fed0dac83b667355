/**
 * Gives the schemas of the contract their names and doc comments, which are otherwise lost when the program runs: an
 * exported schema is registered under its name, and a comment before it or before a member becomes its description.
 * Import this file before any file of the contract.
 */
import { join } from 'node:path';
import { parse } from '@babel/parser';
import { plugin } from 'bun';

const contract = join(import.meta.dir, '../../daemon/contract');
const functions = join(import.meta.dir, 'documented.ts');

plugin({
  name: 'doc-comments',
  setup(build) {
    build.onLoad({ filter: /\/daemon\/contract\/[a-z-]+\.ts$/ }, async ({ path }) => {
      const source = await Bun.file(path).text();
      return { contents: path.startsWith(contract) ? documented(source) : source, loader: 'ts' };
    });
  },
});

/** As far as this file needs the parser's tree. */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly leadingComments?: readonly { readonly type: string; readonly value: string }[];
  readonly [member: string]: unknown;
}

interface Wrap {
  readonly start: number;
  readonly end: number;
  readonly call: string;
}

/** Wraps each documented expression in a call of documented.ts. */
function documented(source: string): string {
  const tree = parse(source, { sourceType: 'module', plugins: ['typescript'] });
  const wraps = wrapsOf(tree.program as unknown as Node).toSorted((a, b) => b.start - a.start);
  let text = source;
  // From the last to the first, and the inner ones first: earlier positions stay valid, except for the outer ends.
  const ends: { at: number; added: number }[] = [];
  for (const { start, end, call } of wraps) {
    const moved = ends.filter(({ at }) => at < end).reduce((sum, { added }) => sum + added, 0);
    const head = `${call}(`;
    text = `${text.slice(0, start)}${head}${text.slice(start, end + moved)})${text.slice(end + moved)}`;
    ends.push({ at: start, added: head.length + 1 });
  }
  return `import { described, named } from ${JSON.stringify(functions)};\n${text}`;
}

function wrapsOf(program: Node): Wrap[] {
  const wraps: Wrap[] = [];
  const wrap = ({ start, end }: Node, call: string) => wraps.push({ start, end, call });
  const visit = (node: Node, exported: Node | undefined): void => {
    const doc = docOf(exported ?? node);
    if (node.type === 'ObjectProperty' && doc !== undefined)
      wrap(node.value as Node, `described(${JSON.stringify(doc)})`);
    if (node.type === 'VariableDeclaration') {
      for (const { id, init } of node.declarations as { id: { name: string }; init: Node }[]) {
        if (exported && /^[A-Z]/.test(id.name))
          wrap(init, `named(${JSON.stringify(id.name)}, ${JSON.stringify(doc ?? '')})`);
        else if (doc !== undefined) wrap(init, `described(${JSON.stringify(doc)})`);
      }
    }
    for (const child of childrenOf(node)) visit(child, node.type === 'ExportNamedDeclaration' ? node : undefined);
  };
  visit(program, undefined);
  return wraps;
}

function childrenOf(node: Node): Node[] {
  const isNode = (value: unknown): value is Node => typeof (value as Node | null)?.type === 'string';
  return Object.entries(node)
    .filter(([name]) => !name.endsWith('Comments'))
    .flatMap(([, value]) => value)
    .filter(isNode);
}

/** The text of the doc comment that belongs to a node. */
function docOf(node: Node): string | undefined {
  const last = node.leadingComments?.at(-1);
  if (last?.type !== 'CommentBlock' || !last.value.startsWith('*')) return undefined;
  const lines = last.value.slice(1).split('\n');
  return lines
    .map((line) => line.replace(/^\s*\*?\s*/, '').trim())
    .join(' ')
    .trim();
}
