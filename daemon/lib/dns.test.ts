import { expect, test } from 'bun:test';
import { cutText, encodeQuestions, encodeResponse, readQuery, readRecords } from './dns.ts';
import { answerTo, openQuestions, recordsOf } from './mdns-service.ts';

const service = { type: '_demo._tcp', name: 'Stage 89AB', host: 'demo-89ab', port: 9990, texts: ['class=Demo'] };
const records = recordsOf(service, '192.168.1.10');
/** A query with known answers, which it carries as a response does. */
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

test('a record may be cached for more than 18 hours, which 16 bits cannot hold', () => {
  const [record] = records;
  if (!record) throw new Error('there is no record');
  const seconds = 0x12345;
  const response = Buffer.from(encodeResponse({ id: 0, questions: [], records: [{ ...record, seconds }] }));
  // After the name with its final zero, the type and the class.
  const at = 12 + record.name.join('.').length + 2 + 4;
  expect(response.readUInt32BE(at)).toBe(seconds);
});

test('questions for its own names are answered, whatever their case, unless the sender knows the answer', () => {
  expect(open(['_other._tcp.local', '_DEMO._tcp.local'])).toEqual(['_DEMO._tcp.local']);
  expect(open(['_demo._tcp.local'], records.slice(1))).toEqual(['_demo._tcp.local']);
  expect(open(['_demo._tcp.local'], records.slice(0, 1))).toEqual([]);
  const others = recordsOf({ ...service, name: 'Stage 0123' }, '192.168.1.11');
  expect(open(['_demo._tcp.local'], others)).toEqual(['_demo._tcp.local']);
});

test('a query is answered to the group, or to the port it came from, unless that is 0', () => {
  const asked = query(Array.from({ length: 100 }, () => '_demo._tcp.local'));
  expect(answerTo(asked, records, 5353)).toBe('group');
  expect(answerTo(asked, records, 0)).toBeUndefined();
  const answer = answerTo(asked, records, 49_152);
  if (!(answer instanceof Uint8Array)) throw new Error('there is no answer of its own');
  expect(readRecords(answer)).toHaveLength(records.length);
  // A message that asks the same question often gets no long answer.
  expect(Buffer.from(answer).readUInt16BE(4)).toBe(4);
  expect(answerTo(query(['_other._tcp.local']), records, 49_152)).toBeUndefined();
});

test('a name may have some pointers, but not a chain of them', () => {
  /** The first record has a name and pointers, of which each leads to the one before; the second record, the last one. */
  const targetAfter = (pointers: number) => {
    const at = 12 + 11;
    const places = Array.from({ length: pointers }, (_, index) => (index === 0 ? at : at + 3 + 2 * (index - 1)));
    const pointerTo = (place: number) => [0xc0 | (place >> 8), place & 0xff];
    const chain = [1, 0x61, 0, ...places.flatMap(pointerTo)];
    const record = (type: number, data: readonly number[]) => [
      ...[0, 0, type, 0, 1, 0, 0, 0, 0],
      ...[data.length >> 8, data.length & 0xff],
      ...data,
    ];
    const head = [0, 0, 0x84, 0, 0, 0, 0, 2, 0, 0, 0, 0];
    const last = pointerTo(at + 3 + 2 * (pointers - 1));
    const read = readRecords(new Uint8Array([...head, ...record(16, chain), ...record(12, last)]));
    return read.find(({ data }) => data.type === 'PTR')?.data;
  };
  expect(targetAfter(8)).toEqual({ type: 'PTR', target: ['a'] });
  expect(targetAfter(1000)).toBeUndefined();
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
