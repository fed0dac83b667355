/**
 * The least that polling devices costs in this runtime: requests on connections of their own, whose JSON is parsed.
 * Arguments: a file with the addresses, requests per second. Runs until it is ended.
 */
const [file = '', perSecond = '100'] = process.argv.slice(2);
const addresses = (await Bun.file(file).json()) as string[];
const tickMs = 20;
const timeoutMs = 5000;
let next = 0;
let due = 0;

async function poll(address: string): Promise<void> {
  const response = await fetch(`${address}/usapi?method=ping`, {
    ...{ keepalive: false, signal: AbortSignal.timeout(timeoutMs) },
  });
  JSON.parse((await response.text()) || '{}');
}

setInterval(() => {
  due += (Number(perSecond) * tickMs) / 1000;
  for (; due >= 1; due -= 1) {
    poll(addresses[next] ?? '').catch(() => {});
    next = (next + 1) % addresses.length;
  }
}, tickMs);
