import { afterEach, beforeEach, expect, mock, test } from 'bun:test';
import { createEventLink } from './event-link.ts';

const opened: string[] = [];
let closed = 0;

/** Records the streams that are opened. */
class FakeSource extends EventTarget {
  constructor(address: string) {
    super();
    opened.push(new URL(address, 'http://hub').searchParams.get('topics') ?? '');
  }
  close(): void {
    closed += 1;
  }
}

const original = globalThis.EventSource;
beforeEach(() => {
  globalThis.EventSource = FakeSource as unknown as typeof EventSource;
  opened.length = 0;
  closed = 0;
});
afterEach(() => {
  globalThis.EventSource = original;
});

function linkAfter(ready: Promise<void>) {
  const unused = mock(() => {});
  return createEventLink({ ready, onMessage: unused, onOpen: unused, onLost: unused, onStop: unused });
}
/** Longer than the pause in which subscriptions are collected. */
const settled = () => new Promise((resolve) => setTimeout(resolve, 80));

test('the parts of a first page share one stream, however late their code arrives', async () => {
  const shown = Promise.withResolvers<void>();
  const { want } = linkAfter(shown.promise);
  want('system');
  await settled();
  want('alarms');
  await settled();
  expect(opened).toEqual([]);
  want('channels');
  shown.resolve();
  await settled();
  expect(opened).toEqual(['alarms,channels,system']);
});

test('a topic that is subscribed to twice does not reopen the stream; a new one does', async () => {
  const { want } = linkAfter(Promise.resolve());
  const leave = want('system');
  await settled();
  want('system');
  leave();
  await settled();
  expect([opened, closed]).toEqual([['system'], 0]);
  want('tasks');
  await settled();
  expect([opened, closed]).toEqual([['system', 'system,tasks'], 1]);
});
