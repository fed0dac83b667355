/** The NDI runtime, a library of its vendor that users install or upload, because the hub may not come with it. */
import * as z from 'zod/mini';
import { calls } from './calls.ts';
import { endpoints } from './endpoint.ts';
import { NdiRuntime } from './ndi-router.ts';
import { AnnouncedFile, UploadTask } from './uploads.ts';

const needs = 'ndiRouter';

export const ndiRuntimeApi = endpoints(calls.ndiRuntime, {
  get: {
    summary: 'Get the state of the NDI runtime and of the process that uses it.',
    needs,
    response: z.object({ runtime: NdiRuntime }),
  },
  retry: {
    summary:
      'Look for the NDI runtime again and start the process that uses it at once. Receivers keep their pictures.',
    needs,
    response: z.object({}),
  },
  upload: {
    summary:
      'Begin the upload of an NDI runtime (`libndi.so.6`). When the file is complete, a separate process loads it; the task ends with 40 if it cannot be used. Otherwise the hub keeps it in its data folder and uses it.',
    needs,
    body: z.object({
      ...AnnouncedFile.shape,
      /** Confirms that the user has accepted the license of the vendor for this machine. */
      'license-accepted': z.literal(true, 'required'),
    }),
    response: UploadTask,
  },
});
