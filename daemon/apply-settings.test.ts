import { afterEach, expect, test } from 'bun:test';
import { answerTo, hashOfToken } from './appliance/confirmed-change/token.ts';
import { applySettings } from './apply-settings.ts';
import { results } from './contract/result.ts';

type Body = Record<string, unknown>;

const servers: Bun.Server<undefined>[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop(true);
});

interface Asked {
  readonly path: string;
  readonly body: Body;
  readonly authorization: string | null;
}

const serve = (port: number, answer: (asked: Asked) => object | Response, hostname = '127.0.0.1') => {
  const server = Bun.serve({
    port,
    hostname,
    async fetch(request) {
      const text = await request.text();
      const body = text === '' ? {} : (JSON.parse(text) as Body);
      const said = answer({
        ...{ path: new URL(request.url).pathname, body, authorization: request.headers.get('authorization') },
      });
      return said instanceof Response ? said : Response.json(said);
    },
  });
  servers.push(server);
  return server;
};
const sparePort = async () => {
  const server = serve(0, () => ({}));
  const port = Number(server.port);
  await server.stop(true);
  return port;
};

const web = { name: 'web', added: [], 'added-num': 0, changed: [{ name: 'console', members: ['http-port'] }] };
const preview = { ...web, 'changed-num': 1, removed: [], 'removed-num': 0, 'lacks-secrets': [], effect: 'confirm' };
const proof = 'p'.repeat(43);
const early = { result: results.tryAgain.code, message: 'not yet' };
const [home, other] = ['127.0.0.1', '127.0.0.2'];

/** What a hub says that has the address and whose import waits to be confirmed. */
const confirming =
  (address: string) =>
  ({ body: { challenge, token } }: Asked) =>
    typeof challenge === 'string'
      ? { result: 0, kind: 'settings', address, answer: answerTo(hashOfToken(proof), challenge, address) }
      : { result: token === proof ? 0 : results.mismatch.code, kind: 'settings' };

/** A hub that takes the import; `later` answers from then on. */
function importing(
  later: (asked: Asked) => object,
  { seconds, addresses = [] }: { seconds: number; addresses?: string[] },
) {
  const answer = { result: 0, sections: [preview], ignored: [], digest: 'd', addresses, restarts: false };
  return (asked: Asked) => {
    if (asked.path !== '/api/settings/import') return later(asked);
    const isPreview = asked.body.preview === true;
    return { ...answer, 'confirm-by-s': isPreview ? 0 : seconds, ...(!isPreview && seconds > 0 && { token: proof }) };
  };
}

async function apply(hub: string, { risk = 'confirm', next = 0 }: { risk?: 'confirm' | 'accept'; next?: number } = {}) {
  const said: string[] = [];
  const code = await applySettings({
    ...{ hub, risk, token: 'secret', isPreview: false, waitMs: 600 },
    text: JSON.stringify({
      sections: next === 0 ? {} : { web: [{ name: 'console', 'http-port': next, 'https-port': 8443 }] },
    }),
    say: (line) => void said.push(line),
  });
  return { code, said };
}

test('a console that moves to another port is confirmed there', async () => {
  const next = await sparePort();
  const confirmed: Body[] = [];
  const old = serve(
    0,
    importing(
      () => {
        if (confirmed.length === 0) {
          confirmed.push({});
          serve(next, (asked) => {
            confirmed.push(asked.body);
            // The address of a hub behind a router that translates addresses.
            return confirming('192.0.2.7')(asked);
          });
        }
        return early;
      },
      { seconds: 30 },
    ),
  );
  const { code, said } = await apply(`http://${home}:${old.port}`, { next });
  expect([code, said.at(-1)]).toEqual([0, 'the hub has these settings now']);
  expect(said).toContain(`the hub is at http://${home}:${next} now`);
  expect(confirmed.at(-1)).toEqual({ token: proof });
});

test('an address of the file that another machine has gets no token, whatever that machine says', async () => {
  const asked: Asked[] = [];
  const strange = (answer: (to: Asked) => object | Response) => (to: Asked) => {
    asked.push(to);
    return answer(to);
  };
  const answers = [
    () => ({ result: 0, kind: 'settings', answer: '0'.repeat(64) }),
    () => ({ result: results.wrongState.code, message: 'undone' }),
    () => Response.redirect('/api/network/confirm', 307),
    // Passes on what the hub answers at its own address.
    confirming('192.0.2.7'),
    (to: Asked) => ({ ...confirming('192.0.2.7')(to), address: other }),
    // The answer does not end.
    () => new Response(new ReadableStream({ start: (stream) => stream.enqueue(new Uint8Array(1)) })),
  ];
  const outcomes = answers.map(async (answer) => {
    const hub = serve(
      0,
      importing(() => early, { seconds: 2, addresses: [other] }),
    );
    serve(Number(hub.port), strange(answer), other);
    const { code, said } = await apply(`http://${home}:${hub.port}`);
    return [code, said.at(-1)];
  });
  const undone = 'the hub was not reached with the new settings: it returns to the previous settings';
  expect(await Promise.all(outcomes)).toEqual(answers.map(() => [3, undone]));
  expect(asked.length).toBeGreaterThan(2);
  for (const { body, authorization } of asked) {
    expect([Object.keys(body), authorization]).toEqual([['challenge'], null]);
  }
});

test('an answer is read to the size of a settings file only', async () => {
  let sentMiB = 0;
  const endless = () =>
    new Response(
      new ReadableStream({
        pull(stream) {
          stream.enqueue(new Uint8Array(1024 ** 2));
          sentMiB++;
        },
      }),
    );
  const hub = serve(0, endless);
  const url = `http://${home}:${hub.port}`;
  expect(await apply(url)).toEqual({ code: 1, said: [`${url} does not answer`] });
  // Some are on the way.
  expect(sentMiB).toBeLessThan(64);
});

test('an address of the file that proves to be the hub confirms the import', async () => {
  const hub = serve(
    0,
    importing(() => early, { seconds: 30, addresses: [other] }),
  );
  serve(Number(hub.port), confirming(other), other);
  const { code, said } = await apply(`http://${home}:${hub.port}`);
  expect([code, said.at(-2)]).toEqual([0, `the hub is at http://${other}:${hub.port} now`]);
});

test('an import is kept although the answer to its confirmation was lost', async () => {
  const ended = { kind: 'settings', user: 'ann', outcome: 'confirmed', time: 1 };
  let isConfirmed = false;
  const hub = serve(
    0,
    importing(() => early, { seconds: 30, addresses: [other] }),
  );
  const moved = (asked: Asked) => {
    if (asked.path === '/api/network/get') return { result: 0, ports: [], missing: [], revision: 1, ended };
    if (isConfirmed) return { result: results.wrongState.code, message: 'it is confirmed already' };
    isConfirmed = asked.body.token === proof;
    return isConfirmed ? new Response('lost', { status: 502 }) : confirming(other)(asked);
  };
  serve(Number(hub.port), moved, other);
  expect(await apply(`http://${home}:${hub.port}`)).toMatchObject({ code: 0 });
});

test('without a safety net, only the host that the user named is asked, and its silence is reported', async () => {
  const asked: Asked[] = [];
  const hub = serve(
    0,
    importing(() => early, { seconds: 0, addresses: [other] }),
  );
  const url = `http://${home}:${hub.port}`;
  const note = (to: Asked) => ({ count: asked.push(to) });
  serve(Number(hub.port), note, other);
  const { code, said } = await apply(url, { risk: 'accept' });
  expect(asked).toEqual([]);
  expect([code, said.at(-1)]).toEqual([
    1,
    `the hub keeps the settings without a confirmation, but no longer answers at ${url}; it should be at ${other}`,
  ]);
});

test.each(['confirmed', 'failed'])(
  'without a safety net, the hub at the given URL reports that the import %s',
  async (outcome) => {
    const ended = { kind: 'settings', user: 'ann', outcome, time: 1 };
    const hub = serve(
      0,
      importing(() => ({ result: 0, ports: [], missing: [], revision: 1, ended }), { seconds: 0 }),
    );
    const { code } = await apply(`http://${home}:${hub.port}`, { risk: 'accept' });
    expect(code).toBe(outcome === 'confirmed' ? 0 : 3);
  },
);
