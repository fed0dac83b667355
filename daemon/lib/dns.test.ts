import { expect, test } from 'bun:test';
import { cutText, encodeQuestions, encodeResponse, readQuery, readRecords } from './dns.ts';
import { openQuestions, recordsOf } from './mdns-service.ts';

const service = { type: '_demo._tcp', name: 'Stage 89AB', host: 'demo-89ab', port: 9990, texts: ['class=Demo'] };
const records = recordsOf(service, '192.168.1.10');
/** A query with known answers: its other parts are like those of a response. */
const query = (names: readonly string[], known: typeof records = []) => {
  const asked = encodeQuestions(names);
  const answers = encodeResponse({ id: 0, questions: [], records: known });
  const message = Buffer.concat([asked, answers.subarray(12)]);
  message.writeUInt16BE(known.length, 6);
  return readQuery(message) ?? { id: 0, questions: [], records: [] };
};
const open = (...of: Parameters<typeof query>) =>
  openQuestions(query(...of), records).map(({ name }) => name.join('.'));

test('what is written can be read', () => {
  const response = encodeResponse({ id: 7, questions: query(['_demo._tcp.local']).questions, records });
  expect(readRecords(response)).toEqual(records.map(({ name, data }) => ({ name: [...name], data })));
  expect(readQuery(response)).toBeUndefined();
});

test('the questions for its own names are answered, in any case, unless the answer is known', () => {
  expect(open(['_other._tcp.local', '_DEMO._tcp.local'])).toEqual(['_DEMO._tcp.local']);
  expect(open(['_demo._tcp.local'], records.slice(1))).toEqual(['_demo._tcp.local']);
  expect(open(['_demo._tcp.local'], records.slice(0, 1))).toEqual([]);
  const others = recordsOf({ ...service, name: 'Stage 0123' }, '192.168.1.11');
  expect(open(['_demo._tcp.local'], others)).toEqual(['_demo._tcp.local']);
});

test('a name that is too long is cut at a character', () => {
  expect(cutText('short', 63)).toBe('short');
  const [, instance] = recordsOf({ ...service, name: '主'.repeat(30) }, '192.168.1.10');
  expect(instance?.name[0]).toBe('主'.repeat(21));
  const long = recordsOf({ ...service, texts: ['x'.repeat(300)] }, '192.168.1.10');
  expect(readRecords(encodeResponse({ id: 0, questions: [], records: long }))[2]?.data).toEqual({
    ...{ type: 'TXT', texts: ['x'.repeat(255)] },
  });
});
