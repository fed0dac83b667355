/** A server on the device that echoes WebSocket messages. Prints its port. */
const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch: (request, self) => (self.upgrade(request) ? undefined : new Response(null, { status: 400 })),
  websocket: { perMessageDeflate: false, message: (socket, message) => void socket.send(message) },
});
console.log(JSON.stringify({ port: server.port }));
