/** The stored Wi-Fi networks of an appliance, with their keys. An import deletes none, because one may be in use. */
import * as z from 'zod/mini';
import type { ChangeKind } from '../../appliance/confirmed-change/kind.ts';
import type { JoinRequest, WifiPort } from '../../appliance/wifi/port.ts';
import { limits } from '../../contract/limits.ts';
import { isJoinable, joinableSecurities, needsKey, Ssid, SsidHex, WifiKey } from '../../contract/wifi-fields.ts';
import { fieldError } from '../../lib/hub-error.ts';
import type { Secrets } from '../../store/secrets.ts';
import { defineSection, type Item, type SystemArea } from '../section.ts';

const WifiItem = z
  .strictObject({
    ssid: z.optional(Ssid),
    /** The name in hexadecimal, if it is not UTF-8. */
    'ssid-hex': z.optional(SsidHex),
    security: z.enum(joinableSecurities),
    hidden: z.boolean(),
  })
  .check(
    z.refine(({ ssid, 'ssid-hex': hex }) => (ssid === undefined) !== (hex === undefined), {
      ...{ path: ['ssid'], error: 'required' },
    }),
  );
type WifiItem = z.infer<typeof WifiItem>;

const name = 'wifi';

export function wifiArea(wifi: WifiPort): SystemArea {
  return {
    ...{ part: 'wifi', names: [name] },
    async open() {
      const { state, known } = await wifi.read();
      const now: Item<WifiItem>[] = [];
      for (const { ssid, security, isHidden } of known.slice(0, limits.wifiNetworks)) {
        if (!isJoinable(security)) continue;
        const key = needsKey(security) ? await wifi.keyOf(ssid) : undefined;
        const value = { ...nameOf(ssid), security, hidden: isHidden };
        now.push({ value, secret: key === undefined ? {} : { key } });
      }
      const section = defineSection<WifiItem>({
        ...{ name, effect: 'now', limit: limits.wifiNetworks, schema: WifiItem, keyOf: labelOf },
        read: () => now,
        normal: ({ value }) => ({ ...nameOf(bytesOf(value)), security: value.security, hidden: value.hidden }),
        check({ value, secret: { key } }) {
          if (needsKey(value.security) && !WifiKey.safeParse(key).success) {
            throw fieldError('key', key === undefined ? 'required' : 'wifiKey', 'this is not a key of a Wi-Fi network');
          }
        },
        keepsSecret: (before, next) => before.security === next.security,
      });
      return {
        // A machine that never had an adapter does not have this section.
        sections: state === 'none' && known.length === 0 ? [] : [section],
        changeTo(after) {
          const items = (after.get(name) ?? []) as readonly Item<WifiItem>[];
          const change = items.flatMap(({ value, secret }): JoinRequest[] => {
            const { security, hidden: isHidden } = value;
            const network = { ssid: bytesOf(value), security, isHidden };
            if (!needsKey(security)) return [{ ...network, key: undefined }];
            // A network that the file does not change may have a key that another program keeps.
            return secret.key === undefined ? [] : [{ ...network, key: String(secret.key) }];
          });
          return { change, addresses: [] };
        },
      };
    },
  };
}

/** No network is joined, so there is nothing to try: the networks are stored once the whole change is kept. */
export function wifiKind(wifi: WifiPort, secrets: Pick<Secrets, 'seal' | 'open'>): ChangeKind<JoinRequest[], string> {
  return {
    // The keys must not be readable in the journal of changes.
    prepare: async (networks) => secrets.seal(JSON.stringify(networks)),
    apply: async () => {},
    seal: async () => true,
    async save(sealed) {
      for (const network of JSON.parse(secrets.open(sealed)) as JoinRequest[]) await wifi.store(network);
    },
    revert: async () => {},
  };
}

function nameOf(ssid: string): Pick<WifiItem, 'ssid' | 'ssid-hex'> {
  const text = Buffer.from(ssid, 'hex').toString();
  return Buffer.from(text).toString('hex') === ssid ? { ssid: text } : { 'ssid-hex': ssid };
}

function bytesOf({ ssid, 'ssid-hex': hex }: WifiItem): string {
  return hex?.toLowerCase() ?? Buffer.from(ssid ?? '').toString('hex');
}

function labelOf({ ssid, 'ssid-hex': hex }: WifiItem): string {
  return ssid ?? hex ?? '';
}
