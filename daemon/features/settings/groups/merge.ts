/** Applies a change to a group of settings; absent members stay unchanged. */
import type { SettingsChange } from '../../../contract/settings-fields.ts';
import { fieldError, HubError } from '../../../lib/hub-error.ts';
import type { Secrets } from '../../../store/secrets.ts';
import type { StoredSettings } from '../store.ts';

type SrtSettings = StoredSettings['srt'];
type WebSettings = StoredSettings['web'];
type WebChange = NonNullable<SettingsChange['web']>;

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

/** `isSecure`: whether the change arrives over HTTPS, which proves that HTTPS works for its sender. */
export function mergeWeb(
  now: WebSettings,
  change: WebChange,
  { isSecure }: { readonly isSecure: boolean },
): WebSettings {
  const isHttpsEnabled = change['enable-https'] ?? now.isHttpsEnabled;
  const next = {
    httpPort: change['http-port'] ?? now.httpPort,
    isHttpsEnabled,
    httpsPort: change['https-port'] ?? now.httpsPort,
  };
  if (isHttpsEnabled && next.httpPort === next.httpsPort) {
    const fault = { path: 'web.https-port', rule: 'unique', message: 'HTTP and HTTPS need a port each' };
    throw new HubError('portOccupied', fault.message, { params: { port: next.httpsPort }, fields: [fault] });
  }
  return {
    ...now,
    ...next,
    isRedirected: mergeRedirect(now, next, change, isSecure),
    hsts: mergeHsts(now, change, isSecure),
  };
}

/** Clients must not be redirected to a port that is not known to work. */
function mergeRedirect(
  now: WebSettings,
  next: Pick<WebSettings, 'isHttpsEnabled' | 'httpsPort'>,
  change: WebChange,
  isSecure: boolean,
): boolean {
  const isProven = next.isHttpsEnabled && now.isHttpsEnabled && next.httpsPort === now.httpsPort;
  const isDesired = change['redirect-https'];
  if (isDesired === true && !isProven) {
    const message = 'HTTPS changes with this call; switch the redirect on afterwards, over HTTPS';
    throw fieldError('web.redirect-https', 'httpsChanges', message);
  }
  if (isDesired === true && !now.isRedirected && !isSecure) {
    throw fieldError('web.redirect-https', 'needsHttps', 'this can only be enabled over HTTPS');
  }
  return isProven && (isDesired ?? now.isRedirected);
}

function mergeHsts(now: WebSettings, change: WebChange, isSecure: boolean): WebSettings['hsts'] {
  const isOn = now.hsts === 'on';
  const isDesired = change.hsts ?? isOn;
  if (isDesired && !isOn && !isSecure) {
    throw fieldError('web.hsts', 'needsHttps', 'this can only be enabled over HTTPS');
  }
  // Browsers that store the HSTS policy could no longer reach the hub.
  if (isDesired && now.isHttpsEnabled && change['enable-https'] === false) {
    throw fieldError('web.enable-https', 'hstsOn', 'HSTS is on; switch it off first');
  }
  if (isDesired) return 'on';
  return isOn ? 'ended' : now.hsts;
}

export function newWebPorts(now: WebSettings, next: WebSettings): [number, string][] {
  const ports: [number, string][] = [];
  if (next.httpPort !== now.httpPort) ports.push([next.httpPort, 'web.http-port']);
  if (next.isHttpsEnabled && next.httpsPort !== now.httpsPort) ports.push([next.httpsPort, 'web.https-port']);
  return ports;
}
