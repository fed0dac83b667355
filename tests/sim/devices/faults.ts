/** What a simulated device does wrong. All can be combined and changed at any time. */
export interface Faults {
  /** Accepts requests and never answers them. */
  readonly isSilent?: boolean;
  /** Milliseconds before each answer. */
  readonly delayMs?: number;
  /** Methods that the device carries out without answering. */
  readonly unanswered?: readonly string[];
  /** Methods that it neither carries out nor answers. */
  readonly lost?: readonly string[];
  /** Every answer has this HTTP status and no content. */
  readonly status?: number;
  /** Result codes of methods, which are then not carried out. */
  readonly codes?: Readonly<Record<string, number>>;
  /** Result codes are text. */
  readonly codesAsText?: boolean;
  /** Objects that answers lack. */
  readonly missing?: readonly string[];
  /** `broken`: half the JSON; `huge`: 10 GB of it; `endless`: a byte every 20 ms. */
  readonly answer?: 'broken' | 'huge' | 'endless';
  /** Each login works, and its session has ended at once. */
  readonly forgetsSessions?: boolean;
}

const hugeBytes = 10_000_000_000;

/** The answer as these faults spoil it. Never resolves if the device is silent, until the client gives up. */
export async function spoiled(
  { status, missing, answer, codesAsText }: Faults,
  json: Readonly<Record<string, unknown>>,
): Promise<Response> {
  if (status !== undefined) return new Response(null, { status });
  if (answer === 'huge') return new Response(spaces(1 << 16, 0), { headers: { 'content-length': `${hugeBytes}` } });
  if (answer === 'endless') return new Response(spaces(1, 20));
  const left = Object.entries(json).filter(([name]) => !missing?.includes(name));
  const typed = left.map(([name, value]) => [
    name,
    codesAsText && (name === 'result' || name === 'status') ? `${value}` : value,
  ]);
  const text = JSON.stringify(Object.fromEntries(typed));
  return new Response(answer === 'broken' ? text.slice(0, text.length / 2) : text, {
    headers: { 'content-type': 'application/json' },
  });
}

/** Resolves when the client closes the connection. */
export function untilGivenUp(request: Request): Promise<Response> {
  return new Promise((resolve) => {
    const end = () => resolve(new Response());
    request.signal.addEventListener('abort', end, { once: true });
    if (request.signal.aborted) end();
  });
}

/** An answer in which the connection breaks. */
export function cutOff(): Response {
  return new Response(
    new ReadableStream({
      pull(out) {
        // The server prints any other reason.
        out.error(undefined);
      },
    }),
    { headers: { 'content-length': '100' } },
  );
}

function spaces(length: number, pauseMs: number): ReadableStream<Uint8Array> {
  const part = new Uint8Array(length).fill(0x20);
  return new ReadableStream({
    async pull(out) {
      if (pauseMs > 0) await Bun.sleep(pauseMs);
      out.enqueue(part);
    },
  });
}
