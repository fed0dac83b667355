/** What a group of settings becomes by a change: what is left out stays. */
import type { SettingsChange } from '../../contract/settings.ts';
import { fieldError } from '../../lib/hub-error.ts';
import type { Secrets } from '../../store/secrets.ts';
import type { StoredSettings } from './store.ts';

type SrtSettings = StoredSettings['srt'];
type WebSettings = StoredSettings['web'];

export function mergeSrt(
  now: SrtSettings,
  change: NonNullable<SettingsChange['srt']>,
  secrets: Pick<Secrets, 'seal'>,
): SrtSettings {
  const keyLength = change['pb-key-len'] ?? now.keyLength;
  const given = change.passphrase ?? '';
  if (given !== '' && keyLength === 0 && change['pb-key-len'] === undefined) {
    throw fieldError('srt.pb-key-len', 'required', 'a passphrase needs a key length');
  }
  if (keyLength !== 0 && given === '' && now.passphrase === '') {
    throw fieldError('srt.passphrase', 'required', 'encryption needs a passphrase');
  }
  const kept = given === '' ? now.passphrase : secrets.seal(given);
  return {
    port: change.port ?? now.port,
    latencyMs: change.latency ?? now.latencyMs,
    keyLength,
    passphrase: keyLength === 0 ? '' : kept,
  };
}

export function mergeWeb(now: WebSettings, change: NonNullable<SettingsChange['web']>): WebSettings {
  const next = {
    httpPort: change['http-port'] ?? now.httpPort,
    isHttpsEnabled: change['enable-https'] ?? now.isHttpsEnabled,
    httpsPort: change['https-port'] ?? now.httpsPort,
  };
  if (next.isHttpsEnabled && next.httpPort === next.httpsPort) {
    throw fieldError('web.https-port', 'unique', 'HTTP and HTTPS need a port each');
  }
  return next;
}

export function newWebPorts(now: WebSettings, next: WebSettings): [number, string][] {
  const ports: [number, string][] = [];
  if (next.httpPort !== now.httpPort) ports.push([next.httpPort, 'web.http-port']);
  if (next.isHttpsEnabled && next.httpsPort !== now.httpsPort) ports.push([next.httpsPort, 'web.https-port']);
  return ports;
}
