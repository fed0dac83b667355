/** A component without its style sheet looks broken only where it is used; this test finds it at once. */
import { expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const source = join(import.meta.dir, '..');
const sheets = join(source, '../../node_modules/@mantine/core/styles');
const list = readFileSync(join(import.meta.dir, 'mantine-styles.ts'), 'utf8');
const listed = [...list.matchAll(/styles\/([\w-]+)\.css/g)].map(([, name]) => name ?? '');

/** The parts of a component, besides its own sheet. */
const parts: Readonly<Record<string, readonly string[]>> = {
  Drawer: ['ModalBase', 'Overlay', 'Paper', 'CloseButton'],
  Modal: ['ModalBase', 'Overlay', 'Paper', 'CloseButton'],
  NativeSelect: ['Input'],
  PasswordInput: ['Input', 'ActionIcon'],
  TextInput: ['Input'],
  Checkbox: ['InlineInput', 'Input'],
  Switch: ['InlineInput', 'Input'],
  SegmentedControl: ['FloatingIndicator'],
  Button: ['UnstyledButton', 'Loader'],
};

function usedComponents(): Set<string> {
  const files = (readdirSync(source, { recursive: true }) as string[]).filter((name) => /\.tsx$/.test(name));
  const names = files.flatMap((name) => {
    const text = readFileSync(join(source, name), 'utf8');
    const imports = [...text.matchAll(/import \{([^}]*)\} from '@mantine\/core'/g)];
    return imports.flatMap(([, inner = '']) => inner.split(',').map((one) => one.trim()));
  });
  return new Set(names.filter((name) => /^[A-Z]/.test(name)));
}

test('every component that is used has its style sheets', () => {
  const needed = [...usedComponents()].flatMap((name) => [
    ...(existsSync(join(sheets, `${name}.css`)) ? [name] : []),
    ...(parts[name] ?? []),
  ]);
  expect(needed.length).toBeGreaterThan(5);
  expect([...new Set(needed)].filter((name) => !listed.includes(name))).toEqual([]);
});

test('the sheets that all others build on are first', () => {
  expect(listed.slice(0, 3)).toEqual(['baseline', 'default-css-variables', 'global']);
});

test('no sheet is listed twice', () => {
  expect(new Set(listed).size).toBe(listed.length);
});
