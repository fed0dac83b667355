import type { BodyRoute } from './body-route.ts';
import type { WriteMetrics } from './metrics.ts';
import type { PictureSource } from './picture-source.ts';
import type { PlainRoute } from './plain-route.ts';
import type { PrefixRoute } from './prefix-route.ts';
import type { LazyRoutes } from './route.ts';
import type { Topic } from './topic.ts';

/** What a noun adds to the hub; `hub.ts` lists all of them. */
export interface Feature {
  readonly routes?: readonly LazyRoutes[];
  readonly plainRoutes?: readonly PlainRoute[];
  readonly bodyRoutes?: readonly BodyRoute[];
  readonly prefixRoutes?: readonly PrefixRoute[];
  readonly topics?: readonly Topic[];
  /** What preview streams show of the noun's objects. */
  readonly pictures?: readonly PictureSource[];
  readonly metrics?: WriteMetrics;
  /** Called in the order of the list when the hub starts. */
  readonly start?: () => void;
  /** Called in reverse order when the hub has stopped serving, also without `start`. */
  readonly close?: () => void | Promise<void>;
}
