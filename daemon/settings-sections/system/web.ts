/** How the console of an appliance is reached: its ports, and the certificate that an administrator installed. */
import * as z from 'zod/mini';
import type { ChangeKind } from '../../appliance/confirmed-change/kind.ts';
import { Port } from '../../contract/rules.ts';
import type { SettingsService, WebFileChange } from '../../features/settings/service.ts';
import { type Certificate, checkPair } from '../../http/certificate-chain.ts';
import { fieldError } from '../../lib/hub-error.ts';
import type { Secrets } from '../../store/secrets.ts';
import { defineSection, type Item, type SystemArea } from '../section.ts';

const WebItem = z.strictObject({
  name: z.literal('console'),
  'http-port': Port,
  'enable-https': z.boolean(),
  'https-port': Port,
});
type WebItem = z.infer<typeof WebItem>;

type WebSettings = Pick<
  SettingsService,
  'web' | 'installedPair' | 'refuseWeb' | 'takeWeb' | 'proves' | 'isTried' | 'keep' | 'undo'
>;

const name = 'web';

export function webArea(settings: WebSettings, now: () => number): SystemArea {
  return {
    ...{ part: name, names: [name] },
    async open() {
      const pair = settings.installedPair();
      const item = { value: { name: 'console', ...portsOf(settings) } as const, secret: { ...pair } };
      const section = defineSection<WebItem>({
        ...{ name, effect: 'confirm', limit: 1, schema: WebItem, keyOf: (value) => value.name },
        read: () => [item],
        check: ({ value, secret }) => refuse(value, secret, now()),
        // If the file has no certificate, the hub keeps the present one.
        lost: () => ({}),
        keepsSecret: () => true,
        edited: () => ({ noun: 'settings', id: name }),
      });
      return {
        sections: [section],
        changeTo(after, { user, address }) {
          const [{ value, secret } = item] = (after.get(name) ?? []) as readonly Item<WebItem>[];
          const { name: _, ...ports } = value;
          const next = pairOf(secret);
          const isNew = next !== undefined && next.cert !== pair?.cert;
          const change: WebFileChange = { ports, pair: isNew ? next : undefined, actor: { name: user, ip: address } };
          return { change, addresses: [] };
        },
      };
    },
  };
}

/** Delegates to the registry of settings, which applies the change on trial, keeps it or undoes it. */
export function webKind(
  settings: WebSettings,
  secrets: Pick<Secrets, 'seal' | 'open'>,
): ChangeKind<WebFileChange, string> {
  const open = (sealed: string) => JSON.parse(secrets.open(sealed)) as WebFileChange & { readonly waitMs: number };
  const isInEffect = ({ ports, pair }: WebFileChange) =>
    Bun.deepEquals(portsOf(settings), ports) && (pair === undefined || settings.installedPair()?.cert === pair.cert);
  return {
    async prepare(change, seconds) {
      await settings.refuseWeb(change);
      // The key must not be readable in the journal of changes. The registry also reverts the change by itself, but
      // later than the change that this one is a part of.
      return secrets.seal(JSON.stringify({ ...change, waitMs: 2 * seconds * 1000 }));
    },
    apply(sealed) {
      const { waitMs, ...change } = open(sealed);
      return settings.takeWeb(change, waitMs);
    },
    proves: async (sealed, over) => open(sealed).pair === undefined || settings.proves(name, over),
    seal: async (sealed) => settings.isTried(name) || isInEffect(open(sealed)),
    async save(sealed) {
      const change = open(sealed);
      if (settings.isTried(name)) settings.keep(change.actor, name);
      else if (!isInEffect(change)) await settings.takeWeb(change, 0);
    },
    revert: () => settings.undo(name),
  };
}

function portsOf({ web }: Pick<WebSettings, 'web'>): Omit<WebItem, 'name'> {
  const { httpPort, isHttpsEnabled, httpsPort } = web();
  return { 'http-port': httpPort, 'enable-https': isHttpsEnabled, 'https-port': httpsPort };
}

function pairOf({ cert, key }: Item['secret']): Certificate | undefined {
  return typeof cert === 'string' && typeof key === 'string' ? { cert, key } : undefined;
}

function refuse(value: WebItem, secret: Item['secret'], now: number): void {
  if (value['enable-https'] && value['http-port'] === value['https-port']) {
    throw fieldError('https-port', 'unique', 'HTTP and HTTPS need a port each');
  }
  const pair = pairOf(secret);
  if (Object.keys(secret).length > 0 && pair === undefined) {
    throw fieldError('cert', 'format', 'a certificate and its key belong together');
  }
  if (pair !== undefined) checkPair(pair, now);
}
