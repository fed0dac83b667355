/**
 * The web page of a simulated device, as devices have them: absolute paths, scripts, a login with cookies, a redirect to
 * its own address, a WebSocket, and a form for files of any size. `/hostile` tries what a device must not be able to do.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { Server, WebSocketHandler } from 'bun';
import type { Simulator } from './serve.ts';

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
}

const html = (title: string, body: string) =>
  new Response(
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title>
<link rel="icon" href="data:,"><link rel="stylesheet" href="/static/page.css"></head><body><h1>${title}</h1>${body}</body></html>`,
    { headers: { 'content-type': 'text/html; charset=utf-8' } },
  );

/** The page after the login: shows with a script what it gets, and what its WebSocket says. */
const script = `
const show = (id, text) => { document.getElementById(id).textContent = text; };
fetch('/status').then((answer) => answer.json()).then(({ name }) => show('status', name));
const socket = new WebSocket(location.origin.replace(/^http/, 'ws') + '/ws', ['echo.1']);
socket.onopen = () => socket.send('a'.repeat(100000));
socket.onmessage = ({ data }) => show('socket', socket.protocol + ' ' + data.length);
socket.onclose = () => show('socket', 'closed');
document.getElementById('file').onchange = async ({ target }) => {
  const answer = await fetch('/upload', { method: 'POST', body: target.files[0] });
  show('upload', await answer.text());
};
localStorage.setItem('of', document.title);
`;

/** Writes into the page what each attempt has come to. */
const hostileScript = `
const hub = new URLSearchParams(location.search).get('hub');
const results = {};
const attempt = async (name, act) => {
  try { results[name] = String(await act()); } catch (error) { results[name] = 'refused: ' + error.name; }
};
const image = (url) => new Promise((resolve) => {
  const one = new Image();
  one.onload = () => resolve('loaded');
  one.onerror = () => resolve('refused');
  one.src = url;
});
await attempt('read', async () => (await fetch(hub + '/api/session', { credentials: 'include' })).text());
await attempt('call', async () => (await fetch(hub + '/api/logout', { credentials: 'include', mode: 'no-cors' })).type);
await attempt('post', async () => (await fetch(hub + '/api/logout', { method: 'POST', credentials: 'include', mode: 'no-cors' })).type);
navigator.sendBeacon(hub + '/api/logout');
await attempt('image', () => image(hub + '/api/logout'));
await attempt('socket', () => new Promise((resolve) => {
  const one = new WebSocket(hub.replace(/^http/, 'ws') + '/api/events');
  one.onopen = () => resolve('open');
  one.onerror = () => resolve('refused');
}));
await attempt('frame', () => new Promise((resolve) => {
  const one = document.createElement('iframe');
  one.onload = () => {
    try { resolve(one.contentDocument === null ? 'refused' : one.contentDocument.title || 'empty'); } catch { resolve('refused'); }
  };
  one.src = hub + '/';
  document.body.append(one);
}));
await attempt('opener', () => window.opener);
await attempt('worker', async () => (await navigator.serviceWorker.register('/sw.js')).scope);
await attempt('cookies', () => document.cookie);
await attempt('console', async () => (await fetch(hub + '/socket/sc-remote/' + new URLSearchParams(location.search).get('other') + '/', { credentials: 'include' })).status);
document.cookie = 'mwcloud-sid=evil; path=/';
document.cookie = 'mwcloud-sid=evil; path=/api';
document.cookie = 'signalbox-http-sid=evil; path=/api';
document.getElementById('results').textContent = JSON.stringify(results);
`;

export class DevicePage implements Simulator {
  readonly seen: SeenRequest[] = [];
  /** Bytes of downloads that were taken. */
  sent = 0;
  /** Of the last upload that arrived as a whole. */
  uploaded: { readonly bytes: number; readonly sha256: string } | undefined;
  readonly #device: Simulator;
  readonly #name: string;
  readonly #sessions = new Set<string>();

  constructor(device: Simulator, name: string) {
    this.#device = device;
    this.#name = name;
  }

  readonly websocket: WebSocketHandler<undefined> = {
    maxPayloadLength: 64 << 20,
    message: (socket, message) => void socket.send(message),
  };

  async handle(request: Request, server?: Server<undefined>): Promise<Response> {
    const url = new URL(request.url);
    this.seen.push({ method: request.method, path: url.pathname, headers: request.headers });
    switch (url.pathname) {
      case '/':
        // Devices often name themselves in redirects.
        return this.#isSignedIn(request) ? this.#main() : Response.redirect(`${url.origin}/login.html`, 302);
      case '/login.html':
        return html(
          'Sign in',
          '<form method="post" action="/login"><input name="password"><button>Sign in</button></form>',
        );
      case '/login':
        return this.#signIn(await request.text());
      case '/status':
        return this.#isSignedIn(request) ? Response.json({ name: this.#name }) : new Response(null, { status: 401 });
      case '/ws':
        return this.#upgrade(request, server);
      case '/upload':
        return await this.#take(request);
      case '/download':
        return this.#download(Number(url.searchParams.get('bytes')));
      case '/static/page.css':
        return new Response('h1 { color: rgb(1, 2, 3) }', { headers: { 'content-type': 'text/css' } });
      case '/static/page.js':
        return javascript(script);
      case '/static/hostile.js':
        return javascript(hostileScript);
      case '/sw.js':
        return javascript('self.onfetch = () => {};');
      case '/hostile':
        return html('Hostile', '<pre id="results"></pre><script type="module" src="/static/hostile.js"></script>');
      default:
        return await this.#device.handle(request);
    }
  }

  close(): Promise<void> {
    return this.#device.close();
  }

  #main(): Response {
    const fields = ['status', 'socket', 'upload'].map((id) => `<p id="${id}"></p>`).join('');
    return html(this.#name, `${fields}<input type="file" id="file"><script src="/static/page.js"></script>`);
  }

  #signIn(body: string): Response {
    if (new URLSearchParams(body).get('password') !== 'open') return new Response('wrong', { status: 403 });
    const session = randomBytes(8).toString('hex');
    this.#sessions.add(session);
    const cookie = `session=${session}; Path=/; HttpOnly; SameSite=Strict`;
    return new Response(null, { status: 303, headers: { location: '/', 'set-cookie': cookie } });
  }

  #isSignedIn({ headers }: Request): boolean {
    return this.#sessions.has(/(?:^|; )session=([0-9a-f]+)/.exec(headers.get('cookie') ?? '')?.[1] ?? '');
  }

  #upgrade(request: Request, server: Server<undefined> | undefined): Response {
    const headers = { 'sec-websocket-protocol': 'echo.1' };
    // Bun takes no response after an upgrade.
    if (this.#isSignedIn(request) && server?.upgrade(request, { data: undefined, headers })) return undefined as never;
    return new Response(null, { status: 400 });
  }

  async #take(request: Request): Promise<Response> {
    const digest = createHash('sha256');
    let bytes = 0;
    for await (const part of request.body ?? []) {
      digest.update(part);
      bytes += part.length;
    }
    this.uploaded = { bytes, sha256: digest.digest('hex') };
    return new Response(`${bytes} ${this.uploaded.sha256}`);
  }

  /** That many bytes, as fast as they are taken. */
  #download(bytes: number): Response {
    this.sent = 0;
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        const part = block.subarray(0, Math.min(bytes - this.sent, block.length));
        this.sent += part.length;
        if (part.length > 0) controller.enqueue(part);
        if (this.sent === bytes) controller.close();
      },
    });
    return new Response(body);
  }
}

const javascript = (text: string) => new Response(text, { headers: { 'content-type': 'text/javascript' } });

const block = randomBytes(64 << 10);
