export const lanName = 'signalbox.lan';

/** Debian's Chromium in headless form, which takes less CPU. Nothing in it connects to the Internet. */
export const chromium = {
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium-headless-shell',
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    // A local network name, whose pages browsers trust less than those of 127.0.0.1.
    `--host-resolver-rules=MAP ${lanName} 127.0.0.1`,
  ],
};
