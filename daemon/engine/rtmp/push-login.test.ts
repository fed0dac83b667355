import { afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { errorMessage } from './commands.ts';
import { cleanUp, serve, start, welcome } from './push-rig-for-test.ts';
import { refuseLogin } from './scripted-server-for-test.ts';

setDefaultTimeout(30_000);
afterEach(cleanUp);

describe('user and password', () => {
  const reject = (transaction: number, description: string) => [
    errorMessage(transaction, 'NetConnection.Connect.Rejected', `[ AccessManager.Reject ] : ${description}`),
  ];
  /** Asks for the method, then for the answer to a challenge, and checks it. */
  const adobe = (password: string) =>
    serve({
      answer: (command) => (command.name === 'connect' && refuseLogin(command, 'me', password)) || welcome(command),
    });

  test('answer a challenge, over as many connections as needed', async () => {
    const server = adobe('secret');
    const bench = start({ url: `rtmp://127.0.0.1:${server.port}/live`, username: 'me', password: 'secret' });
    await bench.streaming;
    expect(server.sockets).toHaveLength(3);
    expect(bench.stages.filter((stage) => stage === 'auth')).toHaveLength(2);
  });

  test('that are wrong or missing are an authorization failure', async () => {
    const server = adobe('secret');
    const url = `rtmp://127.0.0.1:${server.port}/live`;
    const wrong = await start({ url, username: 'me', password: 'other' }).ended;
    expect(wrong).toMatchObject({ stage: 'auth', permanent: true, message: 'user name or password refused' });
    const missing = await start({ url }).ended;
    expect(missing).toMatchObject({ stage: 'auth', permanent: true });
    expect(missing?.message).toContain('asks for a user name');
  });

  test('are not sent to a server that refuses without a challenge', async () => {
    const server = serve({ answer: ({ transaction }) => reject(transaction, 'who are you?') });
    const account = { username: 'me', password: 'pa:ss' };
    const ended = await start({ url: `rtmp://127.0.0.1:${server.port}/live`, ...account }).ended;
    expect(ended).toMatchObject({ stage: 'connect', permanent: true });
    expect(ended?.message).toContain('user name and password were not sent');
    const inUrl = await start({ url: `rtmp://me:pa%3Ass@127.0.0.1:${server.port}/live` }).ended;
    expect(inUrl).toMatchObject({ stage: 'connect', permanent: true });
    expect(server.commands.map(({ object }) => object.tcUrl)).toEqual(
      Array(2).fill(`rtmp://127.0.0.1:${server.port}/live`),
    );
    expect(JSON.stringify(server.commands)).not.toMatch(/pa:ss|pa%3Ass|"me/);
  });
});
