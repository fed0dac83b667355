/** One file of the contract as two modules: what needs the schema library, and what doesn't. */
import { childrenOf, edited, type Node } from './source-edit.ts';

export const parts = ['words', 'schemas'] as const;
export type Part = (typeof parts)[number];

interface ContractFile {
  readonly file: string;
  readonly code: string;
  readonly program: Node;
  readonly schemaNamespace: string;
}

export function partOf(part: Part, { file, code, program, schemaNamespace }: ContractFile): string {
  const body = program.body as Node[];
  const imports = body.filter(({ type }) => type === 'ImportDeclaration');
  const statements = body.filter(({ type }) => type !== 'ImportDeclaration');
  const schemas = schemaStatements(statements, new Set([schemaNamespace, ...imports.flatMap(importedSchemas)]));
  const dropped = statements.filter((statement) => schemas.has(statement) === (part === 'words'));
  const kept = edited(
    code,
    dropped.map(({ start, end }) => ({ start, end, text: '' })),
  );
  const words = statements.filter((statement) => !schemas.has(statement));
  if (part === 'schemas')
    return `import { ${words.flatMap(declared).join(', ')} } from ${JSON.stringify(`${file}?words`)};\n${kept}`;
  // The schemas may need what the file keeps to itself.
  const own = words.filter(({ type }) => type !== 'ExportNamedDeclaration').flatMap(declared);
  return `${kept}\nexport { ${own.join(', ')} };`;
}

/** Statements that use one of these names, or a statement that does. */
function schemaStatements(statements: readonly Node[], names: Set<string>): Set<Node> {
  const found = new Set<Node>();
  for (;;) {
    const more = statements.filter((statement) => !found.has(statement) && uses(statement, names));
    if (more.length === 0) return found;
    for (const statement of more) {
      found.add(statement);
      for (const name of declared(statement)) names.add(name);
    }
  }
}

/** Within the contract a schema has a capital, a word or number hasn't. */
function importedSchemas(statement: Node): string[] {
  return (statement.specifiers as Node[]).map(({ local }) => nameOf(local)).filter((name) => /^[A-Z]/.test(name));
}

function declared(statement: Node): string[] {
  const declaration = (statement.declaration ?? statement) as Node;
  if (declaration.type === 'VariableDeclaration') {
    return (declaration.declarations as Node[]).map(({ id }) => nameOf(id));
  }
  return declaration.id ? [nameOf(declaration.id)] : [];
}

function uses(node: Node, names: ReadonlySet<string>): boolean {
  if (node.type === 'Identifier' && names.has(String(node.name))) return true;
  return childrenOf(node).some((child) => uses(child, names));
}

const nameOf = (node: unknown) => String((node as Node).name);
