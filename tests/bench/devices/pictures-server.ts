/**
 * Serves preview streams of many devices that have a new picture every second. Arguments: `hub`, the hub's own streams,
 * or `queued`, which sends every picture to every viewer at once; number of devices. Prints its port.
 */
import { groupTypes } from '../../../daemon/contract/permission.ts';
import { createPreviewService } from '../../../daemon/features/preview/service.ts';
import type { NumberedPicture } from '../../../daemon/http/picture-source.ts';
import type { Session } from '../../../daemon/http/route.ts';

const [kind = 'hub', count = '500'] = process.argv.slice(2);
const pictureBytes = 25_000;
const ticksPerSecond = 20;
const keys = Array.from({ length: Number(count) }, (_, at) => `SN${at}`);
const newest = new Map<string, NumberedPicture>();
const listeners = new Set<(picture: NumberedPicture) => void>();
const began = performance.now();
let number = 0;

setInterval(() => {
  // By the clock: a busy server misses ticks.
  const due = ((performance.now() - began) / 1000) * keys.length;
  while (number < due) {
    const key = keys[number % keys.length] ?? '';
    const picture = { key, number: ++number, jpeg: new Uint8Array(pictureBytes).fill(number) };
    newest.set(key, picture);
    for (const listener of listeners) listener(picture);
  }
}, 1000 / ticksPerSecond);

const sessionOf = (id: number): Session => ({
  idHash: String(id),
  user: { id, name: `user ${id}`, groupId: 4, groupName: '', permission: 0xffffffff, type: groupTypes.admin },
});
const previews = createPreviewService({
  sources: [
    {
      prefix: 'DEV',
      canSee: () => true,
      newer: (wanted, after) =>
        Promise.resolve(
          wanted.flatMap((key) => {
            const picture = newest.get(key);
            return picture !== undefined && picture.number > after ? [picture] : [];
          }),
        ),
    },
  ],
  sessions: { current: (idHash) => sessionOf(Number(idHash)), onEnd: () => () => {} },
  now: () => performance.now(),
  sleep: Bun.sleep,
});

let sessions = 0;
function ownStream(): ReadableStream<Uint8Array> {
  sessions += 1;
  const session = sessionOf(sessions);
  const { handle, body } = previews.open(session);
  previews.setup(session, { id: handle, add: keys.map((key) => `DEV-${key}`) });
  return body as ReadableStream<Uint8Array>;
}

function queuedStream(): ReadableStream<Uint8Array> {
  let listener: (picture: NumberedPicture) => void = () => {};
  return new ReadableStream<Uint8Array>({
    start(controller) {
      listener = ({ key, jpeg }) =>
        controller.enqueue(Buffer.concat([Buffer.from(`--b\r\nimage-id: ${key}\r\n\r\n`), jpeg]));
      listeners.add(listener);
    },
    cancel: () => void listeners.delete(listener),
  });
}

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  idleTimeout: 0,
  fetch: () => new Response((kind === 'hub' ? ownStream() : queuedStream()) as unknown as BodyInit),
});
console.log(JSON.stringify({ port: server.port }));
