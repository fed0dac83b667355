import { expect, setDefaultTimeout, test } from 'bun:test';
import { startHub } from './hub-process.ts';

setDefaultTimeout(60_000);

const setupCode = /set-up code: ([0-9A-Z]{5}-[0-9A-Z]{5})/g;
const codesIn = (log: string) => [...log.matchAll(setupCode)].map(([, code]) => code);

test('each start without a password logs a new set-up code, which allows set-up from another machine', async () => {
  const hub = await startHub({ env: { SIGNALBOX_ADMIN_PASSWORD: '' } });
  try {
    await hub.kill('SIGTERM');
    await hub.restart();
    const [first, second, ...more] = codesIn(hub.logs());
    expect([typeof first, typeof second, more]).toEqual(['string', 'string', []]);
    expect(first).not.toBe(second);
    const elsewhere = async (body: object) => {
      const headers = { 'content-type': 'application/json', 'x-forwarded-for': '192.0.2.7' };
      const init = { method: 'POST', headers, body: JSON.stringify(body) };
      return (await (await fetch(`${hub.url}/api/setup`, init)).json()) as { result: number };
    };
    const password = 'over-the-hills';
    expect(await elsewhere({ password })).toMatchObject({ result: 7 });
    expect(await elsewhere({ password, code: first })).toMatchObject({ result: 39 });
    expect(await elsewhere({ password, code: second })).toEqual({ result: 0 });
    expect(await hub.answer('/api/login', { id: 'Admin', password })).toMatchObject({ result: 0 });
    await hub.kill('SIGTERM');
    await hub.restart();
    expect(codesIn(hub.logs())).toHaveLength(2);
  } finally {
    await hub.stop();
  }
});
