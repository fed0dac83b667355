/** Assembles the uploads for the composition root. */
import { uploadDataPath } from '../../contract/calls.ts';
import { type BodyRoute, bodyType } from '../../http/body-route.ts';
import { bodyPart } from '../../http/content-range.ts';
import type { Feature } from '../../http/feature.ts';
import { keepOpenDuring } from '../../http/keep-open.ts';
import { signedIn } from '../../http/route.ts';
import { fieldError, HubError } from '../../lib/hub-error.ts';
import type { UploadService } from './service.ts';

export function uploadFeature(uploads: UploadService): Feature {
  return { bodyRoutes: [dataRoute(uploads)], start: uploads.sweep };
}

function dataRoute(uploads: UploadService): BodyRoute {
  return {
    path: uploadDataPath,
    scope: 'signedIn',
    summary: 'Send a file, or the rest of it, to the task of an upload; only for the user who began it.',
    query: { task: 'Id of the task.' },
    headers: { 'content-range': '`bytes FIRST-LAST/TOTAL` of a part; `done` of the task is the next FIRST.' },
    async receive(c, sender) {
      const task = c.req.query('task') ?? '';
      if (!/^\d{1,15}$/.test(task)) throw fieldError('task', 'number', 'expected the id of a task');
      // `curl -T` sends no type. A page of another origin could not send a PUT anyway, whatever its type.
      const type = c.req.header('content-type');
      if (type !== undefined && type !== bodyType) throw new HubError('fileTypeError', `send the file as ${bodyType}`);
      const body = c.req.raw.body;
      if (body === null) throw new HubError('needMoreData', 'the request has no body');
      const part = bodyPart(c.req.raw.headers);
      // Bun's idle timeout would cut off slow senders, whatever they send. `IncomingFile` has time limits of its own.
      return await keepOpenDuring(c.env, () =>
        uploads.receive(signedIn(c.var.session), Number(task), { part, body, sender }),
      );
    },
  };
}
