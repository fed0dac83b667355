/** The protocol of hardware panels: its text, and a server with real connections. */
import { afterEach, expect, spyOn, test } from 'bun:test';
import { connect, Server, type Socket } from 'node:net';
import { seededRandom } from '../../../tests/support/seeded-random.ts';
import { until } from '../../../tests/support/until.ts';
import { createEmitter } from '../../lib/emitter.ts';
import { createLog } from '../../lib/log.ts';
import { blockLimits, createBlockReader } from './blocks.ts';
import { maxPanels, type PanelServer, startPanelServer } from './server.ts';
import type { PanelOutput, PanelState } from './state.ts';

const ended: (() => void)[] = [];
afterEach(() => {
  for (const end of ended.splice(0)) end();
});

/** A matrix in memory: what it refuses is given by numbers of outputs. */
function testMatrix(refused: readonly number[] = []) {
  const changed = createEmitter();
  const outputs: PanelOutput[] = ['Program', 'Preview', 'Desk'].map((label) => ({
    label,
    input: null,
    lockedBy: null,
  }));
  const inputs = ['Camera 1', 'Camera 2'];
  const routed: string[] = [];
  const change = (at: number, part: Partial<PanelOutput>) => {
    const output = outputs[at];
    if (output === undefined || refused.includes(at)) throw new Error('refused');
    outputs[at] = { ...output, ...part };
    changed.emit();
  };
  return {
    outputs,
    inputs,
    routed,
    change,
    emit: changed.emit,
    onChange: (listener: () => void) => {
      const end = changed.on(listener);
      return () => void end();
    },
    state: (): PanelState => ({
      ...{ model: 'Smart Videohub', version: '2.7', name: 'Stage', uniqueId: '0123456789AB', isPresent: true },
      ...{ inputs, outputs },
    }),
    actions: {
      async route(address: string, routes: readonly { output: number; input: number | null }[]) {
        await Bun.sleep(0);
        for (const { output, input } of routes) {
          routed.push(`${output} ${input}`);
          const { lockedBy = null } = outputs[output] ?? {};
          if (!refused.includes(output) && (lockedBy === null || lockedBy === address)) change(output, { input });
        }
      },
      async lock(address: string, output: number, how: 'lock' | 'unlock' | 'force') {
        const held = outputs[output]?.lockedBy ?? null;
        if (how !== 'force' && held !== null && held !== address) throw new Error('locked');
        change(output, { lockedBy: how === 'lock' ? address : null });
      },
      async setInputLabel(_address: string, input: number, label: string) {
        inputs[input] = label;
        changed.emit();
      },
      async setOutputLabel(_address: string, output: number, label: string) {
        change(output, { label });
      },
    },
  };
}

async function serve(matrix = testMatrix(), allowed: readonly string[] = ['127.0.0.0/8']) {
  const { state, actions, onChange } = matrix;
  const log = createLog('error');
  const server = await startPanelServer({
    host: '127.0.0.1',
    port: 0,
    allowed,
    state,
    actions,
    onChange,
    log,
    onClients() {},
  });
  ended.push(server.close);
  return { server, matrix };
}

/** Connects from an address of loopback, and collects what the server sends. */
async function panel({ port }: PanelServer, localAddress = '127.0.0.1') {
  const socket: Socket = connect({ host: '127.0.0.1', port, localAddress });
  ended.push(() => socket.destroy());
  let text = '';
  let isClosed = false;
  socket.on('data', (bytes) => (text += bytes.toString()));
  socket.on('error', () => {});
  socket.on('close', () => (isClosed = true));
  const receives = (part: string) => until(() => text.includes(part));
  await until(() => text.includes('END PRELUDE:\n\n') || isClosed);
  return {
    socket,
    text: () => text,
    isClosed: () => isClosed,
    receives,
    /** Sends blocks, and returns what the server sends up to the answer of a PING. */
    async ask(blocks: string): Promise<string> {
      const from = text.length;
      socket.write(`${blocks}PING:\n\n`);
      const answers = blocks.split('\n\n').length;
      await until(() => (text.slice(from).match(/^(ACK|NAK)$/gm)?.length ?? 0) >= answers);
      return text.slice(from).replace(/ACK\n\n$/, '');
    },
  };
}

const dump = `PROTOCOL PREAMBLE:
Version: 2.7

VIDEOHUB DEVICE:
Device present: true
Model name: Smart Videohub
Friendly name: Stage
Unique ID: 0123456789AB
Video inputs: 3
Video processing units: 0
Video outputs: 3
Video monitoring outputs: 0
Serial ports: 0

INPUT LABELS:
0 Camera 1
1 Camera 2
2 None

OUTPUT LABELS:
0 Program
1 Preview
2 Desk

VIDEO OUTPUT LOCKS:
0 U
1 U
2 U

VIDEO OUTPUT ROUTING:
0 2
1 2
2 2

CONFIGURATION:
Take Mode: false

END PRELUDE:

`;

test('a client gets the whole state first, in the order of the protocol', async () => {
  const { server } = await serve();
  expect((await panel(server)).text()).toBe(dump);
});

test('a route is acknowledged, then sent to every client; the last input means none', async () => {
  const { server, matrix } = await serve();
  const [one, other] = [await panel(server), await panel(server, '127.0.0.2')];
  expect(await one.ask('VIDEO OUTPUT ROUTING:\n0 1\n2 0\n\n')).toBe('ACK\n\nVIDEO OUTPUT ROUTING:\n0 1\n2 0\n\n');
  await other.receives('VIDEO OUTPUT ROUTING:\n0 1\n2 0\n\n');
  expect(await one.ask('VIDEO OUTPUT ROUTING:\n0 2\n\n')).toBe('ACK\n\nVIDEO OUTPUT ROUTING:\n0 2\n\n');
  expect(matrix.outputs.map(({ input }) => input)).toEqual([null, null, 0]);
  // A change from elsewhere reaches both.
  matrix.change(1, { input: 1 });
  for (const each of [one, other]) await each.receives('VIDEO OUTPUT ROUTING:\n1 1\n\n');
});

test('200 route blocks in one packet are all handled, in order', async () => {
  const { server, matrix } = await serve();
  const one = await panel(server);
  const blocks = Array.from({ length: 200 }, (_, at) => `VIDEO OUTPUT ROUTING:\n${at % 3} ${at % 2}\n\n`);
  const answer = await one.ask(blocks.join(''));
  expect(answer.match(/^ACK$/gm)).toHaveLength(200);
  expect(matrix.routed).toEqual(Array.from({ length: 200 }, (_, at) => `${at % 3} ${at % 2}`));
  expect(matrix.outputs.map(({ input }) => input)).toEqual([0, 1, 1]);
});

test('a line that is refused is acknowledged and sent again as it was', async () => {
  const { server } = await serve(testMatrix([1]));
  const one = await panel(server);
  expect(await one.ask('VIDEO OUTPUT ROUTING:\n1 0\n0 0\n\n')).toBe(
    'ACK\n\nVIDEO OUTPUT ROUTING:\n0 0\n\nVIDEO OUTPUT ROUTING:\n1 2\n\n',
  );
  expect(await one.ask('OUTPUT LABELS:\n1 New\n\n')).toBe('ACK\n\nOUTPUT LABELS:\n1 Preview\n\n');
});

test.each([
  ['VIDEO OUTPUT ROUTING:\n0 3\n\n', 'an input out of range'],
  ['VIDEO OUTPUT ROUTING:\n3 0\n\n', 'an output out of range'],
  ['VIDEO OUTPUT ROUTING:\n0 1\nx\n\n', 'a malformed line among good ones'],
  ['VIDEO OUTPUT LOCKS:\n0 X\n\n', 'an unknown lock'],
  ['CONFIGURATION:\nTake Mode: true\n\n', 'a take mode'],
  ['NOTHING KNOWN:\n\n', 'an unknown block'],
])('%j is not understood and changes nothing', async (block) => {
  const { server, matrix } = await serve();
  const one = await panel(server);
  expect(await one.ask(block)).toBe('NAK\n\n');
  expect(matrix.routed).toEqual([]);
});

test('a query is answered with the section, also for sections of larger devices', async () => {
  const { server } = await serve();
  const one = await panel(server);
  expect(await one.ask('INPUT LABELS:\n\n')).toBe('ACK\n\nINPUT LABELS:\n0 Camera 1\n1 Camera 2\n2 None\n\n');
  expect(await one.ask('VIDEO MONITORING OUTPUT ROUTING:\n\n')).toBe('ACK\n\nVIDEO MONITORING OUTPUT ROUTING:\n\n');
  expect(await one.ask('VIDEO OUTPUT ROUTING:\r\n\r\n')).toContain('VIDEO OUTPUT ROUTING:\n0 2\n');
});

test('locks belong to an address: its other connections share it, those of others see it and override it', async () => {
  const { server, matrix } = await serve();
  const [one, same, other] = [await panel(server), await panel(server), await panel(server, '127.0.0.2')];
  expect(await one.ask('VIDEO OUTPUT LOCKS:\n0 O\n\n')).toBe('ACK\n\nVIDEO OUTPUT LOCKS:\n0 O\n\n');
  await same.receives('VIDEO OUTPUT LOCKS:\n0 O\n\n');
  await other.receives('VIDEO OUTPUT LOCKS:\n0 L\n\n');
  expect(await other.ask('VIDEO OUTPUT ROUTING:\n0 0\n\n')).toBe('ACK\n\nVIDEO OUTPUT ROUTING:\n0 2\n\n');
  expect(await other.ask('VIDEO OUTPUT LOCKS:\n0 U\n\n')).toBe('ACK\n\nVIDEO OUTPUT LOCKS:\n0 L\n\n');
  expect(await same.ask('VIDEO OUTPUT ROUTING:\n0 0\n\n')).toBe('ACK\n\nVIDEO OUTPUT ROUTING:\n0 0\n\n');
  expect(await other.ask('VIDEO OUTPUT LOCKS:\n0 F\n\n')).toBe('ACK\n\nVIDEO OUTPUT LOCKS:\n0 U\n\n');
  expect(matrix.outputs[0]?.lockedBy).toBeNull();
  matrix.change(0, { lockedBy: '' });
  await one.receives('VIDEO OUTPUT LOCKS:\n0 L\n\n');
});

test('a block changes each number once, and the hub does other work between the changes of a panel', async () => {
  const matrix = testMatrix();
  const { lock, setOutputLabel } = matrix.actions;
  let [locks, turns, isOver] = [0, 0, false];
  const turnsAt: number[] = [];
  matrix.actions.lock = async (...asked) => {
    locks += 1;
    await lock(...asked);
  };
  matrix.actions.setOutputLabel = async (...asked) => {
    turnsAt.push(turns);
    await setOutputLabel(...asked);
  };
  const otherWork = () => {
    turns += 1;
    if (!isOver) setImmediate(otherWork);
  };
  const { server } = await serve(matrix);
  const one = await panel(server);
  await one.ask(`VIDEO OUTPUT LOCKS:\n${'0 O\n0 U\n'.repeat(8000)}1 O\n\n`);
  expect([locks, matrix.outputs.map(({ lockedBy }) => lockedBy)]).toEqual([2, [null, '127.0.0.1', null]]);
  otherWork();
  await one.ask(Array.from({ length: 500 }, (_, at) => `OUTPUT LABELS:\n0 ${at}\n\n`).join(''));
  isOver = true;
  expect([matrix.outputs[0]?.label, turnsAt.length]).toEqual(['499', 500]);
  expect((turnsAt.at(-1) ?? 0) - (turnsAt[0] ?? 0)).toBeGreaterThan(250);
});

test('labels are set from a panel, in any script, and reach the others', async () => {
  const { server, matrix } = await serve();
  const [one, other] = [await panel(server), await panel(server)];
  expect(await one.ask('INPUT LABELS:\n0 主机位\n2 Ignored\n\n')).toBe(
    'ACK\n\nINPUT LABELS:\n0 主机位\n\nINPUT LABELS:\n2 None\n\n',
  );
  await other.receives('INPUT LABELS:\n0 主机位\n\n');
  expect(matrix.inputs[0]).toBe('主机位');
});

test('a label or name ends no line, whatever a client takes for the end of one', async () => {
  const { server, matrix } = await serve();
  const one = await panel(server);
  matrix.inputs[0] = 'A\n\nVIDEO OUTPUT ROUTING:\r\n0 1';
  matrix.inputs[1] = 'B\u00850 x\u2028\v\f\u00000 y';
  matrix.emit();
  await one.receives('INPUT LABELS:\n0 A VIDEO OUTPUT ROUTING: 0 1\n1 B 0 x 0 y\n\n');
});

test('clients are told of another size by closing their connection', async () => {
  const { server, matrix } = await serve();
  const one = await panel(server);
  matrix.outputs.push({ label: 'New', input: null, lockedBy: null });
  matrix.emit();
  await until(one.isClosed);
  expect((await panel(server)).text()).toContain('Video outputs: 4');
});

test('a client that does not close its end of a closed connection keeps no place', async () => {
  const { server, matrix } = await serve();
  const socket = connect({ host: '127.0.0.1', port: server.port, allowHalfOpen: true });
  ended.push(() => socket.destroy());
  socket.resume();
  await until(() => server.clients().length === 1);
  matrix.outputs.push({ label: 'New', input: null, lockedBy: null });
  matrix.emit();
  await until(() => server.clients().length === 0);
});

test('only listed addresses connect, and no more than the limit', async () => {
  const { server } = await serve(testMatrix(), ['127.0.0.1']);
  expect((await panel(server, '127.0.0.3')).text()).toBe('');
  const panels = await Promise.all(Array.from({ length: maxPanels }, () => panel(server)));
  expect(panels.map(({ text }) => text() === dump)).toEqual(panels.map(() => true));
  expect((await panel(server)).isClosed()).toBe(true);
  panels[0]?.socket.destroy();
  await until(() => server.clients().length === maxPanels - 1);
  expect((await panel(server)).text()).toBe(dump);
});

test('a line or a block that is too long closes the connection', async () => {
  const { server } = await serve();
  const [line, block] = [await panel(server), await panel(server)];
  line.socket.write('x'.repeat(blockLimits.lineBytes + 1));
  block.socket.write(`A:\n${`0 ${'x'.repeat(1000)}\n`.repeat(70)}`);
  await until(() => line.isClosed() && block.isClosed());
});

test('a client that never reads is dropped, and the others go on', async () => {
  const { server, matrix } = await serve();
  const [deaf, one] = [await panel(server), await panel(server)];
  deaf.socket.pause();
  const label = 'x'.repeat(900);
  for (let count = 0; server.clients().length === 2 && count < 40_000; count += 1) {
    matrix.inputs[0] = `${label}${count}`;
    matrix.emit();
    await new Promise(setImmediate);
  }
  expect(server.clients()).toHaveLength(1);
  expect(await one.ask('INPUT LABELS:\n\n')).toContain(label);
});

test('the server continues after an error of its socket', async () => {
  const listen = spyOn(Server.prototype, 'listen');
  ended.push(() => listen.mockRestore());
  const { server } = await serve();
  const socket = listen.mock.contexts[0] as Server;
  socket.emit('error', new Error('EMFILE'));
  expect((await panel(server)).text()).toBe(dump);
});

test('blocks are the same however their bytes are split', () => {
  const text = Buffer.from('PING:\r\n\r\n\nINPUT LABELS:\n0 主机位\n1 \n\nVIDEO OUTPUT ROUTING:\n0 1\n\nREST:\n0');
  const whole = createBlockReader()(text);
  expect(whole?.map(({ header, lines }) => [header, ...lines])).toEqual([
    ['PING'],
    ['INPUT LABELS', '0 主机位', '1 '],
    ['VIDEO OUTPUT ROUTING', '0 1'],
  ]);
  for (let seed = 1; seed <= 200; seed += 1) {
    const next = seededRandom(seed);
    const read = createBlockReader();
    const found = [];
    for (let at = 0; at < text.length; ) {
      const end = at + 1 + Math.floor(next() * 9);
      found.push(...(read(text.subarray(at, end)) ?? []));
      at = end;
    }
    expect(found).toEqual(whole ?? []);
  }
});
