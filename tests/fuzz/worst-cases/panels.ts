/** Blocks of a hardware panel, as large as the limits allow. */

import { readQuery } from '../../../daemon/lib/dns.ts';
import { answerTo, recordsOf } from '../../../daemon/lib/mdns-service.ts';
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

const service = { type: '_blackmagic._tcp', name: 'Stage 89AB', host: 'videohub-0', port: 9990, texts: ['a=b'] };
const mdnsQuery = (input: string, hex: string): WorstCase => ({
  ...{ parser: 'mDNS query', input },
  prepare() {
    const records = recordsOf(service, '192.168.1.10');
    const bytes = Buffer.from(`00000000ffff0000ffff0000${hex.repeat(9000)}`, 'hex').subarray(0, 9000);
    return () => {
      const query = readQuery(bytes);
      return query && answerTo(query, records, 49_152);
    };
  },
});

export const panelCases: readonly WorstCase[] = [
  videohub('empty lines', '\n'),
  videohub('short blocks', 'A:\n\n'),
  videohub('one block of short lines', '0 0\n'),
  videohub('lines of spaces', `0${' '.repeat(1000)}\n`),
  mdnsQuery('long names', `${'0161'.repeat(120)}0000ff0001`),
  mdnsQuery('empty names', '0000ff0001'),
];
