/**
 * Limits how many requests a connection sends without waiting for responses. Bun handles all that it has read at once,
 * up to half a megabyte, before anything else: a few connections would stop the process for minutes, and fill its memory
 * with responses that nobody reads. Browsers, proxies and HTTP libraries wait for each response.
 */
import type { SocketAddress } from 'bun';

const maxAtOnce = 16;

/**
 * Returns a function that is called once per request, with the peer, before anything asynchronous. It returns whether
 * the connection must end with the response, so that Bun drops the requests after it.
 */
export function createPipelineLimit() {
  let [address, port, count] = ['', 0, 0];
  let isTurn = false;
  const endTurn = () => {
    isTurn = false;
    port = 0;
  };
  return function isPastLimit(peer: SocketAddress | null): boolean {
    if (peer === null) return false;
    if (!isTurn) setImmediate(endTurn);
    isTurn = true;
    if (peer.port !== port || peer.address !== address) [address, port, count] = [peer.address, peer.port, 0];
    count++;
    return count >= maxAtOnce;
  };
}

/** The connection ends with this response. */
export function asLast(response: Response): Response {
  response.headers.set('connection', 'close');
  return response;
}
