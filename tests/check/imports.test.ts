import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { faultOf, type Import, importsOf, isTest } from './import-rules.ts';
import { isTypeScript, projectFiles, read } from './source-files.ts';

/** A loaded machine takes several times as long to build and compile. */
setDefaultTimeout(60_000);

const sources = projectFiles()
  .filter((path) => isTypeScript(path) && /^(daemon|web|native|tests)\//.test(path))
  .map((path) => ({ path, text: read(path) }));

const allowed: [from: string, to: string][] = [
  ['web/src/api/client.ts', 'daemon/contract/calls.ts'],
  ['daemon/contract/auth.ts', 'zod/mini'],
  ['daemon/contract/auth.ts', 'daemon/contract/rules.ts'],
  ['daemon/features/channels/service.ts', 'daemon/features/channels/store.ts'],
  ['daemon/features/channels/service.ts', 'daemon/media/protocol/messages.ts'],
  ['daemon/http/app.ts', 'daemon/features/channels/routes.ts'],
  ['daemon/roles/hub.ts', 'daemon/start-hub.ts'],
  ['daemon/start-hub.ts', 'daemon/hub.ts'],
  ['daemon/engine/bus/bus.test.ts', 'tests/fixtures/clip.ts'],
  ['daemon/link/link-server.ts', 'daemon/lib/log.ts'],
  ['daemon/appliance/net/profile.ts', 'daemon/contract/network-fields.ts'],
  ['daemon/features/network/service.ts', 'daemon/appliance/net/port.ts'],
  ['daemon/link/link-server.ts', 'daemon/timing.ts'],
  ['web/vite.config.ts', 'node:path'],
  ['web/src/shell/menu/Sidebar.tsx', 'web/src/shared/system/system-query.ts'],
  ['web/src/features/channels/ChannelListPage.tsx', 'web/src/features/channels/run-look.ts'],
  ['web/src/routes.tsx', 'web/src/features/channels/ChannelListPage.tsx'],
  ['web/src/ui/form/useEditedForm.test.ts', 'web/src/api/query-client.ts'],
];

const forbidden: [from: string, to: string][] = [
  ['web/src/api/client.ts', 'daemon/http/app.ts'],
  ['web/src/api/client.ts', 'daemon/lib/log.ts'],
  ['web/src/lib/time.ts', 'node:path'],
  ['web/src/lib/time.test.ts', 'daemon/lib/log.ts'],
  ['daemon/contract/auth.ts', 'daemon/lib/log.ts'],
  ['daemon/contract/auth.ts', 'hono'],
  ['daemon/contract/auth.ts', 'node:crypto'],
  ['daemon/features/channels/service.ts', 'daemon/features/outputs/service.ts'],
  ['daemon/features/channels/service.ts', 'daemon/hub.ts'],
  ['daemon/engine/engine.ts', 'daemon/features/channels/service.ts'],
  ['daemon/engine/engine.ts', 'daemon/store/schema.ts'],
  ['daemon/features/channels/service.ts', 'daemon/engine/channel/channel.ts'],
  ['daemon/media/port.ts', 'daemon/engine/engine.ts'],
  ['daemon/hub.ts', 'daemon/engine/engine.ts'],
  ['daemon/lib/log.ts', 'daemon/engine/bus/bus.ts'],
  ['daemon/sources/stream-url.ts', 'daemon/store/database.ts'],
  ['daemon/link/link-server.ts', 'daemon/features/devices/service.ts'],
  ['daemon/link/link-server.ts', 'daemon/store/secrets.ts'],
  ['daemon/appliance/net/profile.ts', 'daemon/features/network/service.ts'],
  ['daemon/appliance/net/profile.ts', 'daemon/store/database.ts'],
  ['daemon/appliance/this-machine.ts', 'daemon/http/app.ts'],
  ['native/ndi/symbols.ts', 'daemon/features/ndi/service.ts'],
  ['daemon/http/static.ts', 'web/src/lib/paths.ts'],
  ['web/src/ui/table/DataTable.tsx', 'web/src/api/session.ts'],
  ['web/src/api/live.ts', 'web/src/shared/streams/channels-query.ts'],
  ['web/src/shared/page/PageHeader.tsx', 'web/src/features/users/GroupPage.tsx'],
  ['web/src/features/channels/ChannelDetailPage.tsx', 'web/src/features/outputs/OutputListPage.tsx'],
  ['web/src/features/channels/ChannelDetailPage.tsx', 'web/src/shell/frame/Shell.tsx'],
  ['web/src/shell/menu/Sidebar.tsx', 'web/src/routes.tsx'],
  ['web/src/utils/helpers.ts', 'web/src/lib/format.ts'],
  ['daemon/engine/bus/bus.ts', 'tests/fixtures/clip.ts'],
  ['daemon/engine/bus/bus.ts', 'daemon/engine/bus/bus.test.ts'],
];

const withoutDynamicImports = (path: string) => read(path).replaceAll('import(', 'later(');

describe('import direction', () => {
  test.each(allowed)('%s may import %s', (from, to) => {
    expect(faultOf({ from, to, typeOnly: false })).toBeUndefined();
  });

  test.each(forbidden)('%s may not import %s', (from, to) => {
    expect(faultOf({ from, to, typeOnly: false })).toBeString();
  });

  test('only types may be imported from the app by the console and from another feature’s service, and no store', () => {
    const fault = (from: string, to: string) => faultOf({ from, to, typeOnly: true });
    expect(fault('web/src/api/client.ts', 'daemon/http/app.ts')).toBeUndefined();
    expect(fault('daemon/features/channels/service.ts', 'daemon/features/outputs/service.ts')).toBeUndefined();
    expect(fault('daemon/features/channels/service.ts', 'daemon/features/outputs/store.ts')).toBeString();
    expect(fault('daemon/engine/engine.ts', 'daemon/features/channels/service.ts')).toBeString();
    expect(fault('daemon/contract/auth.ts', 'daemon/lib/log.ts')).toBeString();
  });

  test('every form of import is detected', () => {
    const text = [
      "import type { A } from './a.ts';",
      'import {',
      '  b,',
      "} from '../b.ts';",
      "import './c.ts';",
      "export * from './d.ts';",
      "export type { E } from './e.ts';",
      "const f = await import('./f.ts');",
      "type G = typeof import('./g.ts');",
    ].join('\n');
    const seen = importsOf('x/y/z.ts', text).map(({ to, typeOnly }) => `${to}${typeOnly ? ' type' : ''}`);
    expect(seen.sort()).toEqual([
      'x/b.ts',
      'x/y/a.ts type',
      'x/y/c.ts',
      'x/y/d.ts',
      'x/y/e.ts type',
      'x/y/f.ts',
      'x/y/g.ts type',
    ]);
  });

  test('the sources follow the rules', () => {
    const faults = sources
      .flatMap(({ path, text }) => importsOf(path, text))
      .map((found) => ({ found, fault: faultOf(found) }))
      .filter(({ fault }) => fault !== undefined)
      .map(({ found, fault }) => `${describeImport(found)}: ${fault}`);
    expect(faults).toEqual([]);
  });

  test('the hub loads no code of the engine', () => {
    const loaded = [...loadedFrom(['daemon/start-hub.ts'], read)];
    expect(loaded.length).toBeGreaterThan(100);
    expect(loaded.filter((path) => path.startsWith('daemon/engine/'))).toEqual([]);
  });

  test('the hub loads no schemas and routes of calls before the first of them', () => {
    const loaded = [...loadedFrom(['daemon/start-hub.ts'], withoutDynamicImports)];
    expect(loaded).toContain('daemon/http/app.ts');
    const isOfCalls = (path: string) =>
      /^daemon\/contract\/.*\.ts$/.test(path) ? read(path).includes('= endpoints(') : /routes\.ts$/.test(path);
    expect(loaded.filter(isOfCalls)).toEqual([]);
  });

  test('the console loads no call with its schemas', () => {
    const pages = sources.filter(({ path }) => path.startsWith('web/src/') && !isTest(path)).map(({ path }) => path);
    const loaded = loadedFrom(pages, read);
    expect(loaded).toContain('daemon/contract/calls.ts');
    expect(loaded).not.toContain('daemon/contract/endpoint.ts');
  });

  test('the sign-in page and the dashboard load no schemas', () => {
    const pages = ['main', 'features/auth/SignInPage', 'features/dashboard/DashboardPage', 'shell/frame/PageFrame'];
    const loaded = loadedFrom(
      pages.map((page) => `web/src/${page}.tsx`),
      withoutDynamicImports,
    );
    expect(loaded).toContain('daemon/contract/streams.ts');
    expect(loaded).not.toContain('zod/mini');
  });

  test('every import that the bundler would load is detected', () => {
    const missed: string[] = [];
    for (const { path, text } of sources) {
      const seen = new Set(importsOf(path, text).map(({ to }) => to));
      const loader = path.endsWith('x') ? 'tsx' : 'ts';
      for (const { path: specifier, kind } of new Bun.Transpiler({ loader }).scanImports(text)) {
        const resolved = importsOf(path, `import '${specifier}'`)[0]?.to ?? specifier;
        // The transpiler adds the JSX runtime.
        const isOurs = kind === 'import-statement' || kind === 'dynamic-import';
        if (isOurs && !specifier.startsWith('react/jsx') && !seen.has(resolved)) missed.push(`${path}: ${specifier}`);
      }
    }
    expect(missed).toEqual([]);
  });
});

/** The given files and what they import, directly or not. */
function loadedFrom(starts: readonly string[], textOf: (path: string) => string): ReadonlySet<string> {
  const paths = new Set(sources.map(({ path }) => path));
  const loaded = new Set(starts);
  // Iterating a set also visits entries that are added in the meantime.
  for (const path of loaded) {
    if (!paths.has(path)) continue;
    for (const { to, typeOnly } of importsOf(path, textOf(path))) if (!typeOnly) loaded.add(to);
  }
  return loaded;
}

function describeImport({ from, to }: Import): string {
  return `${from} imports ${to}`;
}
