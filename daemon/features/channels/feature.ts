/** Puts the parts of the channel feature together for the composition root. */

import type { Channel } from '../../contract/channels.ts';
import type { PlainRoute } from '../../http/plain-route.ts';
import type { Route } from '../../http/route.ts';
import type { TopicSource } from '../../http/topic.ts';
import type { MediaPort } from '../../media/port.ts';
import type { EngineSettings } from '../../media/wanted.ts';
import type { Database } from '../../store/database.ts';
import type { Secrets } from '../../store/secrets.ts';
import type { Licence } from '../licence/licence.ts';
import type { Audit } from '../logs/audit.ts';
import { createClientActs } from './client-acts.ts';
import { type ConfiguredChannel, loadConfiguration } from './configuration.ts';
import { createChannelReads, type StreamTotals } from './live.ts';
import { channelRoutes } from './routes.ts';
import { createChannelService } from './service.ts';
import { slatePictureRoute, slateRoutes } from './slate.ts';
import { createSlateFiles } from './slate-files.ts';
import { createSourceTest, type TestSource } from './source-test.ts';
import { createChannelTopic } from './topic.ts';
import { wantedState } from './wanted.ts';

export interface ChannelDeps {
  readonly db: Database;
  readonly secrets: Secrets;
  readonly audit: Audit;
  readonly licence: Licence;
  readonly now: () => number;
  readonly media: Pick<MediaPort, 'apply' | 'status' | 'request' | 'onChange'>;
  /** Ports and listener settings, read anew for every wanted state. */
  readonly engineSettings: () => EngineSettings;
  /** Folder of the slates' pictures. */
  readonly slatesDir: string;
}

export interface ChannelFeature {
  readonly routes: Route[];
  readonly plainRoutes: PlainRoute[];
  readonly topic: TopicSource<'channels'>;
  /**
   * Reads the configuration anew and gives it to the engine. To be called once at the start and after every change of
   * channels, inputs, outputs and engine settings, by whoever made it.
   */
  applyWanted(): void;
  totals(): StreamTotals;
  /** Every channel as it is now, with all outputs and no client. */
  runViews(): Channel[];
  /** Calls back whenever those may have changed, until the returned function is called. */
  onChange(listener: () => void): () => void;
  readonly testSource: TestSource;
  /** As they are wanted now. */
  configured(): readonly ConfiguredChannel[];
}

export function createChannelFeature(deps: ChannelDeps): ChannelFeature {
  const { db, secrets, media, now } = deps;
  const listeners = new Set<() => void>();
  let configuration = loadConfiguration(db, secrets);

  const applyWanted = (): void => {
    configuration = loadConfiguration(db, secrets);
    media.apply(wantedState(deps.engineSettings(), configuration.channels, deps.slatesDir));
    for (const listener of listeners) listener();
  };
  const onChange = (listener: () => void) => {
    const leaveMedia = media.onChange(listener);
    listeners.add(listener);
    return () => {
      leaveMedia();
      listeners.delete(listener);
    };
  };
  const reads = createChannelReads({ configuration: () => configuration, media, now, licence: deps.licence.limits });
  const files = createSlateFiles(deps.slatesDir);
  files.keepOnly(new Set(configuration.channels.flatMap(({ slate }) => slate ?? [])));
  const { audit, licence } = deps;
  const service = createChannelService({ db, audit, licence, now, applyWanted, slates: files, media });
  const clients = createClientActs({ db, audit, configuration: () => configuration, media });
  return {
    routes: [...channelRoutes(reads, service, clients), ...slateRoutes({ db, audit, files, applyWanted })],
    plainRoutes: [slatePictureRoute({ db, files })],
    topic: createChannelTopic({ views: reads.views, onChange }),
    applyWanted,
    totals: reads.totals,
    runViews: reads.runViews,
    onChange,
    testSource: createSourceTest(media),
    configured: () => configuration.channels,
  };
}
