/**
 * Writes the software bill of materials: what the hub is built from and runs with, in CycloneDX 1.6. The same tree on the
 * same machine makes the same file, so it carries no time and no serial number.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

interface License {
  readonly expression?: string;
  readonly license?: { readonly name: string };
}

export interface Component {
  readonly type: 'application' | 'library' | 'platform';
  readonly 'bom-ref': string;
  readonly name: string;
  readonly version: string;
  readonly purl?: string;
  readonly hashes?: readonly { readonly alg: 'SHA-256' | 'SHA-512'; readonly content: string }[];
  readonly licenses?: readonly License[];
}

export interface Sbom {
  readonly bomFormat: 'CycloneDX';
  readonly specVersion: '1.6';
  readonly version: 1;
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

interface Lock {
  readonly workspaces: Readonly<Record<string, Dependencies>>;
  /** By place in node_modules, with slashes between: name@version, registry, what it needs, integrity. */
  readonly packages: Readonly<Record<string, readonly [string, string, Needs, string]>>;
}
type Dependencies = Readonly<
  Partial<Record<'dependencies' | 'devDependencies' | 'optionalDependencies', Readonly<Record<string, string>>>>
>;
type Needs = Dependencies & { readonly os?: string | readonly string[] };

const root = join(import.meta.dir, '../..');

/** What the endpoints and the hub load or start; a pattern where Debian has the version in the name. */
const debianPackages = [
  ...['ca-certificates', 'ffmpeg', 'openssl', 'libc6', 'libcjson1', 'libssl3*', 'libsrt1*-openssl*'],
  ...['libavcodec[0-9]*', 'libavfilter[0-9]*', 'libavformat[0-9]*', 'libavutil[0-9]*'],
];

export function makeSbom(): Sbom {
  const lock = Bun.JSONC.parse(readFileSync(join(root, 'bun.lock'), 'utf8')) as Lock;
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as PackageManifest;
  const places = Object.keys(lock.packages).filter((place) => isForLinux(lock.packages[place]?.[2].os));
  const npm = new Map(places.map((place) => [place, npmComponent(place, lock.packages[place])]));
  const refsOf = (place: string, needs: Dependencies | undefined) =>
    namesOf(needs).flatMap((name) => npm.get(resolve(npm, place, name))?.['bom-ref'] ?? []);
  const bun = bunComponent(manifest.packageManager.replace('bun@', ''));
  const others = [bun, ...installedDebianPackages()];
  const own: Component = {
    ...{ type: 'application', 'bom-ref': manifest.name, name: manifest.name, version: manifest.version },
    licenses: [{ expression: manifest.license }],
  };
  const ownRefs = [...refsOf('', lock.workspaces['']), ...others.map((one) => one['bom-ref'])];
  const graph = new Map([[own['bom-ref'], new Set(ownRefs)]]);
  for (const [place, component] of npm) {
    const known = graph.get(component['bom-ref']) ?? new Set();
    graph.set(component['bom-ref'], known.union(new Set(refsOf(place, lock.packages[place]?.[2]))));
  }
  // A package may lie in several places.
  const components = new Map([...npm.values(), ...others].map((one) => [one['bom-ref'], one]));
  return {
    ...{ bomFormat: 'CycloneDX', specVersion: '1.6', version: 1, metadata: { component: own } },
    components: [...components.values()].toSorted((a, b) => compare(a['bom-ref'], b['bom-ref'])),
    dependencies: [...graph]
      .map(([ref, refs]) => ({ ref, dependsOn: [...refs].toSorted(compare) }))
      .toSorted((a, b) => compare(a.ref, b.ref)),
  };
}

interface PackageManifest {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly packageManager: string;
}

function isForLinux(os: Needs['os']): boolean {
  return os === undefined || [os].flat().includes('linux');
}

function namesOf(needs: Dependencies | undefined): string[] {
  const { dependencies, devDependencies, optionalDependencies } = needs ?? {};
  return Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies });
}

/** Where the package at `place` finds `name`: below itself, or below one of those that it lies in. */
function resolve(npm: ReadonlyMap<string, unknown>, place: string, name: string): string {
  const parts = partsOf(place);
  for (let depth = parts.length; depth > 0; depth--) {
    const candidate = [...parts.slice(0, depth), name].join('/');
    if (npm.has(candidate)) return candidate;
  }
  return name;
}

function partsOf(place: string): string[] {
  return place.match(/@[^/]+\/[^/]+|[^/]+/g) ?? [];
}

function npmComponent(place: string, entry: Lock['packages'][string] | undefined): Component {
  const [spec = '', , , integrity = ''] = entry ?? [];
  const at = spec.lastIndexOf('@');
  const [name, version] = [spec.slice(0, at), spec.slice(at + 1)];
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  const content = Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex');
  const hashes = [{ alg: 'SHA-512', content }] as const;
  return { type: 'library', 'bom-ref': purl, name, version, purl, hashes, ...licensesOf(place) };
}

/** A package of another processor is not installed and has no license here. */
function licensesOf(place: string): { licenses?: License[] } {
  const file = join(root, 'node_modules', partsOf(place).join('/node_modules/'), 'package.json');
  if (!existsSync(file)) return {};
  const { license } = JSON.parse(readFileSync(file, 'utf8')) as { license?: unknown };
  if (typeof license !== 'string') return {};
  const isExpression = /^\(?[\w.+-]+(?: (?:AND|OR|WITH) [\w.+-]+)*\)?$/.test(license);
  return { licenses: [isExpression ? { expression: license } : { license: { name: license } }] };
}

function bunComponent(version: string): Component {
  const platform = `linux-${process.arch === 'arm64' ? 'aarch64' : 'x64'}`;
  const digests = readFileSync(join(root, 'system/dev/bun.sha256'), 'utf8');
  const digest = new RegExp(`^([0-9a-f]{64})  ${version}/${platform}$`, 'm').exec(digests)?.[1];
  if (digest === undefined) throw new Error(`system/dev/bun.sha256 has no line ${version}/${platform}`);
  const purl = `pkg:npm/%40oven/bun-${platform}@${version}`;
  const hashes = [{ alg: 'SHA-256', content: digest }] as const;
  return {
    ...{ type: 'platform', 'bom-ref': purl, name: 'bun', version, purl, hashes },
    licenses: [{ expression: 'MIT' }],
  };
}

function installedDebianPackages(): Component[] {
  if (Bun.which('dpkg-query') === null) return [];
  const fields = ['db:Status-Status', 'Package', 'Version', 'Architecture'].map((field) => `\${${field}}`);
  const format = `${fields.join('\t')}\n`;
  const query = Bun.spawnSync(['dpkg-query', '--show', '--showformat', format, ...debianPackages], { timeout: 10_000 });
  const release = readFileSync('/etc/os-release', 'utf8');
  const [, id = 'debian'] = /^ID=(\w+)$/m.exec(release) ?? [];
  const [, number = ''] = /^VERSION_ID="?([\w.]+)"?$/m.exec(release) ?? [];
  const rows = query.stdout
    .toString()
    .split('\n')
    .map((line) => line.split('\t'));
  return rows
    .filter(([status]) => status === 'installed')
    .map(([, name = '', version = '', arch = '']) => {
      const purl = `pkg:deb/${id}/${name}@${encodeURIComponent(version)}?arch=${arch}&distro=${id}-${number}`;
      return { type: 'library', 'bom-ref': purl, name, version, purl };
    });
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

if (import.meta.main) {
  const file = join(root, 'build/sbom.json');
  const sbom = makeSbom();
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(sbom, undefined, 2)}\n`);
  process.stdout.write(`build/sbom.json lists ${sbom.components.length} components\n`);
}
