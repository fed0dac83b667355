/**
 * Small pictures of channels as one endless `multipart/x-mixed-replace` answer. `GET /api/preview/open` opens it; its
 * header `handle-id` names it, and so does the parameter of that name in its content type beside `boundary`. `setup` says
 * what it shall carry. Each part has `image-id`, `content-type` and `content-length`; the next boundary stands right
 * behind each picture. A viewer that reads slowly gets fewer pictures, always the newest; at most one a second of each.
 */
import * as z from 'zod/mini';
import { get, post } from './endpoint.ts';
import { limits } from './limits.ts';

/** `CH-<channel id>`, or the channel's id alone as number or text; a part carries what was asked for. */
const ImageId = z.union([z.int('number'), z.string().check(z.maxLength(63, 'tooLong'))]);
const ImageIds = z.array(ImageId).check(z.maxLength(limits.channels, 'tooLong'));
const Handle = z.string().check(z.minLength(1, 'required'), z.maxLength(64, 'tooLong'));

export const previewIdOf = (channelId: number) => `CH-${channelId}`;

/** Where a page reads the live stream of a channel, with its session in place of the channel's play key. */
export const previewPlaylistPath = (channelId: number) => `/api/preview/live/${channelId}/low.m3u8`;

export const previewOpenPath = '/api/preview/open';
export const handleHeader = 'handle-id';

export const previewApi = {
  setup: post('/api/preview/setup', {
    scope: 'channelView',
    summary: 'Says which pictures an open preview stream carries.',
    body: z.object({ id: Handle, add: z.optional(ImageIds), del: z.optional(ImageIds) }),
    answer: z.object({}),
  }),
  clear: get('/api/preview/clear', {
    scope: 'channelView',
    summary: 'Ends a preview stream.',
    query: z.object({ id: Handle }),
    answer: z.object({}),
  }),
} as const;
