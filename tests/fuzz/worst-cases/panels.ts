/** Blocks of a hardware panel, as large as the limits allow. */
import { blockLimits, createBlockReader, readItems } from '../../../daemon/ndi/videohub/blocks.ts';
import type { WorstCase } from '../worst-case.ts';

const videohub = (input: string, text: string): WorstCase => ({
  parser: 'videohub',
  input,
  prepare() {
    const bytes = Buffer.from(text.repeat(Math.floor(blockLimits.blockBytes / text.length)));
    const read = createBlockReader();
    return () => read(bytes)?.map(({ lines }) => readItems(lines));
  },
});

export const panelCases: readonly WorstCase[] = [
  videohub('empty lines', '\n'),
  videohub('short blocks', 'A:\n\n'),
  videohub('one block of short lines', '0 0\n'),
  videohub('lines of spaces', `0${' '.repeat(1000)}\n`),
];
