/**
 * Asks addresses of the hub once per second whether a web server answers there, and posts each that does. It is a
 * worker with a content policy of its own: that of the page allows connections to its own origin only.
 */
const everyMs = 1000;
const limitMs = 3000;

async function ask(address) {
  const signal = AbortSignal.timeout(limitMs);
  try {
    // The one file that the hub lets other origins load.
    const file = new URL('favicon.svg', address);
    await fetch(file, { mode: 'no-cors', cache: 'no-store', credentials: 'omit', signal });
    postMessage(address);
  } catch {
    // No answer: asked again.
  }
}

addEventListener('message', ({ data: addresses }) => {
  const askAll = () => {
    for (const address of addresses) void ask(address);
  };
  askAll();
  setInterval(askAll, everyMs);
});
