/**
 * Which modules of the build share a file. Automatic splitting gives each set of modules that the same pages use a file
 * of its own: dozens of small ones, which a browser fetches six at a time over HTTP/1.1. These groups merge what is
 * loaded together anyway. Dialogs, plots and the rest of each page keep the files of automatic splitting.
 */
import { dirname, join } from 'node:path';
import type { Rolldown } from 'vite';

type Context = Parameters<Rolldown.CodeSplittingNameFunction>[1];

/** Packages whose index names every module they have, of which the bundler keeps those that are used. */
const indexes =
  /node_modules\/(@mantine\/core|@mantine\/hooks|@tabler\/icons-react)\/.*\/(index|tabler-icons-react)\.mjs$/;

/** In the order of their loading: a module belongs to the first group that has it. */
const names = ['core', 'frame', 'fields', 'password', 'objects', 'table', 'later', 'ndi'] as const;
type Groups = Readonly<Record<(typeof names)[number], ReadonlySet<string>>>;

function groupsOf(src: string, context: Context): Groups {
  const of = (...modules: readonly string[]) =>
    closureOf(
      modules.map((name) => join(src, name)),
      context,
    );
  const page = (name: string) => `features/${name}.tsx`;
  const signIn = of(page('auth/SignInPage'));
  const frame = of('shell/inside.ts', 'ui/overlay/single-keys.ts');
  const dashboard = of(page('dashboard/DashboardPage'));
  const channels = of(page('channels/ChannelListPage'));
  const channel = of(page('channels/ChannelDetailPage'));
  const device = of(page('devices/DevicePage'));
  const network = of(page('network/NetworkPage'));
  const group = of(page('users/GroupPage'));
  const ndiForm = of('shared/sources/NdiFields.tsx');
  const ndiRouter = of(
    ...['NdiRouterPage', 'NetworkSettings', 'sources/InputDialog'].map((name) => page(`ndi-router/${name}`)),
  );
  const otherLists = of(...['inputs/InputListPage', 'outputs/OutputListPage', 'users/UserListPage'].map(page));
  const later = of(
    'shell/alarms/AlarmBell.tsx',
    'shell/tasks/TaskTray.tsx',
    'shell/session/SessionWatch.tsx',
    'shell/palette/KeyHelp.tsx',
  );
  return {
    /** Before anything is shown. */
    core: of('main.tsx').union(signIn.intersection(frame)),
    frame,
    /** What the sign-in page and the forms and lists of other pages have in common. */
    fields: signIn.intersection(channels.union(group)),
    /** What is used only where a password is typed. */
    password: signIn,
    /** What the dashboard and other pages have in common. */
    objects: dashboard.intersection(channels.union(channel).union(device).union(network).union(later)),
    table: channels.intersection(otherLists.union(channel)),
    /** On every page, none of which waits for it. */
    later,
    /** What forms of NDI sources and settings share. */
    ndi: new Set([...ndiForm.intersection(ndiRouter)].filter((id) => dirname(id) === join(src, 'shared/sources'))),
  };
}

export function chunkGroups(src: string): Rolldown.CodeSplittingGroup[] {
  let groups: Groups | undefined;
  return names.map((name, i) => ({
    debugName: name,
    priority: names.length - i,
    name: (id, context) => {
      groups ??= groupsOf(src, context);
      return groups[name].has(id) && !isPart(id, context) ? name : null;
    },
  }));
}

/** `lazy-part.tsx` fetches a part again by the address of its file, which therefore has the exports of that part only. */
function isPart(id: string, context: Context): boolean {
  return (context.getModuleInfo(id)?.dynamicImporters.length ?? 0) > 0;
}

/** These modules and all that they import, except dynamically. */
function closureOf(modules: readonly string[], context: Context): Set<string> {
  const found = new Set<string>();
  const visit = (id: string) => {
    if (found.has(id)) return;
    found.add(id);
    for (const next of importsOf(id, context)) visit(next);
  };
  modules.forEach(visit);
  return found;
}

function importsOf(id: string, context: Context): string[] {
  const info = context.getModuleInfo(id);
  if (info === null) throw new Error(`the build has no module ${id}; was it renamed?`);
  return info.importedIds.flatMap((imported) => {
    const index = indexes.exec(imported)?.[1];
    return index === undefined ? [imported] : namedImports(info.code ?? '', index, imported, context);
  });
}

function namedImports(code: string, from: string, index: string, context: Context): string[] {
  const exported = exportsOf(index, context.getModuleInfo(index)?.code ?? '');
  const statement = new RegExp(`\\{([^{}]*)\\}\\s*from\\s*["']${from}["']`, 'g');
  return [...code.matchAll(statement)].flatMap(([, names = '']) =>
    names.split(',').flatMap((name) => exported.get(name.trim().split(/\s/)[0] ?? '') ?? []),
  );
}

const known = new Map<string, ReadonlyMap<string, string>>();

/** The modules in which the exports of an index are. */
function exportsOf(index: string, code: string): ReadonlyMap<string, string> {
  const before = known.get(index);
  if (before !== undefined) return before;
  const found = new Map<string, string>();
  for (const [, names = '', path = ''] of code.matchAll(/\{([^{}]*)\}\s*from\s*["'](\.[^"']*)["']/g)) {
    for (const name of names.split(',')) {
      found.set(name.trim().split(/\s/).at(-1) ?? '', join(dirname(index), path));
    }
  }
  known.set(index, found);
  return found;
}
