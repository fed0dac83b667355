/** The calls that choose the content of a preview stream (preview-stream.ts) and end it. */
import * as z from 'zod/mini';
import { calls } from './calls.ts';
import { endpoints } from './endpoint.ts';
import { limits } from './limits.ts';

/**
 * `CH-<channel id>`, or only the channel id as number or text; `CH-<channel id>-main` and `-backup` for the inputs of a
 * channel with a backup; `NDI-` and the name of an NDI source in base64url without padding. A part has the id in the form
 * requested. No picture comes for an object that does not exist or that the caller may not see; the other ids of the call
 * take effect.
 */
const ImageId = z.union([z.int('number'), z.string().check(z.maxLength(limits.imageId, 'tooLong'))]);
const ImageIds = z.array(ImageId).check(z.maxLength(limits.channels, 'tooLong'));
const Handle = z.string().check(z.minLength(1, 'required'), z.maxLength(64, 'tooLong'));

export const previewApi = endpoints(calls.preview, {
  setup: {
    summary: 'Select the pictures of an open preview stream.',
    body: z.object({ id: Handle, add: z.optional(ImageIds), del: z.optional(ImageIds) }),
  },
  clear: {
    summary: 'End a preview stream.',
    query: z.object({ id: Handle }),
  },
});
