/**
 * Changes of the Wi-Fi network that have to be confirmed. Until the confirmation, NetworkManager holds the profile of a
 * new network in memory, so that the key is neither on the disk nor in the journal of changes. If the machine restarts
 * before the confirmed profile is stored, the profile is lost, and the adapter joins the previous network again.
 */
import type { Bus } from '../dbus/bus.ts';
import type { DBusDictionary } from '../dbus/wire.ts';
import { type Checkpoint, createCheckpoint, endCheckpoint, rollBack } from '../nm-checkpoint.ts';
import {
  callManager,
  deleteProfile,
  deviceStates,
  keepProfile,
  noPath,
  type Objects,
  type Profile,
  type Properties,
  profileBy,
  propertiesOf,
  readProfile,
  service,
  settingsPath,
  updateFlags,
} from '../nm-objects.ts';
import { changeFailed } from './failure.ts';
import { type JoinRequest, type SsidBytes, type WifiChange, WifiFault, type WifiPort } from './port.ts';

/** Functions that these changes share with the calls that take effect at once. */
export interface AdapterTools {
  /** Returns the adapter. Throws if there is none that can be used. */
  usable(): Promise<{
    readonly objects: Objects;
    readonly adapter: { readonly path: string; readonly device: Properties };
  }>;
  /** Throws if no access point has the name. */
  look(request: JoinRequest): Promise<void>;
  /** Waits until the connection is up that `begin` activates; `begin` returns the path of the active connection. */
  attempt(adapter: { readonly path: string }, begin: () => Promise<string>): Promise<void>;
  profilesFor(ssid: SsidBytes, objects: Objects): Promise<Profile[]>;
  newProfile(request: JoinRequest): DBusDictionary;
}

/** A change on trial, as the journal stores it. UUIDs identify the profiles. */
interface Trial {
  readonly checkpoint: Checkpoint;
  /** The profile to use; empty to leave the network. */
  readonly next: string;
  /** Whether `next` is in memory only. */
  readonly isNew: boolean;
  /** The profiles to delete once the change is confirmed. */
  readonly replaced: readonly string[];
  /** The profile in use before; empty for none. */
  readonly previous: string;
}

export function wifiChanges(
  bus: Bus,
  { usable, look, attempt, profilesFor, newProfile }: AdapterTools,
): Pick<WifiPort, 'prepare' | 'apply' | 'seal' | 'save' | 'revert'> {
  const uuidOf = ({ settings }: Profile) => String(settings.connection?.uuid);
  const activeUuid = (objects: Objects, device: Properties) =>
    String(propertiesOf(objects, device.ActiveConnection, 'Connection.Active').Uuid ?? '');

  async function addInMemory(request: JoinRequest): Promise<string> {
    const flags = updateFlags.inMemory | updateFlags.blockAutoconnect;
    const [path] = await bus.call({
      ...{ destination: service, path: settingsPath, interface: `${service}.Settings`, member: 'AddConnection2' },
      ...{ signature: 'a{sa{sv}}ua{sv}', body: [newProfile(request), flags, {}] },
    });
    const added = await readProfile(bus, String(path));
    if (added === undefined) throw new Error('the profile of the network is gone');
    return uuidOf(added);
  }
  async function activate(uuid: string): Promise<void> {
    const [{ adapter }, profile] = [await usable(), await profileBy(bus, uuid)];
    if (profile === undefined) throw new WifiFault('notFound');
    await attempt(adapter, async () => {
      const body = [profile.path, adapter.path, noPath];
      return String((await callManager(bus, { member: 'ActivateConnection', signature: 'ooo', body }))[0]);
    });
  }
  async function leave(): Promise<void> {
    const { adapter } = await usable();
    const { ActiveConnection: active } = adapter.device;
    if (active === noPath) return;
    await callManager(bus, { member: 'DeactivateConnection', signature: 'o', body: [String(active)] });
  }
  async function isInUse(uuid: string): Promise<boolean> {
    const { objects, adapter } = await usable();
    return adapter.device.State === deviceStates.activated && activeUuid(objects, adapter.device) === uuid;
  }
  const remove = async (uuid: string): Promise<void> => {
    const profile = await profileBy(bus, uuid);
    if (profile !== undefined) await deleteProfile(bus, profile.path);
  };

  return {
    async prepare(change: WifiChange, seconds): Promise<Trial> {
      if ('join' in change) await look(change.join);
      const ssid = 'join' in change ? change.join.ssid : 'rejoin' in change ? change.rejoin : change.forget;
      const { objects, adapter } = await usable();
      const stored = (await profilesFor(ssid, objects)).map(uuidOf);
      const [first] = stored;
      if (first === undefined && !('join' in change)) throw new WifiFault('notFound');
      const previous = activeUuid(objects, adapter.device);
      const checkpoint = await createCheckpoint(bus, [adapter.path], seconds);
      try {
        if ('join' in change) {
          return { checkpoint, previous, next: await addInMemory(change.join), isNew: true, replaced: stored };
        }
        return 'rejoin' in change
          ? { checkpoint, previous, next: first ?? '', isNew: false, replaced: [] }
          : { checkpoint, previous, next: '', isNew: false, replaced: stored };
      } catch (error) {
        await rollBack(bus, checkpoint).catch(() => {});
        throw error;
      }
    },
    async apply(data) {
      const { next } = data as Trial;
      try {
        await (next === '' ? leave() : activate(next));
      } catch (error) {
        throw changeFailed(error);
      }
    },
    seal: (data) => endCheckpoint(bus, (data as Trial).checkpoint),
    async save(data) {
      const { next, isNew, replaced } = data as Trial;
      const profile = isNew ? await profileBy(bus, next) : undefined;
      if (profile !== undefined) await keepProfile(bus, profile.path);
      if (isNew && profile === undefined) return;
      for (const uuid of replaced) await remove(uuid);
    },
    async revert(data) {
      const { checkpoint, next, isNew, previous } = data as Trial;
      await rollBack(bus, checkpoint);
      if (isNew) await remove(next);
      try {
        if (previous !== '' && !(await isInUse(previous))) await activate(previous);
      } catch (error) {
        // The network may be out of range: NetworkManager joins it when it is back in range.
        if (!(error instanceof WifiFault)) throw error;
      }
    },
  };
}
