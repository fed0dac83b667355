/** Compares the documentation with the code. */
import { describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { variables } from '../../daemon/config.ts';
import { api } from '../../daemon/contract/api.ts';
import { applianceParts } from '../../daemon/contract/appliance-parts.ts';
import { actionFaults, actionReasons, deviceActions } from '../../daemon/contract/device-actions.ts';
import { deviceProblems } from '../../daemon/contract/device-problems.ts';
import { eventTopics } from '../../daemon/contract/events.ts';
import { forwardReasons } from '../../daemon/contract/forward-states.ts';
import { limits } from '../../daemon/contract/limits.ts';
import { bitOf, closure, holds, permissions } from '../../daemon/contract/permission.ts';
import { type ResultName, results } from '../../daemon/contract/result.ts';
import { unbuiltCalls } from '../../daemon/contract/unbuilt-calls.ts';
import { updateStateOf, updateStates, upgradeFaults, upgradeSteps } from '../../daemon/contract/upgrade-states.ts';
import { resultOfFault } from '../../daemon/features/devices/problem-result.ts';
import { maxBodyBytes } from '../../daemon/http/body.ts';
import { hstsSeconds } from '../../daemon/http/middleware/security-headers.ts';
import packageJson from '../../package.json';
import { endpointsOf } from '../fixtures/endpoints.ts';
import { projectFiles, read, root } from './source-files.ts';

const forwardMembers = ['remote-port', 'local-port', 'address', 'auto-start', 'idle-minutes'];

/** Returns the cells of the rows of a Markdown table whose first cell is in backticks. */
function tableRows(markdown: string): string[][] {
  return [...markdown.matchAll(/^\| `([^`]+)` +\|(.*)\|$/gm)].map(([, name = '', rest = '']) => [
    name,
    ...rest.split('|').map((cell) => cell.trim()),
  ]);
}

/** Returns the anchors of the headings of a Markdown file, as GitHub makes them. */
function anchorsOf(markdown: string): string[] {
  const headings = [...markdown.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading.toLowerCase());
  return headings.map((heading) => heading.replaceAll(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-'));
}

test('every link of a document leads to a file, and to a heading in it', () => {
  const links = projectFiles()
    .filter((path) => path.endsWith('.md'))
    .flatMap((path) =>
      [...read(path).matchAll(/\]\((?!https?:)([^)#]*)#?([^)]*)\)/g)].map(([, target = '', anchor = '']) => {
        const file = target === '' ? path : join(dirname(path), target);
        const isThere = existsSync(join(root, file)) && (anchor === '' || anchorsOf(read(file)).includes(anchor));
        return { link: `${path}: ${target}#${anchor}`, isThere };
      }),
    );
  expect(links.length).toBeGreaterThan(100);
  expect(links.filter(({ isThere }) => !isThere).map(({ link }) => link)).toEqual([]);
});

describe('docs/versions.md', () => {
  const installed: Record<string, string> = { ...packageJson.dependencies, ...packageJson.devDependencies };
  installed.bun = packageJson.packageManager.replace('bun@', '');
  const rows = tableRows(read('docs/versions.md'));

  test.each(rows.map(([name = '', version = '']) => [name, version]))('%s is %s', (name, version) => {
    expect(installed[name]).toBe(version);
  });

  test('every version in package.json is exact', () => {
    expect(rows.length).toBeGreaterThan(10);
    expect(Object.entries(installed).filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
  });
});

test('docs/forwards.md has the reasons of forwards', () => {
  expect(tableRows(read('docs/forwards.md')).map(([name = '']) => name)).toEqual([
    ...forwardMembers,
    ...forwardReasons,
  ]);
});

describe('docs/people.md', () => {
  const people = read('docs/people.md');
  const rows = new Map(tableRows(people).map(([name = '', mask = '', along = '']) => [name, { mask, along }]));

  test.each([...permissions])('describes %s and the permissions that it includes', (permission) => {
    const taken = permissions.filter((one) => one !== permission && holds(closure(bitOf(permission)), one));
    expect(rows.get(permission)).toEqual({
      mask: `\`0x${bitOf(permission).toString(16)}\``,
      along: taken.join(', '),
    });
  });

  test('states the current limits', () => {
    expect(people).toContain(`at most ${limits.users} users and ${limits.userGroups} groups`);
    expect(people).toContain(`${limits.logEntries.toLocaleString('en')} entries, ${limits.logDays / 365} years`);
    expect(people).toContain(`${limits.systemLogLines.toLocaleString('en')} lines`);
  });

  test('names only existing calls', () => {
    const paths = new Set(endpointsOf(api).map(({ method, path }) => `${method} ${path.replace('/api/', '')}`));
    for (const path of ['log/export', 'syslog/export', 'system/support-file']) paths.add(`GET ${path}`);
    const named = [...people.matchAll(/`(GET|POST) ([a-z-]+(?:\/[a-z-]+)*)/g)].map(
      ([, verb, path]) => `${verb} ${path}`,
    );
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((call) => !paths.has(call))).toEqual([]);
  });
});

test('docs/drivers.md shows the smallest driver as it is tested', () => {
  expect(read('docs/drivers.md')).toContain(read('daemon/devices/smallest-driver-for-test.ts'));
});

test('docs/devices.md has a row for each problem and action of a device, and for what forbids or fails one', () => {
  const words = tableRows(read('docs/devices.md')).map(([word]) => word);
  expect(words).toEqual([...deviceProblems, ...deviceActions, ...actionReasons, ...actionFaults]);
});

test('docs/devices.md has the result of each fault of an action', () => {
  const rows = tableRows(read('docs/devices.md')).filter(([word]) => Object.hasOwn(resultOfFault, word ?? ''));
  const stated = Object.fromEntries(rows.map(([word = '', , result]) => [word, Number(result)]));
  const names = Object.entries(resultOfFault).map(([word, name]) => [word, results[name].code]);
  expect(stated).toEqual(Object.fromEntries(names));
});

describe('docs/upgrades.md', () => {
  const rows = tableRows(read('docs/upgrades.md'));

  test('has a row for each step of an upgrade, with the state of the device', () => {
    const steps = rows.slice(0, upgradeSteps.length - 1).map(([step, state]) => [step, Number(state)]);
    const shown = upgradeSteps.filter((step) => step !== 'canceled');
    expect(steps).toEqual(shown.map((step) => [step, updateStates[updateStateOf[step]]]));
  });

  test('has a row for each reason, with its result', () => {
    const reasons = rows.slice(upgradeSteps.length - 1).map(([reason, code]) => [reason, Number(code)]);
    const known = Object.entries(upgradeFaults).map(([reason, result]) => [reason, results[result].code]);
    expect(reasons.toSorted()).toEqual(known.toSorted());
  });
});

describe('docs/api.md', () => {
  const guide = read('docs/api.md');
  const rows = [...guide.matchAll(/^\| (-?\d+) +\| ([a-z]\w+) +\|/gm)].map(([, code, name = '']) => [
    name,
    Number(code),
  ]);

  test('lists the codes that the hub answers', () => {
    const thrown = [...new Bun.Glob('daemon/**/*.ts').scanSync(root)]
      .filter((path) => !path.endsWith('.test.ts'))
      .flatMap((path) => [...read(path).matchAll(/new HubError\(\s*'(\w+)'/g)].map(([, name]) => name));
    const documented = rows.map(([name]) => name);
    expect(new Set(thrown).size).toBeGreaterThan(20);
    expect([...new Set(thrown)].filter((name) => !documented.includes(name!))).toEqual([]);
    for (const [name, code] of rows) expect([name, results[name as ResultName]?.code]).toEqual([name, Number(code)]);
  });

  test('names only rules that exist', () => {
    const known = [...read('web/src/i18n/rule-text.ts').matchAll(/^ {2}(\w+): msg`/gm)].map(([, word]) => word);
    const [paragraph = ''] = /^Rules of a member:.*?\n\n/ms.exec(guide) ?? [];
    const named = [...paragraph.matchAll(/`([a-z][A-Za-z]*)`/g)].map(([, word = '']) => word);
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((word) => word !== 'outgoing' && !known.includes(word))).toEqual([]);
  });

  test('lists the topics of the event stream with their permissions', () => {
    const scopes: Record<string, string> = { 'any session': 'signedIn', administrators: 'admin' };
    const [table = ''] = /^\| Topic .*?\n\n/ms.exec(guide) ?? [];
    const listed = [...table.matchAll(/^\| (`.*?`) +\|.*\| (.+?) +\|$/gm)].flatMap(([, names = '', permission = '']) =>
      [...names.matchAll(/`([a-z-]+)`/g)].map(([, name = '']) => [
        name,
        scopes[permission] ?? permission.replaceAll('`', ''),
      ]),
    );
    expect(Object.fromEntries(listed)).toEqual({ ...eventTopics });
  });

  test('states the current limits', () => {
    expect(guide).toContain(`return ${limits.page.default} rows; more than ${limits.page.max} is`);
    expect(guide).toContain(`have ${limits.innerPage} rows`);
    expect(guide).toContain(`at most ${maxBodyBytes / 1024} KiB`);
  });
});

test('docs/examples/grafana.json names only metrics that docs/api.md lists', () => {
  const dashboard = read('docs/examples/grafana.json');
  const listed = new Set([...read('docs/api.md').matchAll(/^\| `(signalbox_\w+)` /gm)].map(([, name]) => name));
  const named = [...dashboard.matchAll(/signalbox_\w+/g)].map(([name]) => name);
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((name) => !listed.has(name))).toEqual([]);
});

describe('docs/compatibility.md', () => {
  const states = new Map(tableRows(read('docs/compatibility.md')).map(([call = '', state = '']) => [call, state]));
  const built = new Set(
    [...endpointsOf(api), { method: 'GET', path: '/api/preview/open' }].map(
      ({ method, path }) => `${method} ${path.replace('/api/', '')}`,
    ),
  );

  test('says which published calls this version has', () => {
    expect(states.size).toBe(51);
    for (const [call, state] of states) {
      expect(['conforms', 'differs', 'not yet']).toContain(state);
      expect([call, state === 'not yet']).toEqual([call, !built.has(call)]);
    }
    const missing = unbuiltCalls.map(({ method, path }) => `${method} ${path.replace('/api/', '')}`);
    const notYet = [...states].filter(([, state]) => state === 'not yet').map(([call]) => call);
    expect(notYet.toSorted()).toEqual(missing.toSorted());
  });
});

describe('docs/security.md', () => {
  const security = read('docs/security.md');

  test('names only existing files', () => {
    const named = [...security.matchAll(/`((?:daemon|native|system|tests|web)\/[\w./-]+)`/g)].map(
      ([, path = '']) => path,
    );
    expect(named.length).toBeGreaterThan(3);
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  test('states the current HTTPS settings', () => {
    expect(security).toContain(variables.httpsPort.fallback);
    expect(security).toContain(`max-age=${hstsSeconds}`);
  });
});

describe('README.md', () => {
  const readme = read('README.md');
  const shown = new Map(
    tableRows(readme).map(([name = '', fallback = '', meaning = '']) => [name, { fallback, meaning }]),
  );

  test.each(Object.values(variables).map((variable) => [variable.name, variable] as const))(
    'describes %s as the daemon does',
    (name, { fallback, meaning }) => {
      expect(shown.get(name)?.meaning).toBe(meaning);
      // The default of the RTSP port depends on who runs the hub; the document names both.
      expect(shown.get(name)?.fallback.split(/, | as root/)).toContain(fallback);
    },
  );

  test('describes no removed setting', () => {
    const known = Object.values<{ name: string }>(variables).map(({ name }) => name);
    const mentioned = [...readme.matchAll(/SIGNALBOX_[A-Z_]+/g)].map(([name]) => name);
    expect(mentioned.filter((name) => !known.includes(name))).toEqual([]);
  });

  test('names only existing targets', () => {
    const targets = [...read('Makefile').matchAll(/^([a-z-]+):/gm)].map(([, name]) => name);
    const named = [...readme.matchAll(/\bmake ([a-z-]+)/g)].map(([, name]) => name);
    expect(named.filter((name) => !targets.includes(name))).toEqual([]);
  });
});

describe('docs/appliance.md', () => {
  const text = read('docs/appliance.md');

  test('names a test that exists for each case, or says that there is none', () => {
    const rows = [...text.matchAll(/^\| ([NFSA]\d+) +\| (.+?) +\| `([^`]+)` +\|$/gm)];
    const absent = rows.filter(([, id = '', title = '', file = '']) => {
      const source = existsSync(join(root, file)) ? read(file) : '';
      return !source.includes(`'${id}: ${title}'`) && !source.includes(`'${title}'`);
    });
    expect(absent.map(([row]) => row)).toEqual([]);
    const numbered = (letter: string, count: number) => Array.from({ length: count }, (_, at) => `${letter}${at + 1}`);
    const cases = [...numbered('N', 20), ...numbered('F', 13), ...numbered('S', 12), 'A11', 'A12', 'A14', 'A17'];
    const named = new Set(rows.map(([, id]) => id));
    const without = /^Not proved by a test yet: (.*)\.$/m.exec(text)?.[1]?.split(', ') ?? [];
    expect(cases.filter((id) => !named.has(id)).toSorted()).toEqual([...without, 'S4'].toSorted());
  });

  test('has a row for each part that may be missing, and the packages are those of an appliance', () => {
    const rows = tableRows(text).filter(([name = '']) => applianceParts.some((part) => part === name));
    expect(rows.map(([name]) => name)).toEqual([...applianceParts]);
    // The bus comes with NetworkManager.
    const packages = ['dbus', ...read('system/appliance/packages').split('\n')];
    const commands = read('web/src/shared/appliance/missing-text.ts').matchAll(/'sudo apt install ([^']+)'/g);
    const named = [...commands].map(([, name = '']) => name);
    expect(named.length).toBeGreaterThan(3);
    expect(named.filter((name) => !packages.includes(name))).toEqual([]);
    expect(
      rows.filter(([, , how = '']) => !named.some((name) => how.includes(`\`${name}\``))).map(([name]) => name),
    ).toEqual(['helper']);
  });
});
