import { expect, test } from 'bun:test';
import { groupTypes, maskOf, type Permission } from '../../contract/permission.ts';
import type { Session } from '../../http/route.ts';
import type { EngineRequest } from '../../media/protocol/messages.ts';
import { channelPictures } from './pictures.ts';

const sessionWith = (permission: Permission): Session => ({
  idHash: permission,
  user: { id: 2, name: 'ann', groupId: 8, groupName: '', permission: maskOf(permission), type: groupTypes.custom },
});

const asked: EngineRequest[] = [];
const { canSee, newer } = channelPictures({
  media: {
    request(request) {
      asked.push(request);
      const jpeg = Buffer.from('picture').toString('base64');
      return Promise.resolve({ what: 'pictures', list: [{ name: '100001-main', number: 5, jpeg }] });
    },
  },
  configured: () => [{ id: 100001 }],
});

test('the picture of a channel is for those who may view channels', () => {
  expect(canSee(sessionWith('channelView'), '100001')).toBe(true);
  for (const other of ['deviceView', 'ioView', 'systemEdit'] as const) {
    expect(canSee(sessionWith(other), '100001')).toBe(false);
  }
});

test('each input of a channel has a picture, too', () => {
  for (const key of ['100001-main', '100001-backup']) {
    expect(canSee(sessionWith('channelView'), key)).toBe(true);
    expect(canSee(sessionWith('deviceView'), key)).toBe(false);
  }
});

test('a channel or an input that does not exist has no picture', () => {
  for (const key of ['100002', '100002-main', '100001-slate', '100001-main-backup', '0100001', '100001.0', ''])
    expect(canSee(sessionWith('channelView'), key)).toBe(false);
});

test('the engine is asked for pictures by their names', async () => {
  expect(await newer(['100001-main', '100002'], 4)).toEqual([
    { key: '100001-main', number: 5, jpeg: Buffer.from('picture') },
  ]);
  expect(asked).toEqual([{ what: 'pictures', pictures: ['100001-main', '100002'], after: 4 }]);
});
