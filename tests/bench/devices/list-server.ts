/** The least that a list costs in this runtime: serializes it and compresses it. Argument: its file. Prints the port. */
const [file = ''] = process.argv.slice(2);
const list: unknown = await Bun.file(file).json();
const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch: () => new Response(Bun.gzipSync(Buffer.from(JSON.stringify(list)), { level: 1 }), { headers }),
});
console.log(JSON.stringify({ port: server.port }));
