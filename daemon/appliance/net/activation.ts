/** Waits until NetworkManager has activated a profile on an interface, or knows why it cannot. */
import type { ChangeFailure } from '../../contract/network-states.ts';
import { timing } from '../../timing.ts';
import { ChangeFailed } from '../confirmed-change/kind.ts';
import type { Bus } from '../dbus/bus.ts';
import type { Message } from '../dbus/message.ts';
import { deviceStates, interfaces } from './objects.ts';

const service = 'org.freedesktop.NetworkManager';
const root = '/org/freedesktop/NetworkManager';
const activeStates = { activated: 2, deactivated: 4 };
/** Numbers of reasons in NetworkManager's interface. */
const reasons: Readonly<Record<number, ChangeFailure>> = {
  ...{ 5: 'noDhcp', 6: 'noDhcp', 15: 'noDhcp', 16: 'noDhcp', 17: 'noDhcp' },
  ...{ 40: 'noCable', 64: 'addressInUse' },
};

interface Activation {
  /** Paths of the objects. */
  readonly profile: string;
  readonly device: string;
}

/** Throws ChangeFailed, or DBusError if NetworkManager does not answer. */
export async function activate(bus: Bus, { profile, device }: Activation): Promise<void> {
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
    for (;;) {
      const changed = new Promise<void>((resolve) => {
        wake = resolve;
      });
      for (const { path, interface: of, body } of news.splice(0)) {
        const [state, second, third] = body.map(Number);
        if (path === device && of === interfaces.device && state === deviceStates.failed) {
          failure = reasons[third ?? 0] ?? 'other';
        }
        if (path !== active || of !== interfaces.active) continue;
        if (state === activeStates.activated) return;
        if (state === activeStates.deactivated) throw failed(failure, second ?? 0);
      }
      if (performance.now() >= deadline) throw new ChangeFailed('timeout', 'the port got no addresses in time');
      // The signals may have been sent before the watch began, or lost with the connection.
      const state = await bus.property({ destination: service, path: String(active) }, interfaces.active, 'State');
      if (state === activeStates.activated) return;
      if (state === activeStates.deactivated) throw failed(failure, 0);
      await changed;
    }
  } finally {
    clearTimeout(limit);
    stop();
  }
}

function failed(failure: ChangeFailure, reason: number): ChangeFailed {
  return new ChangeFailed(failure, `NetworkManager could not activate the port (${failure}, reason ${reason})`);
}
