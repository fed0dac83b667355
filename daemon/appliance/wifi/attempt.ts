/** How an attempt to connect ends, by the states of the adapter. */
import type { Bus } from '../dbus/bus.ts';
import { deviceStates, service } from '../nm-objects.ts';
import { WifiFault, type WifiFaultReason } from './port.ts';

/** `NMDeviceStateReason`. */
const reasons: Readonly<Record<number, WifiFaultReason>> = {
  5: 'noAddress',
  6: 'noAddress',
  // Of a key that was not accepted: NetworkManager would ask its user for another one.
  7: 'wrongKey',
  15: 'noAddress',
  16: 'noAddress',
  17: 'noAddress',
  36: 'noAdapter',
  53: 'notFound',
};
/** `NMActiveConnectionState`. */
const activeStates = { activated: 2, deactivated: 4 } as const;

export interface WatchedAttempt {
  /** Resolves when the active connection is up; rejects with a `WifiFault` when it failed or takes too long. */
  follow(active: string): Promise<void>;
  stop(): void;
}

/** Watches from before the attempt begins, so that no state is missed. `device` is the path of the adapter. */
export function watchAttempt(bus: Bus, device: string, limitMs: number): WatchedAttempt {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const fail = (reason: WifiFaultReason, detail = '') => reject(new WifiFault(reason, detail));
  let hasStarted = false;
  // The connection before it ends first, which is not a failure of this one.
  const onDevice = (state: number, reason: number) => {
    if (state === deviceStates.prepare) hasStarted = true;
    else if (state === deviceStates.failed && hasStarted) fail(reasons[reason] ?? 'refused', `reason ${reason}`);
  };
  const stopDevice = bus.watch({ service, path: device }, (signal) => {
    if (signal?.member === 'StateChanged') onDevice(Number(signal.body[0]), Number(signal.body[2]));
    // The adapter was unplugged, or NetworkManager ended.
    else if (signal === undefined) fail('noAdapter');
  });
  let stopActive = () => {};
  const limit = setTimeout(() => fail('timeout'), limitMs);
  promise.catch(() => {});
  return {
    async follow(active) {
      const object = { destination: service, path: active };
      const onActive = (state: number) => {
        if (state === activeStates.activated) resolve();
        // The state of the adapter, which has the reason, has arrived before.
        else if (state === activeStates.deactivated) fail('refused', 'it was ended');
      };
      stopActive = bus.watch({ service, path: active }, (signal) => {
        if (signal?.member === 'StateChanged') onActive(Number(signal.body[0]));
      });
      const state = await bus.property(object, `${service}.Connection.Active`, 'State').catch(() => undefined);
      if (state !== undefined) onActive(Number(state));
      await promise;
    },
    stop() {
      clearTimeout(limit);
      stopDevice();
      stopActive();
    },
  };
}
