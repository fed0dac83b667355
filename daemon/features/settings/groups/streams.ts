/** Settings of the engine: its listeners, and the addresses that it may connect to. */
import { randomUUID } from 'node:crypto';
import type * as z from 'zod/mini';
import { limits } from '../../../contract/limits.ts';
import { settingsFields } from '../../../contract/settings-fields.ts';
import type { Log } from '../../../lib/log.ts';
import type { Secrets } from '../../../store/secrets.ts';
import type { SettingsGroup } from '../registry.ts';
import type { StoredSettings } from '../store.ts';
import { mergeSrt } from './merge.ts';

type Change<Name extends keyof typeof settingsFields> = z.infer<(typeof settingsFields)[Name]>;
type Group<Name extends keyof StoredSettings> = SettingsGroup<StoredSettings[Name], Change<Name>>;

interface StreamDeps {
  /** Port 0 means any free port. */
  readonly port: number;
  /** The port that is open, 0 if none is. */
  readonly openPort: () => number;
  /** Throws HubError unless the port is free. */
  readonly checkPort: (kind: 'tcp' | 'udp', port: number, path: string) => Promise<void>;
  /** Called after a change that the engine needs. */
  readonly onChange: () => void;
}

export function rtmpGroup({ port, openPort, checkPort, onChange }: StreamDeps): Group<'rtmp'> {
  return {
    name: 'rtmp',
    schema: settingsFields.rtmp,
    initial: { port },
    inEffect: (stored) => ({ port: stored.port || openPort() }),
    show: (now) => now,
    merge: (_, change) => change,
    describe: (next) => [{ word: 'port', value: String(next.port) }],
    async prepare(next, now) {
      if (next.port !== now.port) await checkPort('tcp', next.port, 'rtmp.port');
      return undefined;
    },
    onChange,
  };
}

export function srtGroup({ port, openPort, checkPort, onChange, secrets }: StreamDeps & SrtDeps): Group<'srt'> {
  /** Ports that were open. They can be opened again while their connections, which outlast a move, keep them in use. */
  const own = new Set<number>();
  return {
    name: 'srt',
    schema: settingsFields.srt,
    initial: { port, latencyMs: limits.latency.default, keyLength: 0, passphrase: '' },
    inEffect: (stored) => ({ ...stored, port: stored.port || openPort() }),
    show: (now) => ({
      port: now.port,
      latency: now.latencyMs,
      'pb-key-len': now.keyLength,
      'passphrase-set': now.passphrase !== '',
    }),
    merge: (now, change) => mergeSrt(now, change, secrets),
    describe: (next) => [
      { word: 'port', value: String(next.port) },
      { word: 'latency', value: String(next.latencyMs) },
      next.keyLength === 0 ? { word: 'noEncryption' } : { word: 'encryption', value: `AES-${next.keyLength * 8}` },
    ],
    secrets: (stored) => (stored.passphrase === '' ? {} : { passphrase: passphraseOf(stored, secrets) }),
    async prepare(next, now) {
      if (openPort() !== 0) own.add(openPort());
      if (next.port !== now.port && !own.has(next.port)) await checkPort('udp', next.port, 'srt.port');
      return undefined;
    },
    onChange,
  };
}

interface SrtDeps {
  readonly secrets: Secrets;
}

/** Replaces a passphrase that was lost: the listener stays encrypted. */
const nobodyKnows = randomUUID();

/** Returns the passphrase in clear; '' for none. */
export function passphraseOf({ passphrase, keyLength }: StoredSettings['srt'], secrets: Secrets): string {
  if (passphrase !== '') return secrets.open(passphrase);
  return keyLength === 0 ? '' : nobodyKnows;
}

/** A database restored without its key file: the hub starts, but does not accept unencrypted connections meanwhile. */
export function withoutUnreadable(srt: StoredSettings['srt'], secrets: Secrets, log: Log): StoredSettings['srt'] {
  if (srt.passphrase === '') return srt;
  try {
    secrets.open(srt.passphrase);
    return srt;
  } catch {
    log.error(
      'the SRT passphrase was stored with another secrets.key; set it again in the settings, or put that file back',
    );
    return { ...srt, passphrase: '' };
  }
}

export function outgoingGroup(onChange: () => void): Group<'outgoing'> {
  return {
    name: 'outgoing',
    schema: settingsFields.outgoing,
    initial: { privateMedia: true, privateWebhook: false },
    show: (now) => ({ 'private-media': now.privateMedia, 'private-webhook': now.privateWebhook }),
    merge: (now, change) => ({
      privateMedia: change['private-media'] ?? now.privateMedia,
      privateWebhook: change['private-webhook'] ?? now.privateWebhook,
    }),
    describe: (next) => [
      { word: 'privateMedia', value: String(next.privateMedia) },
      { word: 'privateWebhook', value: String(next.privateWebhook) },
    ],
    onChange,
  };
}
