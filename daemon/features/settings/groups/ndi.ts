/** The settings of NDI discovery, of the hub's discovery server, and of the server for hardware panels. */
import type * as z from 'zod/mini';
import type { OperationChange } from '../../../contract/logs.ts';
import { settingsFields } from '../../../contract/settings-fields.ts';
import { fieldError, HubError } from '../../../lib/hub-error.ts';
import { type PortState, probePort } from '../../../lib/port-probe.ts';
import type { SettingsGroup } from '../registry.ts';
import type { StoredSettings } from '../store.ts';

type Change<Name extends keyof StoredSettings & keyof typeof settingsFields> = z.output<(typeof settingsFields)[Name]>;
type Group<Name extends keyof StoredSettings & keyof typeof settingsFields> = SettingsGroup<
  StoredSettings[Name],
  Change<Name>
>;

export function discoveryGroup(onChange: () => void): Group<'ndi-discovery'> {
  return {
    name: 'ndi-discovery',
    schema: settingsFields['ndi-discovery'],
    initial: { servers: '', extraIps: '', sendGroups: '', receiveGroups: '' },
    show: ({ servers, extraIps, sendGroups, receiveGroups }) => ({
      ...{ servers, 'extra-ips': extraIps, 'send-groups': sendGroups, 'receive-groups': receiveGroups },
    }),
    merge: (now, change) => ({
      servers: change.servers ?? now.servers,
      extraIps: change['extra-ips'] ?? now.extraIps,
      sendGroups: change['send-groups'] ?? now.sendGroups,
      receiveGroups: change['receive-groups'] ?? now.receiveGroups,
    }),
    describe: ({ servers, extraIps, sendGroups, receiveGroups }) => [
      { word: 'ndiServers', value: servers },
      { word: 'ndiExtraIps', value: extraIps },
      { word: 'ndiSendGroups', value: sendGroups },
      { word: 'ndiReceiveGroups', value: receiveGroups },
    ],
    onChange,
  };
}

/** `isOn`: whether the hub routes NDI. */
export function ndiServerGroup(onChange: () => void, isOn: boolean): Group<'hub-ndi-server'> {
  const merge = (now: StoredSettings['hub-ndi-server'], { enable, port }: Change<'hub-ndi-server'>) => ({
    ...{ enabled: enable ?? now.enabled, port: port ?? now.port },
  });
  return {
    name: 'hub-ndi-server',
    schema: settingsFields['hub-ndi-server'],
    initial: { enabled: false, port: 5959 },
    show: ({ enabled, port }) => ({ enable: enabled, port }),
    merge(now, change) {
      if (change.enable && !isOn) throw noRouter();
      return merge(now, change);
    },
    mergeFile: merge,
    describe: ({ enabled, port }) => [enabled ? { word: 'ndiServerOn', value: `${port}` } : { word: 'ndiServerOff' }],
    async prepare(next, now) {
      if (next.enabled && !(now.enabled && now.port === next.port)) {
        refuseTaken(await probePort('tcp', '0.0.0.0', next.port), next.port, 'hub-ndi-server');
      }
      return undefined;
    },
    onChange,
  };
}

type Videohub = StoredSettings['videohub'];

/** `isOn`: whether the hub routes NDI. */
export function videohubGroup(onChange: () => void, isOn: boolean): Group<'videohub'> {
  const merge = (now: Videohub, change: Change<'videohub'>): Videohub => {
    const next: Videohub = {
      ...{ enabled: change.enabled ?? now.enabled, address: change.address ?? now.address },
      ...{ port: change.port ?? now.port, allow: change.allow ?? now.allow },
      ...{ model: change.model ?? now.model, version: change.version ?? now.version },
    };
    if (!next.enabled) return next;
    if (next.address === '') throw fieldError('videohub.address', 'required', 'choose the address to listen on');
    if (next.allow.length === 0) throw fieldError('videohub.allow', 'required', 'list the addresses of the panels');
    return next;
  };
  return {
    name: 'videohub',
    schema: settingsFields.videohub,
    initial: { enabled: false, address: '', port: 9990, allow: [], model: 'Smart Videohub', version: '2.7' },
    show: (now) => now,
    merge(now, change) {
      if (change.enabled && !isOn) throw noRouter();
      return merge(now, change);
    },
    mergeFile: merge,
    describe: (next): OperationChange[] =>
      next.enabled
        ? [
            { word: 'panelsOn', value: `${next.address} ${next.port}` },
            { word: 'panelAddresses', value: next.allow.join(', ') },
          ]
        : [{ word: 'panelsOff' }],
    async prepare(next, now) {
      const isOpen = now.enabled && now.port === next.port && now.address === next.address;
      if (!next.enabled || isOpen) return undefined;
      const { port } = next;
      const state = await probePort('tcp', next.address, port).catch(() => {
        throw fieldError('videohub.address', 'ownAddress', `the hub does not have the address ${next.address}`);
      });
      refuseTaken(state, port, 'videohub');
      return undefined;
    },
    onChange,
  };
}

const noRouter = () => new HubError('unsupported', 'this hub does not route NDI');

function refuseTaken(state: PortState, port: number, group: 'hub-ndi-server' | 'videohub'): void {
  if (state === 'free') return;
  throw new HubError('portOccupied', `port ${port} is in use or reserved`, {
    ...{ params: { port }, fields: [{ path: `${group}.port`, rule: 'occupied', message: 'port: in use' }] },
  });
}
