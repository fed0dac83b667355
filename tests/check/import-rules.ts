/** Defines which folder may import which as a pure function; see ARCHITECTURE.md, "Import direction". */
import { posix } from 'node:path';

export interface Import {
  /** The importing file, relative to the project root. */
  readonly from: string;
  /** The imported file relative to the project root, or the name of a package. */
  readonly to: string;
  readonly typeOnly: boolean;
}

/** The file that composes the hub and the one that selects a role: they import everything, and no file imports them. */
const compositionRoots = ['daemon/main.ts', 'daemon/start-hub.ts', 'daemon/hub.ts'];
const isRole = (path: string) => path === 'daemon/main.ts' || path.startsWith('daemon/roles/');
/** Folders below the features: features import them, never the reverse. */
const foundations = [
  'engine',
  'media',
  'process',
  'ipc',
  'link',
  'devices',
  'ndi',
  'appliance',
  'store',
  'sources',
  'lib',
].map((name) => `daemon/${name}/`);

const applianceImports = /^daemon\/(appliance|contract|lib)\/|\/timing\.ts$/;

/** Layers of the console, each of which imports only those before it. Files directly in `web/src` are the last one. */
const layers = ['lib', 'i18n', 'theme', 'ui', 'api', 'shared', 'features', 'shell'];

export function isTest(path: string): boolean {
  if (path.startsWith('tests/') || path === 'web/test-setup.ts') return true;
  // The endpoints' only TypeScript is the rigs that test them.
  return /(\.test|-for-test)\.tsx?$/.test(path) || /^native\/.*\/test-[^/]+\.ts$/.test(path);
}

/** Returns why this import is not allowed, or undefined. */
export function faultOf({ from, to, typeOnly }: Import): string | undefined {
  if (isTest(to)) return isTest(from) ? undefined : 'only tests import tests';
  if (isTest(from)) return from.startsWith('web/') ? webFault(to, typeOnly) : undefined;
  if ((compositionRoots.includes(to) || isRole(to)) && !isRole(from) && from !== 'daemon/start-hub.ts')
    return 'nothing imports the composition root';
  if (from.startsWith('web/')) return webFault(to, typeOnly) ?? platformFault(from, to) ?? layerFault(from, to);
  if (to.startsWith('web/')) return 'nothing but the console imports the console';
  if (from.startsWith('daemon/contract/')) return contractFault(to);
  if (from.startsWith('daemon/lib/') && /^(daemon|native)\//.test(to) && !/^daemon\/(lib|contract)\//.test(to)) {
    return 'lib imports lib and the contract only';
  }
  if (
    from.startsWith('daemon/sources/') &&
    /^(daemon|native)\//.test(to) &&
    !/^daemon\/(sources|lib|contract)\//.test(to)
  ) {
    return 'sources imports itself, lib and the contract only';
  }
  if (
    from.startsWith('daemon/link/') &&
    /^(daemon|native)\//.test(to) &&
    !/^daemon\/(link|lib)\/|\/timing\.ts$/.test(to)
  ) {
    return 'link imports itself, lib and the timing only';
  }
  if (from.startsWith('daemon/appliance/') && /^(daemon|native)\//.test(to) && !applianceImports.test(to)) {
    return 'the appliance imports itself, lib, the contract and the timing only';
  }
  if (from.startsWith('daemon/features/')) return engineFault(from, to) ?? featureFault(from, to, typeOnly);
  return engineFault(from, to) ?? foundationFault(from, to);
}

/** `media` is the hub's end of the engine. Only its role loads the engine itself. */
function engineFault(from: string, to: string): string | undefined {
  if (!to.startsWith('daemon/engine/') || from.startsWith('daemon/engine/') || isRole(from)) {
    return undefined;
  }
  return 'only the engine imports the engine';
}

function webFault(to: string, typeOnly: boolean): string | undefined {
  if (to.startsWith('native/')) return 'the console imports no native code';
  if (!to.startsWith('daemon/') || to.startsWith('daemon/contract/')) return undefined;
  if (to === 'daemon/http/app.ts') return typeOnly ? undefined : 'the console imports the app as types only';
  return 'of the daemon, the console imports the contract only';
}

/** Browser code has neither Node nor Bun. Build files outside src have both. */
function platformFault(from: string, to: string): string | undefined {
  return from.startsWith('web/src/') && /^(node:|bun(:|$))/.test(to) ? 'a browser has no such module' : undefined;
}

function layerFault(from: string, to: string): string | undefined {
  const [own, other] = [layerOf(from), layerOf(to)];
  if (own === undefined || other === undefined) return undefined;
  if (other > own) return 'a layer of the console imports only those below it';
  const isFeature = (path: string) => path.startsWith('web/src/features/');
  const nounOf = (path: string) => path.split('/')[3];
  const isOtherFeature = isFeature(from) && isFeature(to) && nounOf(from) !== nounOf(to);
  return isOtherFeature ? 'what several features of the console need is in shared' : undefined;
}

/** Position in `layers`; undefined outside the console and for `compat`, which is imported under React's name only. */
function layerOf(path: string): number | undefined {
  const [, folder] = /^web\/src\/(?:([^/]+)\/)?[^/]/.exec(path) ?? [undefined, null];
  if (folder === null || folder === 'compat') return undefined;
  return folder === undefined ? layers.length : layers.indexOf(folder);
}

function contractFault(to: string): string | undefined {
  return to.startsWith('daemon/contract/') || /^zod(\/mini)?$/.test(to) ? undefined : 'the contract imports zod only';
}

function featureFault(from: string, to: string, typeOnly: boolean): string | undefined {
  const other = featureOf(to);
  if (!other || other === featureOf(from)) return undefined;
  if (typeOnly && !/\/(store|routes)\.ts$/.test(to)) return undefined;
  return 'a feature knows another one only by the type of what hub.ts hands to it';
}

function foundationFault(from: string, to: string): string | undefined {
  const isFoundation = from.startsWith('native/') || foundations.some((folder) => from.startsWith(folder));
  if (isFoundation && featureOf(to)) return 'this folder imports no feature';
  if (/^daemon\/(process|ipc)\//.test(from) && /^daemon\/(engine|media|store|http)\//.test(to)) {
    return 'processes and the messages between them know no particular process';
  }
  if (/^daemon\/(media|engine)\//.test(from) && /^daemon\/(store|http)\//.test(to)) {
    return 'the engine knows neither the database nor HTTP';
  }
  return undefined;
}

function featureOf(path: string): string | undefined {
  return /^daemon\/features\/([^/]+)\//.exec(path)?.[1];
}

const statement = /^(?:import|export)\s+(type\s)?(?:[^'"`;]*?\sfrom\s+)?(['"])([^'"\n]+)\2/gm;
const dynamic = /(typeof\s+)?\bimport\(\s*(['"])([^'"\n]+)\2/g;

/** Returns the imports and re-exports of a source text that is formatted with Biome. */
export function importsOf(from: string, source: string): Import[] {
  const found: Import[] = [];
  for (const pattern of [statement, dynamic]) {
    for (const [, type, , specifier = ''] of source.matchAll(pattern)) {
      found.push({ from, to: resolve(from, specifier), typeOnly: type !== undefined });
    }
  }
  return found;
}

function resolve(from: string, specifier: string): string {
  return specifier.startsWith('.') ? posix.join(posix.dirname(from), specifier) : specifier;
}
