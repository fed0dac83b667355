/** The thumbnails of channels and their inputs for preview streams, fetched from the engine. */
import { thumbnailPrefix } from '../../contract/preview-stream.ts';
import { connectionStates } from '../../contract/streams.ts';
import { isGranted } from '../../http/access.ts';
import type { PictureSource } from '../../http/picture-source.ts';
import type { MediaPort } from '../../media/port.ts';
import { timing } from '../../timing.ts';
import type { ConfiguredChannel } from './configuration.ts';

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

/** Returns what a device delivers to the channel whose live input it is, as a JPEG; undefined if it is none. */
export async function devicePicture(
  media: Pick<MediaPort, 'request' | 'status'>,
  configured: readonly Pick<ConfiguredChannel, 'backup' | 'device' | 'id'>[],
  deviceId: number,
): Promise<Uint8Array | 'notYet' | undefined> {
  const channel = configured.find(({ device }) => device?.id === deviceId);
  const status = channel && media.status().channels.get(channel.id);
  const input = status?.failover?.main ?? status?.input;
  if (channel === undefined || input?.conn !== connectionStates.connected) return undefined;
  const name = channel.backup === undefined ? String(channel.id) : `${channel.id}-main`;
  const reply = await media.request({ what: 'pictures', pictures: [name], after: 0 }, timing.engineCall.pictureMs);
  const [picture] = reply.what === 'pictures' ? reply.list : [];
  return picture === undefined ? 'notYet' : Buffer.from(picture.jpeg, 'base64');
}

function isPicture(channels: readonly { readonly id: number }[], key: string): boolean {
  const channelId = key.replace(/-(?:main|backup)$/, '');
  return channels.some(({ id }) => String(id) === channelId);
}
