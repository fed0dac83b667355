/** A camera without an API: FFmpeg's stream and a picture over HTTP. */
interface StreamSourceOptions {
  /** Arguments of FFmpeg up to the output, which is a transport stream. */
  readonly input: readonly string[];
  /** A JPEG; without it, there is no `/picture.jpg`. */
  readonly picture?: () => Uint8Array;
  /** Default: any. */
  readonly port?: number;
}

export interface StreamSource {
  /** `http://host:port` */
  readonly origin: string;
  /** How often the stream was opened, and how often it is open now. */
  readonly opened: number;
  readonly isOpen: number;
  close(): Promise<void>;
}

export function serveStream({ input, picture, port = 0 }: StreamSourceOptions): StreamSource {
  const children = new Set<Bun.Subprocess>();
  let opened = 0;

  function stream(signal: AbortSignal): Response {
    opened += 1;
    const child = Bun.spawn(['ffmpeg', '-nostdin', '-loglevel', 'quiet', ...input, '-f', 'mpegts', 'pipe:1'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    children.add(child);
    void child.exited.then(() => children.delete(child));
    signal.addEventListener('abort', () => child.kill('SIGKILL'));
    return new Response(child.stdout, { headers: { 'content-type': 'video/mp2t' } });
  }

  const server = Bun.serve({
    hostname: '127.0.0.1',
    port,
    idleTimeout: 0,
    fetch(request) {
      const { pathname } = new URL(request.url);
      if (pathname === '/live.ts') return stream(request.signal);
      if (pathname === '/picture.jpg' && picture !== undefined) return new Response(new Uint8Array(picture()));
      return new Response('', { status: 404 });
    },
  });
  return {
    origin: `http://127.0.0.1:${server.port}`,
    get opened() {
      return opened;
    },
    get isOpen() {
      return children.size;
    },
    async close() {
      await server.stop(true);
      for (const child of children) child.kill('SIGKILL');
      await Promise.all([...children].map(({ exited }) => exited));
    },
  };
}
