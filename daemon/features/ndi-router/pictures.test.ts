import { expect, test } from 'bun:test';
import { ndiPreviewId } from '../../contract/ndi-preview.ts';
import { maskOf, type Permission } from '../../contract/permission.ts';
import type { Session } from '../../http/route.ts';
import { ndiPictures } from './pictures.ts';
import type { NdiRouterService } from './service.ts';

const sessionWith = (permission: Permission): Session => ({
  idHash: 'ann',
  user: { id: 1, name: 'Ann', groupId: 4, groupName: '', permission: maskOf(permission), type: 4 },
});
const keyOf = (source: string) => ndiPreviewId(source).slice('NDI-'.length);
const picture = (name: string) => ({ name, number: 7, jpeg: Uint8Array.of(0xff, 0xd8) });
const service = { core: { pictures: (names: readonly string[]) => names.map(picture) } } as unknown as NdiRouterService;
const open = (isOn = true) => ndiPictures(isOn, async () => service);

test('the id of a picture is the name of the source in base64url', () => {
  expect(ndiPreviewId('STUDIO-1 (Camera 2)')).toBe('NDI-U1RVRElPLTEgKENhbWVyYSAyKQ');
  expect(ndiPreviewId('演播室 (机位?)')).toMatch(/^NDI-[\w-]+$/);
});

test.each(['STUDIO-1 (Camera 2)', '演播室 (机位?)', 'A (>>>???)'])(
  'a picture of %s has the id that was asked for',
  async (name) => {
    const key = keyOf(name);
    expect(await open().newer([key], 0)).toEqual([{ key, number: 7, jpeg: Uint8Array.of(0xff, 0xd8) }]);
  },
);

test('pictures of sources need the permission NDI view, a hub that routes NDI, and a name', () => {
  const key = keyOf('A (1)');
  expect(open().canSee(sessionWith('ndiView'), key)).toBe(true);
  expect(open().canSee(sessionWith('channelView'), key)).toBe(false);
  expect(open(false).canSee(sessionWith('ndiView'), key)).toBe(false);
  expect(open().canSee(sessionWith('ndiView'), 'no.base64')).toBe(false);
});
