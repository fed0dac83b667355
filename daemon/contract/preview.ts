/**
 * Thumbnails of channels in one endless `multipart/x-mixed-replace` response. `GET /api/preview/open` opens it; its
 * header `handle-id` identifies it, as does the parameter of that name in its content type next to `boundary`. `setup`
 * selects the channels. Each part has `image-id`, `content-type` and `content-length`; the next boundary directly
 * follows each image. A slow viewer gets fewer images, always the newest; at most one per second for each channel.
 */
import * as z from 'zod/mini';
import { calls } from './calls.ts';
import { endpoints } from './endpoint.ts';
import { limits } from './limits.ts';

/** `CH-<channel id>`, or only the channel id as number or text; a part has the id in the form requested. */
const ImageId = z.union([z.int('number'), z.string().check(z.maxLength(63, 'tooLong'))]);
const ImageIds = z.array(ImageId).check(z.maxLength(limits.channels, 'tooLong'));
const Handle = z.string().check(z.minLength(1, 'required'), z.maxLength(64, 'tooLong'));

export const previewApi = endpoints(calls.preview, {
  setup: {
    summary: 'Select the channels of an open preview stream.',
    body: z.object({ id: Handle, add: z.optional(ImageIds), del: z.optional(ImageIds) }),
  },
  clear: {
    summary: 'End a preview stream.',
    query: z.object({ id: Handle }),
  },
});
