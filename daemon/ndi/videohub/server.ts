/**
 * Lets hardware panels control the matrix over the Videohub protocol, which has neither authentication nor encryption.
 * Therefore only listed addresses may connect.
 */
import { createServer, type Server, type Socket } from 'node:net';
import { type AddressRanges, addressRanges } from '../../lib/address-ranges.ts';
import { plainAddress } from '../../lib/local-network.ts';
import type { Log } from '../../lib/log.ts';
import { timing } from '../../timing.ts';
import { createBlockReader } from './blocks.ts';
import { createPanelClient, type PanelActions, type PanelClient } from './client.ts';
import type { PanelState } from './state.ts';

export interface PanelServerOptions {
  readonly host: string;
  readonly port: number;
  /** Addresses and CIDR ranges. */
  readonly allowed: readonly string[];
  readonly state: () => PanelState;
  readonly actions: PanelActions;
  /** Calls the listener when the state may have changed. */
  readonly onChange: (listener: () => void) => () => void;
  /** Called when a client has connected or disconnected. */
  readonly onClients: () => void;
  readonly log: Log;
}

export const maxPanels = 16;
/** The server disconnects a client when this many bytes wait to be sent to it. */
const maxWaitingBytes = 1 << 20;

export interface PanelServer {
  readonly port: number;
  /** Addresses of the connected clients. */
  readonly clients: () => readonly string[];
  close(): void;
}

/** Rejects if the port cannot be opened. */
export async function startPanelServer(options: PanelServerOptions): Promise<PanelServer> {
  const { host, port, state, log } = options;
  const allowed: AddressRanges = addressRanges(options.allowed);
  const clients = new Map<Socket, { readonly address: string; readonly client: PanelClient }>();
  let size = sizeOf(state());
  let isMarked = false;

  function welcome(socket: Socket): void {
    const address = plainAddress(socket.remoteAddress ?? '');
    socket.on('error', () => socket.destroy());
    if (!allowed.includes(address) || clients.size >= maxPanels) {
      const reason = clients.size >= maxPanels ? 'too many panels' : 'its address is not allowed';
      log.warn('a panel was refused', { peer: address, reason });
      socket.destroy();
      return;
    }
    socket.setNoDelay(true);
    socket.setKeepAlive(true, timing.panels.keepAliveMs);
    const send = (text: string): void => {
      if (socket.destroyed) return;
      socket.write(text);
      if (socket.writableLength <= maxWaitingBytes) return;
      log.warn('a panel does not read and was dropped', { peer: address });
      socket.destroy();
    };
    const client = createPanelClient({ address, state, actions: options.actions, send });
    clients.set(socket, { address, client });
    log.info('a panel is connected', { peer: address });
    options.onClients();
    const read = createBlockReader();
    socket.on('data', (bytes: Buffer) => {
      const blocks = read(bytes);
      if (blocks === undefined) {
        log.warn('a panel sent a line or block that is too long', { peer: address });
        socket.destroy();
        return;
      }
      // Nothing more is read until the block is handled, so that blocks stay in order and do not accumulate.
      socket.pause();
      void handleAll(client, blocks, socket).finally(() => socket.resume());
    });
    socket.on('close', () => {
      clients.delete(socket);
      log.info('a panel is disconnected', { peer: address });
      options.onClients();
    });
  }

  async function handleAll(
    client: PanelClient,
    blocks: Parameters<PanelClient['handle']>[0][],
    socket: Socket,
  ): Promise<void> {
    for (const block of blocks) {
      if (socket.destroyed) return;
      await client.handle(block);
    }
  }

  /** Sends the changes of one tick as one update. Clients read the size only when they connect. */
  function mark(): void {
    if (isMarked) return;
    isMarked = true;
    setImmediate(() => {
      isMarked = false;
      const now = sizeOf(state());
      if (now !== size) {
        size = now;
        for (const socket of clients.keys()) socket.destroySoon();
        return;
      }
      for (const { client } of clients.values()) client.update();
    });
  }

  const server = await listen(createServer(welcome), host, port);
  // For example, no descriptor is left for a connection; the server continues.
  server.on('error', (error) => log.warn('a panel cannot connect', { reason: String(error) }));
  const stop = options.onChange(mark);
  return {
    port: portOf(server),
    clients: () => [...clients.values()].map(({ address }) => address),
    close(): void {
      stop();
      server.close();
      for (const socket of clients.keys()) socket.destroy();
    },
  };
}

const sizeOf = ({ inputs, outputs }: PanelState): string => `${inputs.length} ${outputs.length}`;

function listen(server: Server, host: string, port: number): Promise<Server> {
  const { promise, resolve, reject } = Promise.withResolvers<Server>();
  server.once('error', reject);
  server.listen({ host, port, exclusive: true }, () => {
    server.off('error', reject);
    resolve(server);
  });
  return promise;
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
