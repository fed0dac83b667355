import type { BodyOf } from '../../contract/endpoint.ts';
import type { systemApi } from '../../contract/system.ts';
import type { RestartablePart } from '../../contract/system-parts.ts';
import type { Actor } from '../../http/route.ts';
import { HubError } from '../../lib/hub-error.ts';
import { askEngine } from '../../media/ask-engine.ts';
import type { MediaPort, MediaStatus } from '../../media/port.ts';
import { type Database, transaction } from '../../store/database.ts';
import { timing } from '../../timing.ts';
import type { Audit } from '../logs/audit.ts';

export interface RestartDeps {
  readonly db: Database;
  readonly audit: Audit;
  readonly media: Pick<MediaPort, 'request' | 'restart' | 'status'>;
}

const unitIsStopped = 'the media engine is a service that is not running: start it with systemctl';

/**
 * Restarts a process, whether it is running or waiting for its next attempt. Throws `noResponse` if the engine, which
 * restarts the endpoints, does not answer, or is a service that does not run.
 */
export async function restartPart(
  { db, audit, media }: RestartDeps,
  actor: Actor,
  { name, 'unless-running': unlessRunning }: BodyOf<typeof systemApi.restartPart>,
): Promise<void> {
  if (unlessRunning && isRunning(media.status(), name)) return;
  if (name !== 'engine') await askEngine(media, { what: 'restart', endpoint: name }, timing.engineCall.clientMs);
  else if (!media.restart('restarted by an operator')) throw new HubError('noResponse', unitIsStopped);
  // What was not done is not logged.
  transaction<void>(db, (tx) => audit.record(tx, actor, { action: 'system.restartPart', subject: name }));
}

function isRunning({ engine, parts }: MediaStatus, name: RestartablePart): boolean {
  if (name === 'engine') return engine === 'running';
  return parts.some((part) => part.name === name && part.ok);
}
