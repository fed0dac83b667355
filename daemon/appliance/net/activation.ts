/** Waits until NetworkManager has activated a profile on an interface, or knows why it cannot. */
import type { ChangeFailure } from '../../contract/network-states.ts';
import { timing } from '../../timing.ts';
import { ChangeFailed } from '../confirmed-change/kind.ts';
import type { Bus } from '../dbus/bus.ts';
import { DBusError } from '../dbus/dbus-error.ts';
import type { Message } from '../dbus/message.ts';
import { deviceStates, interfaces } from './objects.ts';

const service = 'org.freedesktop.NetworkManager';
const root = '/org/freedesktop/NetworkManager';
const activeStates = { activated: 2, deactivated: 4 };
/** Numbers of reasons in NetworkManager's interface: no addresses, the DHCP client, no cable, a duplicate address. */
const reasons = { noAddresses: [5, 6], dhcp: [15, 16, 17], cable: 40, duplicate: 64 };

/** A fixed address that could not be set is one that another host answered for; NetworkManager 1.42 does not say so. */
function failureOf(reason: number, isFixed: boolean): ChangeFailure {
  if (reason === reasons.cable) return 'noCable';
  if (reason === reasons.duplicate) return 'addressInUse';
  if (reasons.noAddresses.includes(reason)) return isFixed ? 'addressInUse' : 'noDhcp';
  return reasons.dhcp.includes(reason) ? 'noDhcp' : 'other';
}

interface Activation {
  /** Paths of the objects. */
  readonly profile: string;
  readonly device: string;
  /** Whether the profile has an address of its own. */
  readonly isFixed: boolean;
}

/** Throws ChangeFailed, or DBusError if NetworkManager does not answer. */
export async function activate(bus: Bus, { profile, device, isFixed }: Activation): Promise<void> {
  const news: Message[] = [];
  let wake = () => {};
  // Before the call: the state may change before its answer arrives.
  const stop = bus.watch({ service, path: root }, (signal) => {
    if (signal?.member === 'StateChanged') news.push(signal);
    if (signal === undefined || signal.member === 'StateChanged') wake();
  });
  const limit = setTimeout(() => wake(), timing.network.activateMs);
  const deadline = performance.now() + timing.network.activateMs;
  try {
    const [active] = await bus.call({
      ...{ destination: service, path: root, interface: service, member: 'ActivateConnection' },
      ...{ signature: 'ooo', body: [profile, device, '/'] },
    });
    let failure: ChangeFailure = 'other';
    let isGone = false;
    for (;;) {
      const changed = new Promise<void>((resolve) => {
        wake = resolve;
      });
      for (const { path, interface: of, body } of news.splice(0)) {
        const [state, second, third] = body.map(Number);
        if (path === device && of === interfaces.device && state === deviceStates.failed) {
          failure = failureOf(third ?? 0, isFixed);
        }
        if (path !== active || of !== interfaces.active) continue;
        if (state === activeStates.activated) return;
        if (state === activeStates.deactivated) throw failed(failure, second ?? 0);
      }
      if (performance.now() >= deadline) throw new ChangeFailed('timeout', 'the port got no addresses in time');
      if (isGone) throw failed(failure, 0);
      // The signals may have been sent before the watch began, or lost with the connection.
      const state = await stateOf(bus, String(active));
      if (state === activeStates.activated) return;
      // Its signals, which have arrived before this answer, say why.
      isGone = state === undefined || state === activeStates.deactivated;
      if (!isGone) await changed;
    }
  } finally {
    clearTimeout(limit);
    stop();
  }
}

/** Undefined for a connection that no longer exists. */
async function stateOf(bus: Bus, path: string): Promise<unknown> {
  try {
    return await bus.property({ destination: service, path }, interfaces.active, 'State');
  } catch (error) {
    if (error instanceof DBusError && error.fault === 'refused') return undefined;
    throw error;
  }
}

function failed(failure: ChangeFailure, reason: number): ChangeFailed {
  return new ChangeFailed(failure, `NetworkManager could not activate the port (${failure}, reason ${reason})`);
}
