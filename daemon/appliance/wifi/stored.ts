/** The Wi-Fi networks that NetworkManager has stored, with their keys, which only root can read on the disk. */
import type { Bus } from '../dbus/bus.ts';
import { DBusError } from '../dbus/dbus-error.ts';
import { type DBusDictionary, type DBusValue, plain } from '../dbus/wire.ts';
import { callProfile, type Profile, service, settingsPath, updateFlags } from '../nm-objects.ts';
import type { JoinRequest, SsidBytes, StoredNetwork, WifiPort } from './port.ts';

const wifiType = '802-11-wireless';
const securityType = `${wifiType}-security`;

interface Tools {
  readonly known: () => Promise<readonly StoredNetwork[]>;
  readonly profilesFor: (ssid: SsidBytes) => Promise<readonly Profile[]>;
  readonly newProfile: (request: JoinRequest) => DBusDictionary;
}

export function wifiStorage(bus: Bus, { known, profilesFor, newProfile }: Tools): Pick<WifiPort, 'keyOf' | 'store'> {
  async function secretOf({ path, settings }: Profile): Promise<string | undefined> {
    if (settings[securityType] === undefined) return undefined;
    try {
      const [answer] = await callProfile(bus, path, { member: 'GetSecrets', signature: 's', body: [securityType] });
      const { psk } = (plain(answer as DBusDictionary) as Record<string, { psk?: unknown }>)[securityType] ?? {};
      return typeof psk === 'string' ? psk : undefined;
    } catch (error) {
      // Another program keeps the key.
      if (error instanceof DBusError && error.fault === 'refused') return undefined;
      throw error;
    }
  }
  return {
    async keyOf(ssid) {
      const profile = (await profilesFor(ssid)).at(-1);
      return profile && secretOf(profile);
    },
    async store(request) {
      const profile = (await profilesFor(request.ssid)).at(-1);
      const now = (await known()).find(({ ssid }) => ssid === request.ssid);
      const isSame = now?.security === request.security && now.isHidden === request.isHidden;
      if (profile && isSame && (await secretOf(profile)) === request.key) return;
      const next = newProfile(request);
      if (profile === undefined) {
        await bus.call({
          ...{ destination: service, path: settingsPath, interface: `${service}.Settings`, member: 'AddConnection2' },
          ...{ signature: 'a{sa{sv}}ua{sv}', body: [next, updateFlags.toDisk, {}] },
        });
        return;
      }
      // The profile keeps its routes. An active connection continues, and uses the new key when it is made again.
      const { [securityType]: _, ...kept } = profile.raw as Record<string, DBusValue>;
      const security = (next as Record<string, DBusValue>)[securityType];
      const wireless = { ...(kept[wifiType] as object), hidden: (next[wifiType] as DBusDictionary).hidden };
      const settings = { ...kept, [wifiType]: wireless, ...(security !== undefined && { [securityType]: security }) };
      const body = [settings, updateFlags.toDisk | updateFlags.noReapply, {}] as DBusValue[];
      await callProfile(bus, profile.path, { member: 'Update2', signature: 'a{sa{sv}}ua{sv}', body });
    },
  };
}
