/** The streaming features with an in-memory database and a media engine that only records its messages. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { groupTypes } from '../../daemon/contract/permission.ts';
import { createChannelFeature } from '../../daemon/features/channels/feature.ts';
import { createInputFeature } from '../../daemon/features/inputs/feature.ts';
import { createLicense, type LicenseLimits, maxLicense } from '../../daemon/features/license/license.ts';
import { createAudit } from '../../daemon/features/logs/audit.ts';
import { createOutputFeature } from '../../daemon/features/outputs/feature.ts';
import { createPresetFeature } from '../../daemon/features/presets/feature.ts';
import { createRunHistory } from '../../daemon/features/run-history/feature.ts';
import { createServerFeature } from '../../daemon/features/servers/feature.ts';
import { createObjectAccess } from '../../daemon/features/visibility/service.ts';
import { createApp } from '../../daemon/http/app.ts';
import type { Session } from '../../daemon/http/route.ts';
import { RequestError } from '../../daemon/ipc/request-table.ts';
import { createLog } from '../../daemon/lib/log.ts';
import type { MediaPort, MediaStatus } from '../../daemon/media/port.ts';
import type { DesiredState, EngineSettings } from '../../daemon/media/protocol/desired.ts';
import type { EngineReply, EngineRequest } from '../../daemon/media/protocol/messages.ts';
import type { ChannelStatus } from '../../daemon/media/protocol/reported.ts';
import { memoryDatabase } from '../../daemon/store/memory-database-for-test.ts';
import { operationLog } from '../../daemon/store/schema.ts';
import { openSecrets } from '../../daemon/store/secrets.ts';
import { privateAllowed } from '../support/outgoing.ts';

export const engineSettings: EngineSettings = {
  bind: '127.0.0.1',
  rtmpPort: 1935,
  trustedProxies: [],
  hlsPort: 8080,
  srt: { port: 8000, latencyMs: 120, keyLength: 0, passphrase: '' },
  outgoing: privateAllowed,
};

export interface MediaDouble extends Pick<MediaPort, 'apply' | 'status' | 'request' | 'onChange'> {
  /** The desired states in order of arrival. */
  readonly applied: Omit<DesiredState, 'generation'>[];
  /** What the engine reports from now on. */
  report(change: Partial<Omit<MediaStatus, 'channels'>> & { channels?: readonly ChannelStatus[] }): void;
  /** The requests it received, in order. */
  readonly asked: EngineRequest[];
  /** Undefined: the engine does not answer. */
  reply: EngineReply | undefined;
}

export function createMediaDouble(): MediaDouble {
  const listeners = new Set<() => void>();
  let status: MediaStatus = {
    engine: 'running',
    reason: '',
    isFailing: false,
    pid: 1,
    memoryBytes: 0,
    rings: { bytes: 0, limit: 0 },
    parts: [],
    applied: true,
    channels: new Map(),
  };
  const applied: MediaDouble['applied'] = [];
  return {
    applied,
    asked: [],
    reply: undefined,
    apply: (state) => void applied.push(state),
    status: () => status,
    request(ask) {
      this.asked.push(ask);
      return this.reply ? Promise.resolve(this.reply) : Promise.reject(new RequestError('down', 'not running'));
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    report({ channels, ...change }) {
      const byId = channels ? new Map(channels.map((channel) => [channel.id, channel])) : status.channels;
      status = { ...status, ...change, channels: byId };
      for (const listener of listeners) listener();
    },
  };
}

const admin: Session = {
  idHash: '',
  user: { id: 1, name: 'Admin', groupId: 1, groupName: 'Admin', permission: 0xffffffff, type: groupTypes.admin },
};

// biome-ignore lint/suspicious/noExplicitAny: an answer is looked at, not used; each test names what it expects
type ApiResponse = any;

export function createStreamingFeatures(allowed: Partial<LicenseLimits> = {}) {
  const db = memoryDatabase();
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-features-'));
  const secrets = openSecrets(join(folder, 'key'));
  rmSync(folder, { recursive: true });
  // Created by the first image.
  const slatesDir = join(folder, 'slates');
  const media = createMediaDouble();
  const now = () => 1_700_000_000_000;
  const audit = createAudit(now);
  const license = createLicense({ ...maxLicense, ...allowed });
  const channels = createChannelFeature({
    ...{ db, secrets, audit, license, now, media, slatesDir },
    engineSettings: () => engineSettings,
    since: (...part) => runHistory.since(...part),
    publishDevice: () => Promise.reject(new Error('there are no devices')),
    copyAlarmRules: () => {},
  });
  const deps = { db, secrets, audit, license, now, applyDesired: channels.applyDesired, ownPorts: () => [1935, 8000] };
  const inputs = createInputFeature({ ...deps, testSource: channels.sources.test });
  const outputs = createOutputFeature(deps);
  const kept = { db, secrets, audit, now, addInput: inputs.addAddress, addOutput: outputs.addAddress };
  const runHistory = createRunHistory({
    ...{ db, now, log: createLog('error'), media: media.status },
    ...{ channels: channels.runViews, switchedBy: channels.switchedBy, onChange: channels.onChange },
  });
  const stores = [...runHistory.routes, ...createPresetFeature(kept).routes, ...createServerFeature(kept).routes];
  const app = createApp({
    log: createLog('error'),
    variant: { isHardware: false, features: 0 },
    access: createObjectAccess(),
    hosts: [],
    onlyHttpsPort: () => null,
    hsts: () => 'never',
    gate: { isSetUp: () => true, identify: () => admin, whyEnded: () => undefined },
    routes: [...channels.routes, ...inputs.routes, ...outputs.routes, ...stores],
    plainRoutes: [...channels.plainRoutes, ...runHistory.plainRoutes],
    prefixRoutes: [],
    bodyRoutes: [],
    settled: () => Promise.resolve(),
    files: null,
  });
  const headers = { cookie: 'mwcloud-sid=ADMIN', 'content-type': 'application/json' };
  const raw = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const connection = { ip: '192.0.2.1', isSecure: false, keepOpen: () => {} };
    return app.request(`http://hub.example/api/${path}`, { headers, ...init }, connection);
  };
  const send = async (path: string, init: RequestInit): Promise<ApiResponse> => (await raw(path, init)).json();
  return {
    db,
    slatesDir,
    media,
    channels,
    get: (path: string) => send(path, {}),
    raw,
    upload: (path: string, type: string, file: Uint8Array<ArrayBuffer>) =>
      send(path, { method: 'POST', body: file, headers: { ...headers, 'content-type': type } }),
    post: (path: string, body: object) => send(path, { method: 'POST', body: JSON.stringify(body) }),
    /** The operation log as `action: detail`. */
    operations: () =>
      db
        .select()
        .from(operationLog)
        .all()
        .map((row) => `${row.action}: ${row.detail}`),
  };
}

export type StreamingFeatures = ReturnType<typeof createStreamingFeatures>;
