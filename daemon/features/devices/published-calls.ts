/**
 * The calls of devices that existing programs send through a hub, at the paths of `docs/compatibility.md`: which act of
 * the hub each of them is, and which reads are passed on to the device.
 */
import type { DeviceAction } from '../../contract/device-actions.ts';
import type { DeviceApi } from '../../contract/device-catalog.ts';
import type { DevicePrefix } from '../../contract/device-prefixes.ts';

export type PublishedCall =
  /** `byPost`: by GET it is not published. */
  | { readonly kind: 'act'; readonly action: DeviceAction; readonly byPost: boolean }
  /** `name`: of the call in the API of the device. */
  | { readonly kind: 'read'; readonly name: string };

type Actions = Readonly<Record<string, DeviceAction>>;
const acts = (list: Actions, { byPost }: { readonly byPost: boolean }): [string, PublishedCall][] =>
  Object.entries(list).map(([name, action]) => [name, { kind: 'act', action, byPost }]);
const reads = (...names: readonly string[]): [string, PublishedCall][] =>
  names.map((name) => [name, { kind: 'read', name }]);

/** By the value of `method`, for the APIs that have it. Reads whose answer has keys or passwords are left out. */
const byMethod: Readonly<Partial<Record<DeviceApi, ReadonlyMap<string, PublishedCall>>>> = {
  usapi: new Map([
    ...acts(
      {
        ...{ 'set-name': 'rename', reboot: 'reboot', 'start-live': 'live-start', 'stop-live': 'live-stop' },
        ...{ 'start-rec': 'record-start', 'stop-rec': 'record-stop' },
      },
      { byPost: false },
    ),
    ...reads('ping', 'get-info', 'get-status', 'get-signal-info'),
  ]),
  mwapi: new Map([
    ...acts({ 'set-eth-config': 'rename', reboot: 'reboot' }, { byPost: false }),
    ...reads('ping', 'get-caps', 'get-summary-info', 'get-signal-info', 'get-update-state', 'get-channel'),
    ...reads('get-video-config', 'get-audio-config', 'get-video-format', 'get-supported-video-modes'),
    ...reads('get-hdmi-output', 'get-playback-config', 'get-ndi-config', 'get-ndi-sources', 'get-tally'),
    ...reads('get-eth-status', 'get-rndis-status', 'get-auto-reboot', 'get-ntp-server'),
  ]),
};

/** By path, for every device. */
const actsByPath = new Map(
  acts(
    {
      ...{ 'system/set-device-name': 'rename', reboot: 'reboot' },
      ...{ 'record/start': 'record-start', 'record/stop': 'record-stop' },
      ...{ 'record/start-record': 'record-start', 'record/stop-record': 'record-stop' },
      ...{ 'live/start': 'live-start', 'live/stop': 'live-stop' },
      ...{ 'live/start-quick-stream': 'quick-start', 'live/stop-quick-stream': 'quick-stop' },
    },
    { byPost: true },
  ),
);
const readsByPath: Readonly<Partial<Record<DeviceApi, ReadonlyMap<string, PublishedCall>>>> = {
  apiPath: new Map(reads('ping', 'system/summary', 'signal/info', 'video/config/get', 'upgrade/state')),
  mwapiPath: new Map(reads('get-summary-info', 'get-device-status')),
};
const apiOfPrefix: Readonly<Record<DevicePrefix, readonly DeviceApi[]>> = {
  '/socket/usapi': ['usapi'],
  '/socket/mwapi': ['mwapi', 'mwapiPath'],
  '/socket/api': ['apiPath'],
};

/** Undefined for all other calls. `path`: what follows the prefix. */
export function publishedCall(
  prefix: DevicePrefix,
  api: DeviceApi,
  { path, method }: { readonly path: string; readonly method: string | undefined },
): PublishedCall | undefined {
  const isOwn = apiOfPrefix[prefix].includes(api);
  if (path === '' || path === '/') return isOwn && method !== undefined ? byMethod[api]?.get(method) : undefined;
  // Newer firmware has a version and a group before the name.
  const name = path.replace(/^\/(?:V\d+\.\d+\/)?/, '');
  return actsByPath.get(name) ?? (isOwn ? readsByPath[api]?.get(name.replace(/^dashboard\//, '')) : undefined);
}

const secretName = /pass|pwd|key|word|token|secret|stream-?id/i;
const deepest = 12;

/** An answer of a device without what may be secret: texts in members with such a name, and queries and users of URLs. */
export function withoutSecrets(value: unknown, shortened: (url: string) => string, depth = 0): unknown {
  if (depth > deepest) return null;
  if (typeof value === 'string') return value.includes('://') ? shortened(value) : value;
  if (Array.isArray(value)) return value.map((item) => withoutSecrets(item, shortened, depth + 1));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      typeof member === 'string' && secretName.test(name) ? '' : withoutSecrets(member, shortened, depth + 1),
    ]),
  );
}
