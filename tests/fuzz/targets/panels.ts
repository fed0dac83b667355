/** What hardware panels of the NDI router send. */
import { createBlockReader, readItems } from '../../../daemon/ndi/videohub/blocks.ts';
import { type FuzzTarget, parser } from '../target.ts';

const session = [
  'PING:\n\n',
  'INPUT LABELS:\n0 Camera 1\n1 \u4e3b\u673a\u4f4d\n\n',
  'VIDEO OUTPUT ROUTING:\r\n0 1\r\n12 3\r\n\r\n',
  'VIDEO OUTPUT LOCKS:\n0 O\n1 U\n2 F\n\n',
].join('');

export const panelTargets: readonly FuzzTarget[] = [
  parser(
    'videohub',
    400,
    () => [Buffer.from(session)],
    (input) => {
      const read = createBlockReader();
      const half = input.length >> 1;
      const blocks = [...(read(input.subarray(0, half)) ?? []), ...(read(input.subarray(half)) ?? [])];
      return blocks.map(({ lines }) => readItems(lines));
    },
  ),
];
