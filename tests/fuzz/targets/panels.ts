/** What hardware panels of the NDI router send, and what anybody asks about their server by mDNS. */
import { encodeQuestions, readQuery } from '../../../daemon/lib/dns.ts';
import { answerTo, recordsOf } from '../../../daemon/lib/mdns-service.ts';
import { createBlockReader, readItems } from '../../../daemon/ndi/videohub/blocks.ts';
import { type FuzzTarget, parser } from '../target.ts';

const session = [
  'PING:\n\n',
  'INPUT LABELS:\n0 Camera 1\n1 \u4e3b\u673a\u4f4d\n\n',
  'VIDEO OUTPUT ROUTING:\r\n0 1\r\n12 3\r\n\r\n',
  'VIDEO OUTPUT LOCKS:\n0 O\n1 U\n2 F\n\n',
].join('');

const service = { type: '_blackmagic._tcp', name: 'Stage 89AB', host: 'videohub-0', port: 9990, texts: ['a=b'] };
const records = recordsOf(service, '192.168.1.10');

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
  parser(
    'mdns-query',
    3000,
    () => [encodeQuestions(['_blackmagic._tcp.local', 'videohub-0.local'])],
    (input) => {
      const query = readQuery(input);
      return query && answerTo(query, records, 49_152);
    },
  ),
];
