/** The thumbnails of channels and their inputs for preview streams, fetched from the engine. */
import { thumbnailPrefix } from '../../contract/preview-stream.ts';
import { isGranted } from '../../http/access.ts';
import type { PictureSource } from '../../http/picture-source.ts';
import type { MediaPort } from '../../media/port.ts';
import { timing } from '../../timing.ts';

interface ChannelPicturesDeps {
  readonly media: Pick<MediaPort, 'request'>;
  readonly configured: () => readonly { readonly id: number }[];
}

export function channelPictures({ media, configured }: ChannelPicturesDeps): PictureSource {
  return {
    prefix: thumbnailPrefix,
    canSee: (session, key) => isGranted(session, 'channelView') && isPicture(configured(), key),
    async newer(keys, after) {
      const request = { what: 'pictures', pictures: keys, after } as const;
      const reply = await media.request(request, timing.engineCall.pictureMs);
      if (reply.what !== 'pictures') return [];
      return reply.list.map(({ name, number, jpeg }) => ({ key: name, number, jpeg: Buffer.from(jpeg, 'base64') }));
    },
  };
}

function isPicture(channels: readonly { readonly id: number }[], key: string): boolean {
  const channelId = key.replace(/-(?:main|backup)$/, '');
  return channels.some(({ id }) => String(id) === channelId);
}
