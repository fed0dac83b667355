/** Settings of the web server. */
import { randomBytes } from 'node:crypto';
import type * as z from 'zod/mini';
import { limits } from '../../../contract/limits.ts';
import { settingsFields } from '../../../contract/settings-fields.ts';
import type { Certificate, CertificateStore } from '../../../http/certificate.ts';
import type { CertificateUploads } from '../../../http/certificate-uploads.ts';
import type { WebServer } from '../../../http/web-server.ts';
import { fieldError } from '../../../lib/hub-error.ts';
import type { SettingsGroup } from '../registry.ts';
import type { StoredSettings } from '../store.ts';
import { mergeWeb, newWebPorts } from './merge.ts';

/** The listeners of console and API, as the settings see them. */
export interface WebPort extends Pick<WebServer, 'prepare' | 'renewHttps'> {
  readonly certificates: Pick<CertificateStore, Exclude<keyof CertificateStore, 'load' | 'isDue'>>;
  readonly uploads: CertificateUploads;
}

interface WebDeps {
  readonly httpPort: number;
  readonly httpsPort: number | null;
  /** A port is 0 until it is open. */
  readonly openPorts: () => { readonly http: number; readonly https: number | null };
  readonly web: WebPort;
  /** Throws HubError for a port that another part of the hub has. */
  readonly refuseReserved: (port: number, path: string) => void;
  readonly onChange: () => void;
}

type Stored = StoredSettings['web'];

export function webGroup(deps: WebDeps): SettingsGroup<Stored, z.infer<typeof settingsFields.web>> {
  const { httpPort, httpsPort, openPorts, web, refuseReserved, onChange } = deps;
  const { certificates } = web;
  /** The certificate that the last change installs under this id. Even refused changes have an id of their own. */
  let given: { readonly id: string; readonly files: Partial<Certificate>; readonly isOwn: boolean } | undefined;
  let installs = false;
  return {
    name: 'web',
    isOfThisHub: true,
    schema: settingsFields.web,
    initial: {
      httpPort,
      isHttpsEnabled: httpsPort !== null,
      httpsPort: httpsPort ?? limits.httpsPort.default,
      isRedirected: false,
      hsts: 'never',
      certificate: '',
    },
    inEffect(stored) {
      const open = openPorts();
      return {
        ...stored,
        httpPort: stored.httpPort || open.http,
        httpsPort: stored.httpsPort || (open.https ?? 0),
      };
    },
    show(now) {
      const { isCertValid, isKeyValid } = certificates.state();
      const requested = certificates.requestedAt();
      return {
        'http-port': now.httpPort,
        'enable-https': now.isHttpsEnabled,
        'https-port': now.httpsPort,
        'redirect-https': now.isRedirected,
        hsts: now.hsts === 'on',
        'is-cert-valid': isCertValid,
        'is-cert-key-valid': isKeyValid,
        ...(requested !== undefined && { 'cert-requested': requested }),
      };
    },
    merge(now, change, actor) {
      const next = mergeWeb(now, change, { isSecure: actor.isSecure === true });
      const { 'cert-filename': cert, 'cert-key-filename': key } = change;
      const files = {
        ...(cert !== undefined && { cert: web.uploads.read('cert', cert, 'web.cert-filename') }),
        ...(key !== undefined && { key: web.uploads.read('key', key, 'web.cert-key-filename') }),
      };
      const isOwn = change['cert-self-signed'] === true;
      if (isOwn) refuseOwn(next, files);
      if (!isOwn && Object.keys(files).length === 0) return next;
      // Each installation has an id of its own, also of the same files.
      given = { id: randomBytes(8).toString('hex'), files, isOwn };
      return { ...next, certificate: given.id };
    },
    describe: (next) => [
      ...(installs ? [{ word: 'httpsCertificate' } as const] : []),
      { word: 'httpPort', value: String(next.httpPort) },
      next.isHttpsEnabled ? { word: 'httpsPort', value: String(next.httpsPort) } : { word: 'noHttps' },
      ...(next.isRedirected ? [{ word: 'httpRedirected' } as const] : []),
      ...(next.hsts === 'on' ? [{ word: 'hsts' } as const] : []),
    ],
    async prepare(next, now) {
      for (const [port, path] of newWebPorts(now, next)) refuseReserved(port, path);
      installs = next.certificate !== now.certificate;
      if (installs && given?.id === next.certificate) {
        const { id, files, isOwn } = given;
        given = undefined;
        await (isOwn ? certificates.stageOwn(id) : certificates.stage(id, files));
      }
      const { commit, abort } = await web.prepare(next);
      if (!installs) return { commit, abort };
      // The change may be reverted, which installs this pair again.
      certificates.keep(now.certificate);
      return {
        abort,
        commit() {
          commit();
          certificates.install(next.certificate);
          web.uploads.clear();
          void web.renewHttps();
        },
      };
    },
    // A connection from before the change does not prove that the browser accepts the new certificate.
    proves: ({ certificate }) => certificate === undefined || certificate === certificates.present(),
    onFinal: ({ certificate }) => certificates.settle(certificate),
    // The engine must not pull streams from the ports of the console.
    onChange,
  };
}

function refuseOwn({ hsts }: Stored, uploaded: Partial<Certificate>): void {
  const path = 'web.cert-self-signed';
  if (Object.keys(uploaded).length > 0) throw fieldError(path, 'conflict', 'a file is installed with the same call');
  if (hsts === 'on') {
    const message = 'HSTS is on: browsers would refuse a self-signed certificate; switch it off first';
    throw fieldError(path, 'hstsOn', message);
  }
}

export function webPorts({ httpPort, isHttpsEnabled, httpsPort }: Stored): number[] {
  return isHttpsEnabled ? [httpPort, httpsPort] : [httpPort];
}
