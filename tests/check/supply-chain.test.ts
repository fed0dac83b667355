/** The supply chain: the Bun that is downloaded, and the bill of materials. */
import { afterEach, describe, expect, test } from 'bun:test';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import packageJson from '../../package.json';
import { makeSbom } from '../../system/dev/sbom.ts';
import { root } from './source-files.ts';

const version = '9.8.7';
const dirs: string[] = [];
afterEach(() => {
  for (const dir of dirs.splice(0)) rmSync(dir, { recursive: true });
});

const digestOf = (text: string) => new Bun.CryptoHasher('sha256').update(text).digest('hex');
/** Replaces Bun: prints its version, and leaves a file when it is run. */
const fakeBun = (name: string) => `#!/bin/sh\ntouch "$(dirname "$0")/ran-${name}"\necho ${version}\n`;

/** Creates a project with one npm and, if given, one Bun on the PATH. */
function project({ published, fetched, own }: { published: string; fetched: string; own?: string }) {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'signalbox-bun-')));
  dirs.push(dir);
  const put = (path: string, text: string) => {
    mkdirSync(join(dir, path, '..'), { recursive: true });
    writeFileSync(join(dir, path), text);
    chmodSync(join(dir, path), 0o755);
  };
  mkdirSync(join(dir, 'system/dev'), { recursive: true });
  cpSync(join(root, 'system/dev/bun.sh'), join(dir, 'system/dev/bun.sh'));
  writeFileSync(join(dir, 'system/dev/bun.sha256'), `${digestOf(published)}  ${version}/linux-x64\n`);
  const place = '.toolchain/node_modules/@oven/bun-linux-x64/bin';
  put('fetched', fetched);
  put('bin/npm', `#!/bin/sh\nmkdir -p "${dir}/${place}"\ncp "${dir}/fetched" "${dir}/${place}/bun"\n`);
  if (own !== undefined) put('bin/bun', own);
  return {
    dir,
    run(env: Record<string, string> = {}) {
      const all = { PATH: `${dir}/bin:/usr/bin:/bin`, ...env };
      const { exitCode, stderr } = Bun.spawnSync(['bash', join(dir, 'system/dev/bun.sh'), version], { env: all });
      return { exitCode, output: stderr.toString() };
    },
    chosen: () => realpathSync(join(dir, '.toolchain/bin/bun')),
    fetchedPlace: join(dir, place),
  };
}

describe('the Bun that make uses', () => {
  test('is the one from npm, if it is the published file', () => {
    const { run, chosen, fetchedPlace } = project({ published: fakeBun('npm'), fetched: fakeBun('npm') });
    expect(run()).toEqual({ exitCode: 0, output: '' });
    expect(chosen()).toBe(join(fetchedPlace, 'bun'));
  });

  test('is not a different file from npm, which is not even run', () => {
    const { run, dir, fetchedPlace } = project({ published: fakeBun('npm'), fetched: fakeBun('other') });
    const { exitCode, output } = run();
    expect(exitCode).toBe(1);
    expect(output).toContain('is not Bun 9.8.7 as published');
    const traces = [join(dir, '.toolchain/bin/bun'), join(fetchedPlace, 'ran-other')];
    expect(traces.filter((path) => existsSync(path))).toEqual([]);
  });

  test('is an installed one only if it is the published file or is explicitly trusted', () => {
    const same = project({ published: fakeBun('own'), fetched: fakeBun('npm'), own: fakeBun('own') });
    expect(same.run().exitCode).toBe(0);
    expect(same.chosen()).toBe(join(same.dir, 'bin/bun'));
    const another = project({ published: fakeBun('npm'), fetched: fakeBun('npm'), own: fakeBun('own') });
    expect(another.run().exitCode).toBe(0);
    expect(another.chosen()).toBe(join(another.fetchedPlace, 'bun'));
    expect(existsSync(join(another.dir, 'bin/ran-own'))).toBe(false);
    expect(another.run({ OWN_BUN: 'trust' }).output).toContain('Build no release with it');
    expect(another.chosen()).toBe(join(another.dir, 'bin/bun'));
  });

  test('is reported as missing with a remedy if npm provides none', () => {
    const { run, dir } = project({ published: fakeBun('npm'), fetched: fakeBun('npm') });
    writeFileSync(join(dir, 'bin/npm'), '#!/bin/sh\nexit 7\n');
    const { exitCode, output } = run();
    expect([exitCode, output]).toEqual([1, expect.stringContaining('OWN_BUN=trust')]);
  });

  test('has a digest for each processor', () => {
    const lines = readFileSync(join(root, 'system/dev/bun.sha256'), 'utf8').trimEnd().split('\n');
    const pinned = packageJson.packageManager.replace('bun@', '');
    expect(lines.map((line) => line.split('  ')[1])).toEqual(
      ['linux-x64', 'linux-x64-baseline', 'linux-aarch64'].map((platform) => `${pinned}/${platform}`),
    );
    for (const line of lines) expect(line).toMatch(/^[0-9a-f]{64} {2}/);
  });
});

test('no package may run a script during installation', () => {
  expect(packageJson.trustedDependencies).toEqual([]);
});

describe('the bill of materials', () => {
  const sbom = makeSbom();
  const refs = new Set(sbom.components.map((component) => component['bom-ref']));

  test('lists the dependencies of package.json in the versions of bun.lock, with digests and licenses', () => {
    const { dependencies, devDependencies } = packageJson;
    for (const [name, at] of Object.entries({ ...dependencies, ...devDependencies })) {
      const component = sbom.components.find((one) => one.name === name && one.version === at);
      expect(component).toMatchObject({ type: 'library', purl: `pkg:npm/${name.replace('@', '%40')}@${at}` });
      expect(component?.hashes?.[0]).toMatchObject({
        alg: 'SHA-512',
        content: expect.stringMatching(/^[0-9a-f]{128}$/),
      });
      expect(component?.licenses?.[0]).toHaveProperty('expression');
    }
    expect(sbom.components.length).toBeGreaterThan(200);
  });

  test('lists Bun with its digest, and the Debian packages that the hub requires', () => {
    const bun = sbom.components.find(({ name }) => name === 'bun');
    expect(bun).toMatchObject({ type: 'platform', version: packageJson.packageManager.replace('bun@', '') });
    expect(bun?.hashes?.[0]).toMatchObject({ alg: 'SHA-256', content: expect.stringMatching(/^[0-9a-f]{64}$/) });
    if (Bun.which('dpkg-query') === null) return;
    const debian = sbom.components.filter(({ purl }) => purl?.startsWith('pkg:deb/')).map(({ name }) => name);
    expect(debian).toContain('openssl');
  });

  test('lists each component once, and its dependencies are all listed', () => {
    expect(refs.size).toBe(sbom.components.length);
    expect(sbom).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.6', version: 1 });
    const known = new Set([...refs, sbom.metadata.component['bom-ref']]);
    for (const { ref, dependsOn } of sbom.dependencies) {
      expect([ref, ...dependsOn].filter((one) => !known.has(one))).toEqual([]);
    }
    const own = sbom.dependencies.find(({ ref }) => ref === 'signalbox');
    expect(own?.dependsOn).toContain(`pkg:npm/hono@${packageJson.dependencies.hono}`);
  });

  test('is the same on every run', () => {
    expect(makeSbom()).toEqual(sbom);
  });
});
