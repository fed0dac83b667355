/** The yardstick of the HTTP proxy: Bun's fetch without a link. Argument: the port of the origin. Prints its own. */
const [target = ''] = process.argv.slice(2);
const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  async fetch(request) {
    const path = request.url.slice(request.url.indexOf('/', 8));
    const { status, headers, body } = await fetch(`http://127.0.0.1:${target}${path}`, { decompress: false });
    return new Response(body, { status, headers });
  },
});
console.log(JSON.stringify({ port: server.port }));
