/** Assembles the channel feature for the composition root. */

import { calls } from '../../contract/calls.ts';
import type { RunPart } from '../../contract/streams.ts';
import type { MetricWriter } from '../../http/metrics.ts';
import { lazyRoutes } from '../../http/route.ts';
import { createEmitter } from '../../lib/emitter.ts';
import type { MediaPort } from '../../media/port.ts';
import type { EngineSettings } from '../../media/protocol/desired.ts';
import type { Database } from '../../store/database.ts';
import type { Secrets } from '../../store/secrets.ts';
import type { License } from '../license/license.ts';
import type { Audit } from '../logs/audit.ts';
import { loadConfiguration } from './configuration.ts';
import { desiredState } from './desired.ts';
import { createChannelReads } from './live.ts';
import { writeMediaMetrics } from './metrics.ts';
import { createOperatorActs } from './operator-acts.ts';
import { channelPictures, devicePicture } from './pictures.ts';
import type { PublishDevice } from './routes.ts';
import { type ChannelServiceDeps, createChannelService } from './service.ts';
import { createSlateFiles } from './slate-files.ts';
import { slatePictureRoute } from './slate-picture.ts';
import { createSourceTests } from './source-test.ts';
import { createChannelTopic } from './topic.ts';

export interface ChannelDeps {
  readonly db: Database;
  readonly secrets: Secrets;
  readonly audit: Audit;
  readonly license: License;
  readonly now: () => number;
  readonly media: Pick<MediaPort, 'apply' | 'status' | 'request' | 'onChange'>;
  /** Ports and listener settings, read again for every desired state. */
  readonly engineSettings: () => EngineSettings;
  /** Since when a part of a channel has been in its state, in milliseconds since 1970. */
  readonly since: (channelId: number, what: RunPart, outputId: number) => number | undefined;
  readonly copyAlarmRules: ChannelServiceDeps['copyAlarmRules'];
  readonly publishDevice: PublishDevice;
  /** Folder of the slate images. */
  readonly slatesDir: string;
}

export function createChannelFeature(deps: ChannelDeps) {
  const { db, secrets, media, now } = deps;
  const changes = createEmitter();
  let configuration = loadConfiguration(db, secrets);

  /**
   * Reloads the configuration and passes it to the engine. Must be called once at startup and by the code that makes a
   * change, after every change of channels, inputs, outputs and engine settings.
   */
  const applyDesired = (): void => {
    configuration = loadConfiguration(db, secrets);
    media.apply(desiredState(deps.engineSettings(), configuration.channels, deps.slatesDir));
    changes.emit();
  };
  /** Calls the listener when `runViews` may have changed, until the returned function is called. */
  const onChange = (listener: () => void) => {
    const leave = [media.onChange(listener), changes.on(listener)];
    return () => {
      for (const stop of leave) stop();
    };
  };
  const reads = createChannelReads({
    configuration: () => configuration,
    media,
    now,
    license: deps.license.limits,
    since: deps.since,
  });
  const files = createSlateFiles(deps.slatesDir);
  files.keepOnly(new Set(configuration.channels.flatMap(({ slate }) => slate ?? [])));
  const { audit, license, copyAlarmRules } = deps;
  const service = createChannelService({ db, audit, license, now, applyDesired, slates: files, copyAlarmRules });
  const acts = createOperatorActs({ db, audit, media });
  return {
    routes: [
      lazyRoutes(calls.channels, async () => {
        const [{ channelRoutes }, { slateRoutes }] = await Promise.all([
          import('./routes.ts'),
          import('./slate-routes.ts'),
        ]);
        return [
          ...channelRoutes(reads, service, { acts, publish: deps.publishDevice }),
          ...slateRoutes({ db, audit, files, applyDesired }),
        ];
      }),
    ],
    plainRoutes: [slatePictureRoute({ db, files })],
    topics: [createChannelTopic({ views: reads.views, viewOf: reads.viewOf, onChange })],
    pictures: [channelPictures({ media, configured: () => configuration.channels })],
    metrics: (writer: MetricWriter) => writeMediaMetrics(media.status(), writer),
    applyDesired,
    setInputDevice: service.setInputDevice,
    totals: reads.totals,
    runViews: reads.runViews,
    switchedBy: acts.switchedBy,
    onChange,
    sources: createSourceTests(media),
    devicePicture: (deviceId: number) => devicePicture(media, configuration.channels, deviceId),
    /** Returns the channels as currently configured. */
    configured: () => configuration.channels,
  };
}
