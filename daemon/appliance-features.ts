/** The features of an appliance, which sets its own network. Their code is loaded with their first use. */

import { join } from 'node:path';
import type { Context } from 'hono';
import type { Appliance } from './appliance/appliance.ts';
import type { ConfirmedChanges, Ended } from './appliance/confirmed-change/confirmed-changes.ts';
import type { ChangeKind } from './appliance/confirmed-change/kind.ts';
import type { PortDevices } from './appliance/routes/port.ts';
import type { EndedChange } from './contract/network.ts';
import type { Common } from './feature-parts.ts';
import type { ConfiguredChannel } from './features/channels/configuration.ts';
import { createFirewallFeature } from './features/firewall/feature.ts';
import type { Listeners } from './features/firewall/listening.ts';
import { createNetworkFeature } from './features/network/feature.ts';
import { createRouteFeature } from './features/routes/feature.ts';
import { createTimeFeature, onZone } from './features/time/feature.ts';
import { createWifiFeature } from './features/wifi/feature.ts';
import { hubActor } from './http/actor.ts';
import type { Feature } from './http/feature.ts';
import type { HubEnv } from './http/route.ts';
import type { Log } from './lib/log.ts';
import { readSystemReset } from './store/reset.ts';
import type { Secrets } from './store/secrets.ts';
import { timing } from './timing.ts';

interface ApplianceDeps {
  readonly appliance: Appliance;
  /** Whether this hub is an appliance; otherwise nothing of this starts. */
  readonly isOn: boolean;
  readonly secrets: Secrets;
  readonly log: Log;
  readonly now: () => number;
  readonly listeners: () => Pick<Listeners, 'ports' | 'devicePages' | 'panels' | 'ndiServer' | 'forwards'> & {
    readonly channels: readonly ConfiguredChannel[];
  };
  /** Signs a user in at the address of the request. */
  readonly signIn: (http: Context<HubEnv>, userId: number) => Promise<void>;
  /** The part of an import that is stored in the database. */
  readonly importPart: () => Promise<ChangeKind>;
}

export function applianceFeatures(common: Common, deps: ApplianceDeps) {
  const { appliance, isOn, log, now, signIn } = deps;
  const { db, audit, dataDir, settings } = common;
  let last: EndedChange | undefined;
  let loading: Promise<ConfirmedChanges> | undefined;
  let isClosed = false;
  let stopReset = () => {};
  let stopGuard = () => {};

  const onEnd = ({ kind, user, outcome, failure }: Ended): void => {
    last = { kind, user, outcome, ...(failure && { failure }), time: now() };
    // A user who cancels is recorded by the call.
    if (outcome === 'canceled') return;
    const action = outcome === 'confirmed' ? 'change.confirm' : 'change.undo';
    const why = outcome === 'confirmed' ? [] : [{ word: 'undoneBecause', value: failure ?? outcome } as const];
    const actor = outcome === 'confirmed' ? { ...hubActor, name: user } : hubActor;
    audit.note(db, actor, { action, subject: kind, changes: why });
  };
  /** Changes that are undone unless they are confirmed; every risky part of the appliance uses this one. */
  const changes = (): Promise<ConfirmedChanges> => {
    loading ??= Promise.all([
      import('./appliance/confirmed-change/confirmed-changes.ts'),
      import('./appliance/confirmed-change/journal.ts'),
      import('./appliance/confirmed-change/boot-clock.ts'),
      import('./appliance/confirmed-change/several-parts.ts'),
    ]).then(([{ createConfirmedChanges }, { openJournal }, { bootClock }, { importPart, severalParts }]) => {
      const own = log.in('changes');
      const journal = openJournal(join(dataDir, 'change.json'), own);
      const areas = { network: async () => appliance.net, firewall: async () => (await firewall.kind()) as ChangeKind };
      const parts = { ...areas, time: timeKind, wifi: wifiKind, web: webKind, [importPart]: deps.importPart };
      const kinds = {
        ...areas,
        routes: async () => appliance.routes,
        wifi: async () => appliance.wifi as ChangeKind,
        settings: async () => severalParts(parts) as ChangeKind,
      };
      const service = createConfirmedChanges({ journal, clock: bootClock, kinds, onEnd, log: own });
      service.resume();
      return service;
    });
    return loading;
  };

  const wifiKind = async () =>
    (await import('./settings-sections/system/wifi.ts')).wifiKind(appliance.wifi, deps.secrets) as ChangeKind;
  const webKind = async () =>
    (await import('./settings-sections/system/web.ts')).webKind(settings, deps.secrets) as ChangeKind;
  const timeKind = async () =>
    (await import('./appliance/time/change.ts')).timeChangeKind(appliance.time, onZone) as ChangeKind;

  if (isOn) common.settings.shareConfirmation(async (by) => (await changes()).claim({ kind: 'web', ...by }));

  /** Names of the ports in the kernel. */
  const portDevices = async (): Promise<PortDevices> => {
    const { assign } = await import('./features/network/ports.ts');
    const { readHardware } = await import('./features/network/store.ts');
    const found = assign((await appliance.net.read()).devices, readHardware(db));
    return Object.fromEntries(Object.entries(found).map(([port, { name }]) => [port, name]));
  };
  /** The interface of ETH2; undefined while it is unknown. */
  const wan = async (): Promise<readonly string[] | undefined> => {
    try {
      const { eth2 } = await portDevices();
      return eth2 === undefined ? [] : [eth2];
    } catch (error) {
      log.debug('the ports of the machine are unknown', { reason: String(error) });
      return undefined;
    }
  };
  const firewall = createFirewallFeature({
    ...{ db, audit, isOn, wan, changes, log: log.in('firewall'), filter: appliance.firewall, timing: timing.firewall },
    onPorts: settings.onMediaChange,
    consolePorts() {
      const { http, https } = deps.listeners().ports;
      const { httpPort, httpsPort, isHttpsEnabled } = settings.web();
      // Those that are configured too: the console may be about to open them.
      return [http ?? 0, https ?? 0, httpPort, isHttpsEnabled ? httpsPort : 0].filter((port) => port > 0);
    },
    listeners() {
      const { channels, ...rest } = deps.listeners();
      const inputs = channels.flatMap(({ input, backup }) => [input, backup]).filter((one) => one !== undefined);
      return { ...rest, inputs, outputs: channels.flatMap(({ outputs }) => outputs) };
    },
  });

  const features: Feature[] = [
    firewall,
    createNetworkFeature({ db, audit, net: appliance.net, light: appliance.light, changes, ended: () => last, signIn }),
    createRouteFeature({ db, audit, routes: appliance.routes, portDevices, changes }),
    createWifiFeature({ db, audit, wifi: appliance.wifi, usb: appliance.usb, changes, isOn, log: log.in('wifi') }),
    createTimeFeature({ db, audit, time: appliance.time, now }),
    {
      start: () => {
        if (isOn) stopGuard = appliance.net.guard(log.in('network'));
        if (isOn && readSystemReset(dataDir).length > 0) {
          const own = { dataDir, machine: appliance, log: log.in('reset'), retryMs: timing.power.resetRetryMs };
          void import('./features/power/system-reset.ts').then(({ continueSystemReset }) => {
            if (!isClosed) stopReset = continueSystemReset(own);
          });
        }
        // Finishes a change that the previous run left, even without a request.
        if (isOn)
          changes().catch((error) => log.error('the journal of changes is not available', { reason: String(error) }));
      },
      async close() {
        isClosed = true;
        stopReset();
        stopGuard();
        (await loading)?.close();
        appliance.close();
      },
    },
  ];

  /** The areas of the machine in the settings file. */
  const areas = async () =>
    (await import('./settings-sections/system/list.ts')).systemAreas({ appliance, db, settings, now });
  return { features, system: isOn ? { areas, changes } : undefined };
}
