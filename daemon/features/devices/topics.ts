/** Devices, their groups and their numbers on the event stream, to each reader those that it may see. */
import type { DeviceGroup } from '../../contract/device-groups.ts';
import type { Device } from '../../contract/devices.ts';
import { eventTopics } from '../../contract/events.ts';
import { limits } from '../../contract/limits.ts';
import type { DeviceCounts } from '../../contract/system.ts';
import type { Session } from '../../http/route.ts';
import { createObjectTopic, type Topic } from '../../http/topic.ts';
import type { Inventory, OwnDevice, OwnGroup } from './inventory.ts';
import { withoutPushKey } from './view.ts';

type Seer = Pick<Session['user'], 'id' | 'groupId' | 'type'>;

interface TopicDeps {
  readonly inventory: Inventory;
  readonly canSee: (session: Session, object: OwnDevice | OwnGroup) => boolean;
  readonly viewDevice: (device: OwnDevice) => Device;
  readonly viewGroups: () => readonly { readonly group: OwnGroup | null; readonly shown: DeviceGroup }[];
  readonly countsOf: (user: Seer) => DeviceCounts;
  readonly users: () => readonly Seer[];
  readonly onDevices: (changed: (sns: readonly string[]) => void) => () => void;
  readonly onGroups: (changed: () => void) => () => void;
  /** Polls devices every second until the returned function is called. */
  readonly hold: (sns: readonly string[]) => () => void;
}

/** Numbers follow at most once in this time. */
const countsMs = 1000;

export function createDeviceTopics(deps: TopicDeps): Topic[] {
  const { inventory, canSee, viewDevice } = deps;
  const devices = createObjectTopic<OwnDevice, Device>({
    name: 'devices',
    scope: eventTopics.devices,
    all: () => inventory.devices().values(),
    find: (sn) => inventory.devices().get(String(sn)),
    keyOf: ({ row }) => row.sn,
    show: viewDevice,
    canSee,
    redaction: { unless: 'deviceAdvanced', redact: withoutPushKey },
    watch: deps.onDevices,
  });
  const groupIds = () => [0, ...inventory.groups().keys()];
  const groups = createObjectTopic<ReturnType<TopicDeps['viewGroups']>[number], DeviceGroup>({
    name: 'device-groups',
    scope: eventTopics['device-groups'],
    all: deps.viewGroups,
    find: (id) => deps.viewGroups().find(({ shown }) => shown.id === Number(id)),
    keyOf: ({ shown }) => shown.id,
    show: ({ shown }) => shown,
    canSee: (session, { group }) => group === null || canSee(session, group),
    watch(changed) {
      let known = groupIds();
      return deps.onGroups(() => {
        const before = known;
        known = groupIds();
        changed(new Set([...before, ...known]));
      });
    },
  });
  const counts = createObjectTopic<Seer, DeviceCounts>({
    name: 'device-counts',
    scope: eventTopics['device-counts'],
    all: deps.users,
    find: (id) => deps.users().find((user) => user.id === Number(id)),
    keyOf: ({ id }) => id,
    show: (user) => deps.countsOf(user),
    // Each reader gets its own numbers only.
    canSee: ({ user }, { id }) => user.id === id,
    watch(changed) {
      let timer: Timer | undefined;
      const due = () => {
        timer ??= setTimeout(() => {
          timer = undefined;
          changed(deps.users().map(({ id }) => id));
        }, countsMs);
      };
      const leave = [deps.onDevices(due), deps.onGroups(due)];
      return () => {
        clearTimeout(timer);
        for (const stop of leave) stop();
      };
    },
  });
  return [watched(devices, deps), groups, counts];
}

/** Devices that a reader names are polled every second while it reads, the others less often. */
function watched(topic: Topic, { inventory, canSee, hold }: TopicDeps): Topic {
  return {
    ...{ name: topic.name, scope: topic.scope },
    open(listener) {
      const devices = inventory.devices();
      const named = [...(listener.only ?? [])].slice(0, limits.watchedDevices);
      const release = hold(
        named.filter((sn) => {
          const device = devices.get(sn);
          return device !== undefined && canSee(listener.session, device);
        }),
      );
      const view = topic.open(listener);
      return {
        next: () => view.next(),
        recheck: () => view.recheck(),
        close() {
          release();
          view.close();
        },
      };
    },
  };
}
